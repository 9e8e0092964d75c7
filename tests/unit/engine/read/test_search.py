"""What belongs to a query: found in the prompt view, best first, the same from every store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.domain import Message
from clew.engine.engine import Engine
from clew.samples import sample
from clew.storage.salvage import salvage
from tests.builders import call, gives, output, says, user

TALK = [
    user("The ferry to Harlow leaves at nine; which pier?"),
    says("Pier four."),
    user("Now fix parseTimetable, it drops the last row."),
    says("Looking.", call("c1", "read", path="src/timetable.py")),
    gives(output("c1", "def parse_timetable(lines): return lines[:-1]")),
    says("The slice cuts the last line off. Fixed."),
    user("Thanks. Write a changelog entry."),
    says("Done."),
]


@pytest.fixture(params=["memory", "sqlite"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    url = ":memory:" if request.param == "memory" else str(tmp_path / "store.db")
    with clew.open(url) as engine:
        yield engine


def ids(session: clew.Session, query: str, limit: int = 10) -> list[str]:
    return [match.id for match in session.search(query, limit=limit, kind="message")]


def recorded(engine: Engine, messages: list[Message] = TALK, name: str = "talk") -> clew.Session:
    session = engine.session(name)
    session.record(messages)
    return session


def test_the_message_that_says_it_comes_first(engine: Engine) -> None:
    session = recorded(engine)
    assert ids(session, "when does the ferry leave?", 1) == ["m1"]
    assert ids(session, "changelog", 1) == ["m7"]
    assert ids(session, "which file is the timetable in?", 1) == ["m4"]


def test_segments_are_found_by_their_best_message(engine: Engine) -> None:
    session = recorded(engine)
    first, *_ = session.search("which file is the timetable in?")
    assert (first.id, first.session, first.kind, first.messages[0]) == ("x2", "talk", "segment", "m4")
    assert "src/timetable.py" in first.text
    assert len(session.search("the ferry, the timetable, a changelog", limit=2)) == 2
    assert session.search("zebra") == []
    session.edit("m1", "The tram to Harlow leaves at nine; which stop?")
    assert [(one.id, one.messages) for one in session.search("tram", limit=1)] == [("x1", ("m9",))]


def test_what_says_the_same_is_listed_with_the_best_of_it(engine: Engine) -> None:
    session = engine.session("runs")
    trace = "\n".join(f"  at frame{number} of the crane" for number in range(20))
    for at in range(5):
        asked = says("Running.", call(f"c{at}", "bash", command=f"make part{at}"))
        session.record(
            [user(f"Try part {at}."), asked, gives(output(f"c{at}", f"CraneError after {at}.31 s\n{trace}"))]
        )
    session.record([user("What is a CraneError?"), says("A crane that stands still raises a CraneError, by design.")])
    found = session.search("CraneError", kind="message", limit=3)
    assert [one.alike for one in found if "CraneError after" in one.text] == [("m12", "m9", "m6", "m3")]
    assert [one.alike for one in session.search("CraneError", limit=2) if one.id == "x5"] == [("x1", "x2", "x3", "x4")]


def test_queries_of_the_same_words_share_an_answer_until_something_is_recorded(engine: Engine) -> None:
    session = recorded(engine)
    for query in ("ferry to Harlow", "Harlow ferry?", "the ferries, to Harlow!"):
        assert ids(session, query, 2) == ["m1", "m2"]
    assert (engine.cache_use()["queries"].hits, engine.cache_use()["queries"].misses) == (2, 1)
    session.record([user("Harlow ferry Harlow ferry")])
    assert ids(session, "Harlow ferry?", 1) == ["m9"]
    assert engine.cache_use()["queries"].misses == 2


def test_a_name_is_found_however_it_is_spelled(engine: Engine) -> None:
    session = recorded(engine)
    assert {"m3", "m5"} <= set(ids(session, "parse_timetable", 4))
    assert {"m3", "m5"} <= set(ids(session, "parse the timetable", 4))


def test_an_answer_is_found_by_the_words_of_its_question(engine: Engine) -> None:
    assert ids(recorded(engine), "ferry to Harlow", 2) == ["m1", "m2"]


def test_matches_are_numbered_and_weighed(engine: Engine) -> None:
    first, second = recorded(engine).search("ferry to Harlow", limit=2, kind="message")
    assert (first.id, first.messages) == ("m1", ("m1",))
    assert first.why["words"] == 1.0
    assert first.score == pytest.approx(sum(first.why.values()))
    assert second.score < first.score


@pytest.mark.parametrize("query", ["", "?!", "zeppelin"])
def test_a_query_that_nothing_belongs_to_finds_nothing(engine: Engine, query: str) -> None:
    assert ids(recorded(engine), query) == []
    assert ids(engine.session("nobody"), query) == []


def test_what_was_rolled_back_is_not_found(engine: Engine) -> None:
    session = recorded(engine)
    session.rollback()
    assert ids(session, "changelog") == []
    assert ids(session, "ferry", 1) == ["m1"]


def test_the_newest_version_is_found_and_no_older_one(engine: Engine) -> None:
    session = recorded(engine)
    new = session.edit("m1", "The tram to Harlow leaves at ten.")
    assert ids(session, "ferry") == []
    assert ids(session, "tram", 1) == [new]


def test_another_session_and_its_end_change_nothing(engine: Engine) -> None:
    session = recorded(engine)
    before = session.search("ferry timetable", limit=10, kind="message")
    recorded(engine, [user("ferry timetable ferry"), says("ferry"), user("timetable")], "other")
    assert session.search("ferry timetable", limit=10, kind="message") == before
    engine.purge(engine.session("other").info.key)
    assert session.search("ferry timetable", limit=10, kind="message") == before


def test_a_rebuilt_index_finds_the_same(engine: Engine) -> None:
    session = recorded(engine)
    session.edit("m1", "The tram to Harlow leaves at ten.")
    before = session.search("tram timetable", limit=10, kind="message")
    engine.rebuild(session.info)
    assert session.search("tram timetable", limit=10, kind="message") == before


def test_a_purged_session_is_not_found_under_its_name_again(engine: Engine) -> None:
    session = recorded(engine)
    engine.purge(session.info.key)
    again = recorded(engine, [user("A new start.")])
    assert ids(again, "ferry") == []
    assert ids(again, "start") == ["m1"]


def test_one_by_one_or_all_at_once_is_the_same(engine: Engine) -> None:
    whole, slowly = recorded(engine), engine.session("slowly")
    for message in TALK:
        slowly.record([message])
    for query in ("ferry", "parse timetable row", "last line fixed"):
        one, other = (session.search(query, limit=10, kind="message") for session in (slowly, whole))
        assert [(found.id, found.score) for found in one] == [(found.id, found.score) for found in other]


def test_every_store_ranks_alike(tmp_path: Path) -> None:
    found = []
    for url in (":memory:", str(tmp_path / "store.db")):
        with clew.open(url) as engine:
            session = engine.find(engine.import_file(sample())[0].session)
            found.append(
                [
                    session.search(query, limit=50, kind="message")
                    for query in ("tide test fails", "run the tests", "berth")
                ]
            )
    assert found[0] == found[1]
    assert all(found[0])


def test_after_a_salvage_the_index_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with clew.open(path) as engine:
        before = recorded(engine).search("ferry timetable", limit=10, kind="message")
    salvage(path)
    with clew.open(path) as engine:
        assert engine.session("talk").search("ferry timetable", limit=10, kind="message") == before
