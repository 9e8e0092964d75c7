"""The encoder hears in the background what recording did not, as an entry of its own, and never takes anything away."""

from __future__ import annotations

from dataclasses import replace

import pytest

import clew
from clew.config import Config, CriticalConfig
from clew.domain import Message
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import call, gives, output, says, user

pytest.importorskip("clew_encoder")
pytestmark = [pytest.mark.encoder, pytest.mark.stores("memory")]

#: Said without any word by which rules are known.
QUIET = "leave go.sum alone unless go mod tidy wrote it"
EARLIER = "We have no staging environment, everything goes straight to production."
LATER = "I deployed the new build to our staging environment on Friday and it looked fine there."


def recorded(engine: Engine, *messages: Message) -> Session:
    """Each message by itself, with all verdicts in before the next."""
    session = engine.session("s", model="gpt-5")
    for message in messages:
        session.record([message])
        engine.wait()
    return session


def texts(session: Session) -> list[str]:
    return [item.text for item in session.pins()]


def test_what_recording_did_not_hear_is_there_with_the_next_input(engine: Engine) -> None:
    session = recorded(engine, user(QUIET))
    before = texts(session)
    session.record([says("Noted."), user("Now the tests, please.")])
    assert (before, texts(session)) == ([], [QUIET])


def test_a_verdict_is_an_entry_and_outlives_the_encoder(engine: Engine) -> None:
    session = recorded(engine, user(QUIET), says("Noted."), user("Now the tests, please."))
    engine.rebuild(session.info)
    assert texts(session) == [QUIET]


def test_what_tools_say_is_never_read(engine: Engine) -> None:
    reads = call("c1", "Read", file_path="notes.md")
    session = recorded(
        engine, user("Look at the notes."), says(reads), gives(output("c1", QUIET)), says("Done."), user("Good.")
    )
    assert texts(session) == []


def test_a_contradiction_is_told_with_the_next_input(engine: Engine) -> None:
    session = recorded(engine, user(EARLIER), says("I see."), user(LATER), says("Fine."), user("Thanks."))
    assert [(one.earlier, one.later) for one in session.drift().contradictions] == [("m1", "m3")]


def test_it_can_be_switched_off() -> None:
    config = replace(Config(), critical=replace(CriticalConfig(), encoder=False))
    with clew.open(":memory:", config=config) as engine:
        assert texts(recorded(engine, user(QUIET), says("Noted."), user("Now the tests, please."))) == []
