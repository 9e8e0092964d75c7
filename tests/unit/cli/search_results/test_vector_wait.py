"""Commands wait for vectors, but not for long."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

import pytest

from clew.cli.search_results import vector_wait
from clew.cli.search_results.vector_wait import noted_failures, wait_for_vectors
from clew.domain.modules import Module
from tests.embedders import SynonymEmbedder, opened_with

pytest.importorskip("numpy")
YARD = Module(id="yard", name="Yard", content="Every lorry is parked behind the mill.")


class Waiting(SynonymEmbedder):
    """An embedder that waits until it may go on."""

    go_on = Event()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.go_on.wait()
        return super().embed(texts)


def test_who_does_not_wait_for_all_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    embedder = Waiting()
    with opened_with(":memory:", embedder) as engine:
        engine.knowledge.add(YARD)
        with monkeypatch.context() as patch:
            patch.setattr(vector_wait, "_PATIENCE_SECONDS", 0.0)
            assert wait_for_vectors(engine, tell=True)
        assert capsys.readouterr().err.startswith(
            "clew: not all vectors are made yet, and the rest is found by words; `clew rebuild"
        )
        embedder.go_on.set()
        assert wait_for_vectors(engine, tell=True)
    assert (capsys.readouterr().err, len(embedder.texts) > 2) == ("", True)


def test_failures_are_noted_once_with_what_comes_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    embedder = SynonymEmbedder()
    embedder.fails = True
    with opened_with(":memory:", embedder) as engine, noted_failures(engine, "by words"):
        engine.knowledge.add(YARD)
        engine.wait()
        engine.knowledge.search("lorry")
        engine.wait()
    assert capsys.readouterr().err == "clew: by words: the embedder is gone\n"
