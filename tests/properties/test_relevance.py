"""Relevance rests on the one session alone, and is the same from every store."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.engine.engine import Engine
from clew.engine.read.search_result import SearchResult
from tests.builders import says, user
from tests.effort import examples

WORDS = ["rope", "knot", "sail", "mast", "anchor", "moorings", "tide_table", "getBerth", "the", "naïve", "帆船"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
TALKS = st.lists(TEXTS, max_size=12)
QUERIES = st.lists(st.sampled_from([*WORDS, "berth", "table"]), min_size=1, max_size=5).map(" ".join)


def record(engine: Engine, name: str, talk: list[str]) -> clew.Session:
    session = engine.session(name)
    session.record([(user, says)[at % 2](text) for at, text in enumerate(talk)], format="clew")
    return session


def found(engine: Engine, name: str, query: str) -> list[SearchResult]:
    return engine.session(name).search(query, limit=20, kind="message")


@settings(max_examples=examples(30), deadline=None)
@given(talk=TALKS, other=TALKS, query=QUERIES, back=st.booleans())
def test_no_other_session_moves_a_result_and_every_store_ranks_alike(
    talk: list[str], other: list[str], query: str, back: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        answers = []
        for url in (":memory:", str(Path(folder) / "store.db")):
            with clew.open(url) as engine:
                session = record(engine, "mine", talk)
                if back and talk:
                    session.rollback()
                before = found(engine, "mine", query)
                record(engine, "other", other)
                assert found(engine, "mine", query) == before
                answers.append(before)
        assert answers[0] == answers[1]
