"""Messages and notes that a client hands in."""

from __future__ import annotations

from typing import Any

import pytest

from clew.engine.engine import Engine
from tests.assistant_files import claude_file
from tests.builders import says, user
from tests.conftest import HandClock
from tests.unit.mcp_server.calls import answer, problem

pytestmark = pytest.mark.stores("memory")
TALK: list[dict[str, Any]] = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi."}]


def test_messages_start_a_session_and_are_stored_once(engine: Engine) -> None:
    assert answer(engine, "record_messages", messages=TALK, session="mine")["recorded"] == ["m1", "m2"]
    more = [*TALK, {"role": "user", "content": "Go on"}]
    done = answer(engine, "record_messages", messages=more, session="mine", format="openai-chat")
    assert (done["recorded"], done["messages"]) == (["m3"], 3)
    assert engine.find("mine").info.cwd == "/srv/shop"
    assert answer(engine, "get_context_health")["session"] == "mine"


def test_messages_that_the_transcript_has_as_well_count_once(engine: Engine, clock: HandClock) -> None:
    claude_file("s1", "Hello", at=clock.time)
    assert answer(engine, "record_messages", messages=TALK[:1])["recorded"] == []
    assert answer(engine, "get_context_health")["session"] == "s1"


def test_bad_messages_are_refused_whole(engine: Engine) -> None:
    said = "record_messages with a session id of your own"
    assert said in problem(engine, "record_messages", messages=TALK)
    assert "messages is empty" in problem(engine, "record_messages", messages=[], session="mine")
    assert "record them in turns" in problem(engine, "record_messages", messages=TALK * 600, session="mine")
    assert "valid dictionary" in problem(engine, "record_messages", messages=["hello"], session="mine")
    assert problem(engine, "record_messages", messages=[{"colour": "red"}], session="mine")
    assert "no format 'telex'" in problem(engine, "record_messages", messages=TALK, session="mine", format="telex")
    assert engine.infos() == []


def test_notes_on_the_turn_improve_its_digest(engine: Engine) -> None:
    session = engine.session("s1", cwd="/srv/shop")
    session.record([user("Make uploads retry, please."), says("On it.")])
    notes = {
        "response_header": "Uploads retry on errors",
        "context_summary": "send() retries three times.",
        "key_decisions": ["Retry on 5xx only"],
    }
    assert answer(engine, "report_housekeeping", model=notes)["accepted"] == ["turn"]
    session.record([says("Uploads retry now.")])
    trio = session.trio("x1")
    assert "send() retries three times." in trio.summary.text
    assert "Retry on 5xx only" in trio.summary.decisions


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "nothing is reported; give model, user or segments"),
        ({"model": {}}, "nothing is reported"),
        ({"model": {"mood": "good"}}, "Extra inputs are not permitted"),
        ({"model": {"context_summary": "x" * 100_000}}, "characters, more than"),
        ({"segments": [{"id": "x9", "summary": "It was fine."}]}, "no segment x9 in session s1"),
        ({"segments": [{"id": "x1"}]}, "Field required"),
        ({"segments": [{"id": "x1", "summary": "Fine."}] * 30}, "report in turns"),
    ],
)
def test_bad_notes_are_refused(engine: Engine, arguments: dict[str, Any], said: str) -> None:
    engine.session("s1", cwd="/srv/shop").record([user("Make uploads retry, please."), says("On it.")])
    assert said in problem(engine, "report_housekeeping", **arguments)
