"""Which session a call means, and that it is up to date with the assistant's transcript."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import clew
from clew.config import Config
from clew.domain import SessionInfo
from clew.domain.sessions import DEFAULT_USER
from clew.engine.engine import Engine
from clew.mcp_server import sessions
from tests.assistant_files import WORK, claude_file, claude_line, codex_file, written
from tests.conftest import HandClock
from tests.unit.mcp_server.calls import answer, ask, problem

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]


def tell(engine: Engine, id: str, text: str, **about: str) -> None:
    engine.session(id, **about).record([clew.user(text)])


def test_without_a_name_it_is_the_newest_of_the_folder(engine: Engine, clock: HandClock) -> None:
    claude_file("old", "hello", at=clock.time - 9_000)
    codex_file("new", "hello", at=clock.time - 5_000)
    claude_file("elsewhere", "hello", folder="/srv/other", at=clock.time)
    tell(engine, "recorded", "hello", cwd=WORK)
    assert answer(engine, "get_context_health")["session"] == "recorded"
    clock.time += 10_000
    codex_file("new", "hello", at=clock.time)
    assert answer(engine, "get_context_health")["session"] == "new"
    assert engine.find("new").info.client == "codex"


def test_the_transcript_is_followed_as_it_grows_shrinks_and_is_replaced(engine: Engine, clock: HandClock) -> None:
    def known() -> list[str]:
        answer(engine, "get_context_health")
        return [message.text for message in engine.find("s1").messages()]

    path = claude_file("s1", "first", at=clock.time)
    assert known() == ["first"]
    claude_file("s1", "first", "second", at=clock.time + 1)
    assert known() == ["first", "second"]
    claude_file("s1", "first", at=clock.time + 2)
    assert known() == ["first", "second"]
    written(path.with_name("new"), [claude_line("third")], at=clock.time + 3).rename(path)
    assert known() == ["first", "second", "third"]
    path.write_bytes(b"\x7fELF" * 50)
    os.utime(path, (clock.time + 4, clock.time + 4))
    assert known() == ["first", "second", "third"]


def test_two_live_sessions_of_a_folder_are_named_and_asked_about(engine: Engine, clock: HandClock) -> None:
    claude_file("s1", "hello", at=clock.time - 3)
    codex_file("s2", "hello", at=clock.time - 8)
    said = problem(engine, "get_context_health")
    assert "2 sessions are live here: s1 (claude-code, 3 s ago); s2 (codex, 8 s ago)" in said
    assert "call again with session set to the id of yours" in said
    assert answer(engine, "get_context_health", session="s2")["session"] == "s2"
    assert "s2 (codex, 8 s ago, 'hello')" in problem(engine, "get_context_health")


def test_a_request_may_say_itself_which_of_them_it_comes_from(
    engine: Engine, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_WRITTEN_SECONDS", 0.0)
    claude_file("session-one", "call-12345", at=clock.time)
    claude_file("session-two", "hello", at=clock.time)
    told = ({"x-client": {"thread": "session-one"}}, {"turn": '{"id": "session-one"}'}, {"tool-use": "call-12345"})
    for meta in told:
        result = ask(engine, "get_context_health", meta=meta)
        assert (result.structured_content or {}).get("session") == "session-one"
    for meta in ({"other": "nothing-known-1"}, {"progressToken": "call-12345"}, {"mode": "session-two"}):
        assert ask(engine, "get_context_health", meta=meta).is_error == ("mode" not in meta)
    clock.time += 9_000
    claude_file("session-two", "hello", at=clock.time)
    result = ask(engine, "get_context_health", meta={"sessionId": "session-one"})
    assert (result.structured_content or {}).get("session") == "session-one"


def test_a_call_that_the_client_has_yet_to_write_down_is_waited_for(
    engine: Engine, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claude_file("s1", "hello", at=clock.time)
    claude_file("s2", "hello", at=clock.time)

    def written_meanwhile(_seconds: float) -> None:
        claude_file("s1", "hello", "call-12345", at=clock.time)

    monkeypatch.setattr(sessions, "sleep", written_meanwhile)
    result = ask(engine, "get_context_health", meta={"tool-use": "call-12345"})
    assert (result.structured_content or {}).get("session") == "s1"
    assert "call-12345" in path.read_text()


def test_what_is_named_and_what_is_not_there(engine: Engine, clock: HandClock) -> None:
    claude_file("s1-abc", "hello", folder="/srv/other", at=clock.time)
    assert answer(engine, "get_context_health", session="s1-abc")["session"] == "s1-abc"
    assert answer(engine, "get_context_health", session="s1")["session"] == "s1-abc"
    assert "no session in /srv/shop yet; name one of" in problem(engine, "get_context_health")
    for name in ("unknown", "../s1-abc", "x\x00y", "-"):
        assert "take an id of the resource clew://sessions" in problem(engine, "get_context_health", session=name)
    assert "at most 200 characters" in problem(engine, "get_context_health", session="x" * 10_000)


def test_a_session_in_which_nobody_has_spoken_is_passed_over(engine: Engine, clock: HandClock) -> None:
    claude_file("s1", "hello", at=clock.time - 5_000)
    claude_file("empty", at=clock.time)
    assert answer(engine, "get_context_health")["session"] == "s1"


def test_a_session_of_another_user_is_not_there(store_url: Path | str, clock: HandClock) -> None:
    with clew.open(store_url, config=Config(), clock=clock) as engine:
        engine.session("theirs", user="mallory").record([clew.user("a secret of mallory")])
        assert "no session 'theirs'" in problem(engine, "search_context", query="secret", session="theirs")


def test_a_handle_is_kept_from_call_to_call_until_the_session_is_purged(engine: Engine, clock: HandClock) -> None:
    finder = sessions.SessionFinder(engine, None)
    asked = sessions.Asked(name="a")
    tell(engine, "a", "first")
    kept = finder.find(asked)
    tell(engine, "a", "second")
    assert finder.find(asked) is kept
    assert [message.text for message in kept.messages()] == ["first", "second"]
    for number in range(sessions._MOST_KEPT):
        tell(engine, f"other-{number}", "hello")
        finder.find(sessions.Asked(name=f"other-{number}"))
    assert (again := finder.find(asked)) is not kept
    engine.purge(engine.key("a"))
    clock.time += 1
    tell(engine, "a", "third")
    assert finder.find(asked) is not again
    assert [segment.exchange for segment, _ in finder.find(asked).reader.outline()] == [1]


def test_a_search_over_all_finds_nothing_of_others_or_of_nobody(engine: Engine) -> None:
    said = {"mine": DEFAULT_USER, "theirs": "mallory"}
    for id, who in said.items():
        engine.session(id, user=who).record([clew.user(f"The heron of {id} sleeps."), clew.assistant("Yes.")])
    stranger = SessionInfo(key=engine.key("customer"), created=1.0)
    engine.store.save_session(stranger)
    engine.session("customer").record([clew.user("The heron of customer sleeps."), clew.assistant("Yes.")])
    found = answer(engine, "search_context", query="heron sleeps", scope="all", session="mine")
    assert "mine" in str(found)
    assert [id for id in ("theirs", "customer") if id in str(found)] == []
