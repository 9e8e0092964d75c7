"""A search that was asked before gives what a fresh one would, whatever happened in between."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.errors import UsageError
from tests.builders import says, user
from tests.effort import examples

WORDS = ["rope", "knot", "sail", "mast", "Anna", "I", "yesterday", "it", "after the knot"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
STEPS = st.lists(st.tuples(st.sampled_from(["record", "edit", "rollback", "nothing"]), TEXTS), min_size=2, max_size=6)
QUERIES = st.lists(TEXTS, min_size=1, max_size=3)


def change(session: clew.Session, how: str, text: str) -> None:
    if how == "record":
        session.record([user(text), says(f"{text}, Anna: done")])
    elif how == "edit":
        with suppress(UsageError):  # where it was rolled back
            session.edit("m1", text)
    elif how == "rollback":
        with suppress(UsageError):  # where nothing is left
            session.rollback()


@settings(max_examples=examples(25), deadline=None)
@given(steps=STEPS, queries=QUERIES)
def test_a_cached_answer_is_never_another_than_a_fresh_one(steps: list[tuple[str, str]], queries: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        with clew.open(path) as engine, clew.open(path) as other:
            session = engine.session("s")
            session.record([user("rope and knot"), says("sail")])
            for how, text in steps:
                change(session, how, text)
                for query in [*queries, *(" ".join(reversed(query.split())) for query in queries)]:
                    other.services.caches.forget()
                    fresh = other.session("s").search(query, limit=5, kind="message")
                    assert session.search(query, limit=5, kind="message") == fresh
                    assert session.search(query, limit=5, kind="message") == fresh
            use = engine.cache_use()["queries"]
            assert use.hits >= use.misses  # each was asked twice; in an empty session nothing is looked for
