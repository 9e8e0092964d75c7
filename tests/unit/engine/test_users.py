"""Whose a session is: who is named for it, and how the sessions of one user are listed, found and searched."""

from __future__ import annotations

from pathlib import Path

import pytest

import clew
from clew.config import Config
from clew.domain import SessionKey
from clew.domain.sessions import DEFAULT_USER
from clew.engine.engine import Engine
from clew.engine.session_branches import named_branch, new_branch
from clew.errors import NotFound, UsageError
from tests.builders import says, user
from tests.conftest import HandClock


def talk(engine: Engine, id: str, words: str, *, who: str | None = None) -> clew.Session:
    session = engine.session(id, user=who)
    session.record([user(words), says("Noted.")])
    return session


def ids(found: list[object]) -> list[str]:
    return sorted(f"{one.user}/{one.id}" for one in found)  # type: ignore[attr-defined]


@pytest.fixture
def three(engine: Engine) -> Engine:
    talk(engine, "talk", "The ferry leaves at nine.", who="ana")
    talk(engine, "talk", "The ferry leaves at ten.", who="ben")
    talk(engine, "alone", "The ferry leaves at noon.")
    return engine


def test_without_a_user_a_session_is_kept_as_before_and_named_for_nobody(engine: Engine) -> None:
    session = talk(engine, "one", "hello")
    assert session.key == SessionKey("default", "default", "one")
    assert (session.user, engine.find("one").user, engine.user) == ("", "", "")


def test_who_is_named_for_a_session_is_said_once(engine: Engine) -> None:
    early = engine.session("one")
    talk(engine, "one", "hello", who=DEFAULT_USER)
    assert early.user == engine.session("one").user == DEFAULT_USER
    other = engine.session("two", user=DEFAULT_USER)
    talk(engine, "two", "hello")
    assert (other.user, engine.session("two", user=DEFAULT_USER).user) == ("", "")


def test_lists_are_of_all_users_or_of_one(three: Engine) -> None:
    assert ids([*three.sessions()]) == ["/alone", "ana/talk", "ben/talk"]
    assert ids([*three.sessions(user="ana")]) == ["ana/talk"]
    assert ids([*three.sessions(user="carla")]) == []
    assert ids([*three.sessions(user=DEFAULT_USER)]) == []
    assert [info.key.id for info in three.infos(user="ben")] == ["talk"]


def test_an_id_of_several_users_is_an_error_that_names_them(three: Engine) -> None:
    with pytest.raises(UsageError, match=r"talk is there for 2 users, ana, ben; name one, as in user='ana'"):
        three.find("talk")
    with pytest.raises(UsageError, match="2 users, ana, ben"):
        three.find("ta")
    assert three.find("talk", user="ben").messages()[0].text == "The ferry leaves at ten."
    assert three.find("al").id == "alone"
    with pytest.raises(NotFound):
        three.find("alone", user="ana")


def test_the_latest_is_that_of_a_user_or_of_all(three: Engine) -> None:
    three.session("talk", user="ana").record([user("And back at four.")])
    assert three.find("latest").user == "ana"
    assert three.find("latest", user="ben").user == "ben"
    three.purge(three.key("talk", user="ana"))
    assert three.find("latest").id in {"talk", "alone"}
    with pytest.raises(NotFound):
        three.find("latest", user="ana")


def test_a_search_is_over_all_users_or_over_one(three: Engine) -> None:
    assert {one.user for one in three.search("ferry leaves")} == {"", "ana", "ben"}
    assert {one.user for one in three.search("ferry leaves", user="ana")} == {"ana"}


def test_a_user_is_named_by_a_text(engine: Engine) -> None:
    with pytest.raises(UsageError, match="give a string"):
        engine.session("one", user=7)  # type: ignore[arg-type]
    assert engine.session("one", user="").user == ""


def test_forks_and_branches_are_of_the_same_user(engine: Engine) -> None:
    for who in ("ana", None):
        session = talk(engine, "talk", "hello", who=who)
        made = [session.fork("copy"), new_branch(session, with_history=False), named_branch(session, "side")]
        for one in made:
            one.record([user("more")])
        assert {(one.key.user, one.user) for one in made} == {(session.key.user, session.user)}


def test_an_engine_for_one_user_sees_theirs_alone(three: Engine) -> None:
    ana = three.for_user("ana")
    talk(ana, "new", "The ferry is late.")
    assert ids([*ana.sessions()]) == ["ana/new", "ana/talk"]
    assert ana.find("talk").user == "ana"
    assert {one.user for one in ana.search("ferry")} == {"ana"}
    assert ids([*three.sessions(user="ana")]) == ["ana/new", "ana/talk"]


def test_the_settings_name_a_user(tmp_path: Path, clock: HandClock) -> None:
    with clew.open(tmp_path / "clew.db", config=Config(user="ana"), clock=clock) as engine:
        assert talk(engine, "one", "hello").user == "ana"
    with clew.open(tmp_path / "clew.db", config=Config(), clock=clock, person=DEFAULT_USER) as engine:
        assert talk(engine, "two", "hello").user == DEFAULT_USER
        assert ids([*engine.sessions()]) == ["ana/one", "default/two"]
    with clew.open(tmp_path / "clew.db", config=Config(user="ana"), clock=clock) as engine:
        assert ids([*engine.sessions()]) == ["ana/one"]


def test_a_file_is_imported_for_a_user_whatever_it_says(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text('{"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]}')
    for who in ("ana", "ben", None):
        (report,) = engine.import_file(file, session="talk", user=who)
        assert engine.session(report.session, user=who).user == (who or "")
    assert ids([*engine.sessions()]) == ["/talk", "ana/talk", "ben/talk"]
