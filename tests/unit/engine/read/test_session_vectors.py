"""Vectors of a session: made in the background, kept, made anew for another embedder, done without when it fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import clew
from clew.config import Config
from clew.engine.engine import Engine
from clew.errors import ModelUnavailable
from clew.retrieval.vector_rows import VectorRows
from tests.builders import says, user
from tests.embedders import opened_with

pytest.importorskip("numpy")

TALK = [
    user("The car is at the garage."),
    says("It will take a week."),
    user("We eat at six."),
    says("Noted."),
]
#: Words that mean the same to the embedder of these tests.
MEANINGS = [{"car", "vehicle", "garage"}, {"eat", "dinner", "six"}]


class Meanings:
    """An embedder that knows two meanings."""

    def __init__(self, name: str = "meanings") -> None:
        self.name, self.texts, self.fails = name, list[str](), False

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.fails:
            raise ModelUnavailable("the embedder is gone")
        self.texts += texts
        return [self._vector(set(text.lower().strip(".?").replace(".", "").split())) for text in texts]

    def _vector(self, words: set[str]) -> list[float]:
        found = [float(bool(words & meaning)) for meaning in MEANINGS]
        return [1.0, 0.0, 0.0] if not any(found) else [0.0, *found]


@pytest.fixture
def embedder() -> Meanings:
    return Meanings()


@pytest.fixture
def engine(tmp_path: Path, embedder: Meanings) -> Iterator[Engine]:
    with opened_with(tmp_path / "clew.db", embedder) as found:
        yield found


def best(session: clew.Session, query: str) -> list[str]:
    return [match.id for match in session.search(query, limit=1, kind="message")]


def test_what_was_recorded_is_found_by_its_meaning(engine: Engine, embedder: Meanings) -> None:
    session = engine.session("s")
    session.record(TALK)
    engine.wait()
    assert best(session, "vehicle") == ["m1"]
    assert best(session, "dinner") == ["m3"]
    [first] = session.search("dinner", limit=1)
    assert (first.id, first.why["meaning"] > 0) == ("x2", True)


def test_the_store_is_not_read_while_vectors_are_locked(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, free, read = engine.services.vectors.lock, list[bool](), VectorRows.read

    def is_free() -> bool:
        found = lock.acquire(blocking=False)
        if found:
            lock.release()
        return found

    def reading(self: VectorRows, embedder: str, first: int = 0) -> dict[int, bytes]:
        with ThreadPoolExecutor(1) as other:  # one that holds the store, and waits for vectors
            free.append(other.submit(is_free).result())
        return read(self, embedder, first)

    session = engine.session("s")
    session.record(TALK)
    engine.wait()
    monkeypatch.setattr(VectorRows, "read", reading)
    assert best(session, "vehicle") == ["m1"]
    assert free
    assert all(free)


def test_each_text_is_embedded_once_however_often_it_is_recorded_and_searched(
    engine: Engine, embedder: Meanings
) -> None:
    session = engine.session("s")
    for message in [*TALK, TALK[0]]:
        session.record([message])
        engine.wait()
    best(session, "vehicle")
    engine.wait()
    assert sorted(embedder.texts) == sorted([*(message.text for message in TALK), "vehicle"])


def test_search_goes_by_words_and_says_so_when_the_embedder_is_gone(engine: Engine, embedder: Meanings) -> None:
    session = engine.session("s")
    session.record(TALK)
    engine.wait()
    told: list[str] = []
    engine.on("search.degraded", lambda event: told.append(event.data["reason"]))
    embedder.fails = True
    assert best(session, "garage") == ["m1"]
    session.record([user("And a new thing.")])
    engine.wait()
    assert set(told) == {"the embedder is gone"}


def test_another_embedder_takes_over_when_its_vectors_are_made(tmp_path: Path) -> None:
    before, after = Meanings("before"), Meanings("after")
    with opened_with(tmp_path / "clew.db", before) as engine:
        engine.session("s").record(TALK)
        engine.wait()
    after.fails = True
    with opened_with(tmp_path / "clew.db", before, after) as engine:
        session = engine.session("s")
        assert best(session, "dinner") == ["m3"]
        after.fails = False
        best(session, "dinner")
        engine.wait()
        assert best(session, "dinner") == ["m3"]
        rows = session._ledger.vector_rows()
        assert rows.reach() == {"after": 4}
        assert rows.read("before") == {}


def test_a_purge_takes_the_vectors_along(engine: Engine) -> None:
    session = engine.session("s")
    session.record(TALK)
    engine.wait()
    engine.purge(session.key)
    assert session._ledger.vector_rows().reach() == {}


def test_a_pack_that_was_sent_stays_as_it_is_when_vectors_come_later(tmp_path: Path) -> None:
    filler = [message for number in range(60) for message in (user(f"Filler {number} " * 30), says("Yes. " * 40))]
    with clew.open(tmp_path / "clew.db", config=Config()) as engine:
        session = engine.session("s")
        session.record([*TALK, *filler])
        sent = session.pack("When is dinner?", budget=3_000)
    with opened_with(tmp_path / "clew.db", Meanings()) as engine:
        session = engine.session("s")
        session.search("dinner")
        engine.wait()
        assert session._ledger.vector_rows().reach() == {"meanings": 124}
        assert session.pack("When is dinner?", budget=3_000).digest == sent.digest


def test_a_query_is_embedded_once_and_new_vectors_make_its_answer_anew(engine: Engine, embedder: Meanings) -> None:
    session = engine.session("s")
    session.record(TALK)
    engine.wait()
    assert [best(session, "vehicle") for _ in range(3)] == [["m1"]] * 3
    assert embedder.texts.count("vehicle") == 1
    assert (engine.cache_use()["query_vectors"].hits, engine.cache_use()["queries"].hits) == (2, 2)
    session.record([user("A vehicle."), says("Which?")])
    engine.wait()
    assert best(session, "vehicle") == ["m5"]
