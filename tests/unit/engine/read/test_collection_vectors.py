"""Vectors of registered knowledge: made in the background, kept by content, gone with what they are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

import orjson
import pytest

from clew.domain.modules import Module
from clew.engine.engine import Engine
from clew.ports import VECTORS, Span
from clew.retrieval.document_index import collection_key
from clew.retrieval.documents import Document, DocumentKind
from clew.retrieval.vector_rows import VectorRows
from tests.embedders import SynonymEmbedder, opened_with

pytest.importorskip("numpy")
SAME = {"vehicle": "lorry", "lorries": "lorry", "stands": "parked", "supper": "dinner"}
YARD = "# Lorry\nEvery lorry is parked behind the mill.\n\n# Dinner\nDinner comes from the bakery."
QUERY = "where vehicle stands"


def yard(content: str = YARD, id: str = "yard") -> Module:
    return Module(id=id, name="Yard", content=content)


@pytest.fixture
def embedder() -> SynonymEmbedder:
    return SynonymEmbedder(same=SAME)


@pytest.fixture
def engine(tmp_path: Path, embedder: SynonymEmbedder) -> Iterator[Engine]:
    with opened_with(tmp_path / "clew.db", embedder) as found:
        yield found


def vectors(engine: Engine) -> VectorRows:
    return VectorRows(engine.store, collection_key(engine.config.tenant, "default", "knowledge"))


def found(engine: Engine, query: str = QUERY) -> list[str]:
    return [one.id for one in engine.knowledge.search(query)]


def test_vectors_are_made_when_a_module_is_added_and_find_what_shares_no_word(
    engine: Engine, embedder: SynonymEmbedder
) -> None:
    engine.knowledge.add(yard())
    engine.wait()
    assert [text for text in embedder.texts if text.startswith("Yard")][1:] == [
        "Yard › Lorry: # Lorry\nEvery lorry is parked behind the mill.",
        "Yard › Dinner: # Dinner\nDinner comes from the bakery.",
    ]
    assert found(engine) == ["yard#1"]
    [best, *_] = engine.search(QUERY, kind="chunk")
    assert (best.id, best.score > 0.4, best.why["meaning"] > 0) == ("yard#1", True, True)


def test_a_search_right_after_adding_answers_as_a_later_one(engine: Engine) -> None:
    engine.knowledge.add(yard())
    at_once = found(engine)
    engine.wait()
    assert (at_once, found(engine)) == (["yard#1"], ["yard#1"])


def test_a_search_that_cannot_wait_says_what_is_unfinished(engine: Engine) -> None:
    heard: list[str] = []
    engine.on("search.degraded", lambda event: heard.append(event.data["reason"]))
    go_on = Event()
    engine.services.background.submit("before", lambda _: go_on.wait())
    engine.knowledge.add(yard())
    assert engine.knowledge.search("no such word", wait=0) == []
    go_on.set()
    assert heard == ["not all vectors of modules are made yet"]


def test_what_is_unchanged_in_a_new_version_or_in_a_new_index_is_not_embedded_again(
    engine: Engine, embedder: SynonymEmbedder
) -> None:
    engine.knowledge.add(yard())
    engine.wait()
    embedder.texts.clear()
    engine.knowledge.add(yard(YARD.replace("bakery", "kitchen")))
    engine.wait()
    assert embedder.texts == ["Yard › Dinner: # Dinner\nDinner comes from the kitchen."]
    engine.knowledge.reindex()
    engine.wait()
    assert len(embedder.texts) == 1
    assert found(engine) == ["yard#1"]


def test_equal_parts_of_several_modules_are_embedded_once(engine: Engine, embedder: SynonymEmbedder) -> None:
    for id in ("first", "second"):
        engine.knowledge.add(yard(id=id))
        engine.wait()
    assert sum("behind the mill" in text for text in embedder.texts) == 1
    assert len(vectors(engine).read("synonyms")) == 6


def test_removal_takes_vectors_along(engine: Engine) -> None:
    engine.knowledge.add(yard(), yard("Coal is weighed at the gate.", id="gate"))
    engine.wait()
    engine.knowledge.remove("yard")
    names = [name for name, _ in engine.store.rows(vectors(engine)._key, VECTORS) if name.startswith("synonyms")]
    assert len(names) == 2 * 2  # of the other module and its part, by number and by content


def test_who_has_read_vectors_that_were_removed_finds_what_a_newcomer_finds(
    tmp_path: Path, embedder: SynonymEmbedder
) -> None:
    many = [Document(id=f"d{at}", kind=DocumentKind.CHUNK, text=f"Lorry parked: {at}") for at in range(201)]
    left = Document(id="left", kind=DocumentKind.CHUNK, text="Some other lorry broke down")
    with opened_with(tmp_path / "clew.db", embedder) as engine, opened_with(tmp_path / "clew.db", embedder) as other:
        index = other.documents("notes")
        engine.documents("notes").put([*many, left])
        index.make_vectors()
        other.wait()
        assert len(index.search(QUERY, limit=500)) == 200  # as many as are looked at
        engine.documents("notes").remove([one.id for one in many])
        assert [one.document.id for one in index.search(QUERY)] == ["left"]


def test_what_is_removed_while_it_is_embedded_is_not_kept(engine: Engine, embedder: SynonymEmbedder) -> None:
    class Slow(SynonymEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if any("Lorry" in text for text in texts):
                engine.knowledge.remove("yard")
            return super().embed(texts)

    engine.services.embedders.used = Slow()  # type: ignore[attr-defined]
    engine.knowledge.add(yard())
    engine.wait()
    assert (vectors(engine).read("synonyms"), vectors(engine).reach() != {}) == ({}, True)


def test_another_embedder_takes_over_when_its_vectors_are_made(tmp_path: Path) -> None:
    before, after = SynonymEmbedder("before", SAME), SynonymEmbedder("after", SAME)
    with opened_with(tmp_path / "clew.db", before) as engine:
        engine.knowledge.add(yard())
        engine.wait()
    after.fails = True
    with opened_with(tmp_path / "clew.db", before, after) as engine:
        assert found(engine) == ["yard#1"]
        engine.wait()
        after.fails = False
        assert found(engine) == ["yard#1"]
        engine.wait()
        assert vectors(engine).reach().keys() == {"after"}
        assert found(engine) == ["yard#1"]
        names = [name for name, _ in engine.store.rows(vectors(engine)._key, VECTORS)]
        assert not [name for name in names if name.startswith("before/")]


def test_who_searches_while_another_embedder_takes_over_is_answered_by_that_one(tmp_path: Path) -> None:
    class Waiting(SynonymEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            made = super().embed(texts)
            if texts == [QUERY]:
                after.fails = False
                with opened_with(tmp_path / "clew.db", after) as other:
                    other.knowledge.search("anything")
                    other.wait()
            return made

    before, after = Waiting("before", SAME), SynonymEmbedder("after", SAME)
    with opened_with(tmp_path / "clew.db", before) as engine:
        engine.knowledge.add(yard())
        engine.wait()
    after.fails = True
    with opened_with(tmp_path / "clew.db", before, after) as engine:
        assert found(engine) == ["yard#1"]
        assert vectors(engine).reach().keys() == {"after"}


def test_an_embedder_that_has_made_nothing_yet_is_asked_once(tmp_path: Path) -> None:
    class OfQueries(SynonymEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            self.fails = texts != [QUERY]
            return super().embed(texts)

    embedder = OfQueries("after", SAME)
    with opened_with(tmp_path / "clew.db", embedder) as engine:
        engine.knowledge.add(yard())
        engine.wait()
        engine.store.put_rows(vectors(engine)._key, VECTORS, {"reach": orjson.dumps({"before": 0})})
        assert (found(engine), embedder.texts) == ([], [QUERY])


def test_search_goes_by_words_and_says_so_when_the_embedder_fails_half_way(
    engine: Engine, embedder: SynonymEmbedder
) -> None:
    told: list[str] = []
    engine.on("search.degraded", lambda event: told.append(event.data["reason"]))
    many = [yard(f"# Part {number}\nThe ferry number {number} is parked.", id=f"m{number}") for number in range(9)]
    engine.knowledge.add(yard(), *many[:4])
    engine.wait()
    embedder.fails = True
    engine.knowledge.add(*many[4:])
    engine.wait()
    assert found(engine, "lorry parked behind the mill")[0] == "yard#1"
    assert set(told) == {"the embedder is gone"}
    embedder.fails = False
    found(engine)
    engine.wait()
    assert len(vectors(engine).read("synonyms")) == 2 * 10 + 1


def test_a_batch_is_one_request(engine: Engine, embedder: SynonymEmbedder) -> None:
    engine.knowledge.add(*(yard(f"Ferry {number}.", id=f"m{number}") for number in range(2)))
    engine.wait()
    assert embedder.calls == 2  # what nearness means, and the vectors


class SpanReader(SynonymEmbedder):
    """An embedder of spans, to which a part means what stands in the whole text."""

    def embed_spans(self, text: str, spans: Sequence[Span]) -> list[list[float]]:
        self.calls += 1
        self.texts += [text[start:end] for start, end in spans]
        return [self._vector(text) for _ in spans]


def test_an_embedder_that_can_reads_the_parts_of_a_module_within_its_text(tmp_path: Path) -> None:
    embedder = SpanReader(same=SAME)
    parts = ["# Lorry\nEvery lorry has a number.", "# Place\nIt is parked behind the mill."]
    with opened_with(tmp_path / "clew.db", embedder) as engine:
        engine.knowledge.add(yard("\n\n".join(parts)))
        engine.wait()
        assert embedder.texts[-2:] == parts
        assert (embedder.calls, found(engine, "vehicle")) == (2, ["yard#2", "yard#1"])
        engine.knowledge.add(yard("\n\n".join([*parts, "# Bell\nRing it."])))
        engine.wait()
        assert embedder.texts[-3:] == [*parts, "# Bell\nRing it."]  # what is around them has changed
