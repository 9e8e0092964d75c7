"""Notes that a model reports by a call: they reach the digest of their segment, and a copy of the session has them."""

from __future__ import annotations

import pytest

from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import NotFound, UsageError
from clew.packing.story import render_story
from tests.builders import says, user


@pytest.fixture
def session(engine: Engine) -> Session:
    found = engine.session("s1")
    found.record([user("Make uploads retry, please."), says("They retry now."), user("And downloads?"), says("Next.")])
    return found


def test_notes_on_a_finished_segment_are_in_its_trio_and_survive_a_rebuild(engine: Engine, session: Session) -> None:
    session.channels.note({"model": {"context_summary": "send() retries three times."}}, segment="x1")
    assert "send() retries three times." in session.reader.trio("x1").summary.text
    assert "send() retries" not in session.reader.trio("x2").summary.text
    engine.rebuild(session.info)
    assert "send() retries three times." in session.reader.trio("x1").summary.text
    session.record([user("Thanks.")])
    assert "send() retries three times." in session.fork("s2").reader.trio("x1").summary.text


def test_notes_on_the_turn_hold_until_the_next_request(session: Session) -> None:
    session.channels.note({"model": {"context_summary": "Downloads are next."}})
    session.record([says("One moment.")])
    assert "Downloads are next." in session.reader.trio("x2").summary.text
    session.record([user("Stop."), says("Stopped.")])
    assert "Downloads are next." not in session.reader.trio("x3").summary.text


def test_what_is_no_note_is_refused_and_nothing_is_written(engine: Engine, session: Session) -> None:
    entries = session.info.entries
    with pytest.raises(UsageError, match="the notes are not taken: the block has an unknown key 'colour'"):
        session.channels.note({"colour": "red"})
    with pytest.raises(NotFound, match="no segment x9"):
        session.channels.note({"model": {"response_header": "All is done"}}, segment="x9")
    with pytest.raises(NotFound, match="has no messages"):
        engine.session("new").channels.note({"model": {"response_header": "All is done"}})
    assert session.info.entries == entries


def test_notes_on_the_newest_work_are_told_in_the_story_as_the_agents(session: Session) -> None:
    session.channels.note(
        {
            "model": {"context_summary": "Uploads retry, downloads do not.", "key_decisions": ["Three tries each"]},
            "user": {"understood_intent": "Make transfers robust"},
        }
    )
    told = render_story(session.story())
    for words in ("Uploads retry, downloads do not.", "Three tries each", "Make transfers robust"):
        assert f"agent: noted: {words}" in told or f"  noted: {words}" in told, told
    assert session.current_context().text == told
    session.record([one for at in range(4) for one in (user(f"Count to {at}, please."), says(f"{at}."))])
    assert "Uploads retry" not in render_story(session.story())
