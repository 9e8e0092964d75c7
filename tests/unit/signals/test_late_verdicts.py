"""A verdict may come long after the words it is about: items are then as if it had come at once."""

from __future__ import annotations

import pytest

from clew.domain import EntryKind
from clew.domain.critical import ItemState, Scope
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import says, user
from tests.verdicts import deny, hear

pytestmark = pytest.mark.stores("memory")


def talk(engine: Engine, *said: str) -> Session:
    session = engine.session("s", model="gpt-5")
    for text in said:
        session.record([user(text), says("Fine.")])
    return session


def states(session: Session) -> dict[str, ItemState]:
    return {item.text: item.state for item in session.pins(all=True)}


def test_words_heard_late_do_not_take_the_place_of_later_ones(engine: Engine) -> None:
    session = talk(engine, "tabs, as ever", "Always use spaces for indentation.")
    before = {item.text: item.id for item in session.pins()}
    hear(session, "Always use tabs for indentation.", "m1")
    found = {item.text: item for item in session.pins(all=True)}
    assert found["Always use tabs for indentation."].state is ItemState.SUPERSEDED
    assert {item.text: item.id for item in session.pins()} == before


def test_a_rule_that_was_taken_back_since_is_not_in_force(engine: Engine) -> None:
    session = talk(engine, "the changelog, as ever", "Forget the rule about the changelog.", "Go on.")
    hear(session, "Always update the changelog.", "m1")
    assert states(session) == {"Always update the changelog.": ItemState.UNPINNED}


def test_a_rule_for_a_task_that_is_over_makes_no_item(engine: Engine) -> None:
    session = talk(engine, "not the tests", "Now the page.", "Now the server.", "Now the build.")
    hear(session, "Do not touch the tests here.", "m1", scope=Scope.TASK)
    hear(session, "Do not touch the docs here.", "m3", scope=Scope.TASK)
    assert states(session) == {"Do not touch the docs here.": ItemState.PINNED}


def test_what_later_words_say_as_well_is_no_second_item(engine: Engine) -> None:
    session = talk(engine, "tests first", "Always run the tests before you commit.", "Never push to main.")
    before = session.pins(all=True)
    hear(session, "Always run the tests before you commit.", "m1")
    assert [item.id for item in session.pins(all=True)] == [item.id for item in before]


def test_what_a_person_unpinned_stays_so_when_it_is_read_again(engine: Engine) -> None:
    session = talk(engine, "Always run the tests before you commit.", "Never push to main.")
    session.unpin("p1")
    hear(session, "Always run the tests before you commit.", "m1")
    assert states(session)["Always run the tests before you commit."] is ItemState.UNPINNED


def test_what_was_proposed_is_pinned_by_a_surer_reading(engine: Engine) -> None:
    session = talk(engine, "tests first", "Never push to main.", "Go on.")
    hear(session, "Run the tests first.", "m1", doubtful=True)
    hear(session, "Run the tests first.", "m1")
    assert states(session) == {"Never push to main.": ItemState.PINNED, "Run the tests first.": ItemState.PINNED}


def test_a_rebuild_gives_the_same_items(engine: Engine) -> None:
    session = talk(engine, "tabs, as ever", "Always use spaces for indentation.", "Never push to main.")
    hear(session, "Always use tabs for indentation.", "m1")
    before = session.pins(all=True)
    engine.rebuild(session.info)
    assert session.pins(all=True) == before


def test_what_was_heard_late_goes_with_its_exchange(engine: Engine) -> None:
    session = talk(engine, "Never push to main.", "tabs, as ever", "Go on.")
    hear(session, "Always use tabs for indentation.", "m3")
    session.rollback(2)
    assert states(session) == {"Never push to main.": ItemState.PINNED}


TABS, SPACES = "Always use tabs for indentation.", "Always use spaces for indentation."


def test_words_that_are_not_meant_to_last_are_in_force_no_longer(engine: Engine) -> None:
    session = talk(engine, TABS, "Never push to main.")
    deny(session, TABS, "m1")
    assert states(session) == {TABS: ItemState.UNPINNED, "Never push to main.": ItemState.PINNED}
    engine.rebuild(session.info)
    assert states(session) == {TABS: ItemState.UNPINNED, "Never push to main.": ItemState.PINNED}


def test_what_they_replaced_holds_again(engine: Engine) -> None:
    session = talk(engine, TABS, SPACES)
    assert states(session) == {TABS: ItemState.SUPERSEDED, SPACES: ItemState.PINNED}
    deny(session, SPACES, "m3")
    assert states(session) == {TABS: ItemState.PINNED, SPACES: ItemState.UNPINNED}


@pytest.mark.parametrize("again", [True, False])
def test_words_that_were_said_again_or_pinned_by_hand_stay(engine: Engine, again: bool) -> None:
    session = talk(engine, TABS, "Always use tabs for indentation, please." if again else "Go on.")
    if not again:
        session.pin(TABS, message="m1")
    deny(session, TABS, "m1")
    assert states(session) == {TABS: ItemState.PINNED}


@pytest.mark.parametrize("damaged", [{}, {"denied": 4}, {"denied": [{"text": "x"}]}, {"denied": ["x"]}])
def test_a_verdict_that_cannot_be_read_ends_nothing(engine: Engine, damaged: dict[str, object]) -> None:
    session = talk(engine, TABS)
    session._ledger.append(EntryKind.PIN, {"verdict": damaged})
    assert states(session) == {TABS: ItemState.PINNED}
