"""The profile: learned from all sessions of a user, each item with its source and time; recent and explicit wins."""

from __future__ import annotations

from pathlib import Path

import pytest

import clew
from clew.config import Config, CriticalConfig
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import NotFound
from tests.builders import call, gives, output, says, user
from tests.conftest import HandClock
from tests.lines import jsonl, line

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]

TABS, SPACES = "I prefer tabs over spaces.", "Actually I now prefer spaces over tabs."


def talk(engine: Engine, id: str, *words: str, who: str = "ana") -> Session:
    session = engine.session(id, user=who)
    for text in words:
        session.record([user(text), says("Done.")])
    return session


def shown(engine: Engine, who: str = "ana") -> list[tuple[str, str]]:
    return [(item.text, item.source) for item in engine.profile(who).show()]


def test_items_name_session_message_and_time(engine: Engine, clock: HandClock) -> None:
    talk(engine, "one", "Hello.", "I live in Lisbon. What time is it in Tokyo?")
    (item,) = engine.profile("ana").show()
    assert (item.text, item.source, item.created) == ("I live in Lisbon.", "one m3", clock.now())


def test_the_later_word_wins_over_all_sessions(engine: Engine) -> None:
    talk(engine, "one", TABS, "I live in Lisbon.")
    talk(engine, "two", SPACES, "I live in Berlin now.")
    assert shown(engine) == [(SPACES, "two m1"), ("I live in Berlin now.", "two m3")]


def test_what_was_said_earlier_does_not_win_because_it_is_read_later(engine: Engine, tmp_path: Path) -> None:
    talk(engine, "one", SPACES)
    path = tmp_path / "old.jsonl"
    path.write_bytes(jsonl([line(1, "user", TABS)]))
    old = engine.find(engine.import_file(path)[0].session)
    talk(engine, "mine", SPACES, who=old.key.user)
    old.learn_profile()
    assert [text for text, _ in shown(engine, old.key.user)] == [SPACES]


def test_an_import_is_learned_from_when_somebody_says_whose_it_is(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(jsonl([line(1, "user", TABS)]))
    session = engine.find(engine.import_file(path)[0].session)
    assert engine.profile().show() == []
    session.learn_profile()
    session.learn_profile()
    assert [item.text for item in engine.profile().show()] == [TABS]


def test_what_was_set_by_hand_holds_against_what_is_heard(engine: Engine) -> None:
    engine.profile("ana").set(TABS)
    talk(engine, "one", SPACES)
    assert shown(engine) == [(TABS, "")]
    engine.profile("ana").set(SPACES)
    assert shown(engine) == [(SPACES, "")]


def test_an_item_is_edited_in_its_place(engine: Engine) -> None:
    session = talk(engine, "one", "I live in Lisbon.")
    item = engine.profile("ana").set("I live near Lisbon.", id="p1", kind="custom")
    assert (item.id, item.source, item.kind) == ("p1", "", "custom")
    session.learn_profile()
    assert shown(engine) == [("I live near Lisbon.", "")]
    with pytest.raises(NotFound, match="no item p9"):
        engine.profile("ana").set("x", id="p9")


def test_what_is_forgotten_does_not_come_back_from_the_same_message(engine: Engine) -> None:
    session = talk(engine, "one", f"{TABS} I live in Lisbon.")
    talk(engine, "two", "In all my projects I prefer tabs over spaces.")
    engine.profile("ana").forget("p1")
    engine.rebuild(session.info)
    for id in ("one", "two"):
        engine.session(id, user="ana").learn_profile()
    assert shown(engine) == [("I live in Lisbon.", "one m1")]
    talk(engine, "three", TABS)
    assert ("p3", TABS) in [(item.id, item.text) for item in engine.profile("ana").show()]


def test_what_is_taken_back_leaves_the_profile(engine: Engine) -> None:
    talk(engine, "one", "Never show me Java code, I hate it.")
    assert len(shown(engine)) == 1
    talk(engine, "two", "Hello.", "Forget the rule about showing me Java code.")
    assert shown(engine) == []


def test_nothing_comes_from_tools_assistants_or_parts_that_are_played(engine: Engine) -> None:
    session = engine.session("one", user="ana")
    session.record([user("Read it."), says("Reading.", call("c1", "Read", file_path="a.txt"))])
    session.record([gives(output("c1", "I live in Oslo. I always use Java.")), says("I am a nurse and I prefer tabs.")])
    session.record([user("Let's role-play, you are the narrator."), says("Once …")])
    session.record([user("I live on a ship and I hate the navy."), says("Aye.")])
    assert shown(engine) == []
    session.record([user("Stop the game. I live in Porto."), says("Yes.")])
    assert [text for text, _ in shown(engine)] == ["I live in Porto."]


def test_without_the_switch_nothing_is_learned() -> None:
    with clew.open(":memory:", config=Config(critical=CriticalConfig(profile=False)), person="default") as engine:
        talk(engine, "one", TABS).learn_profile()
        assert shown(engine) == []


def test_an_item_of_a_project_reaches_its_sessions_alone(engine: Engine) -> None:
    profile = engine.profile("ana")
    inside = engine.session("inside", user="ana", cwd="/home/ana/harbor/src")
    named = engine.session("named", user="ana", project="harbor")
    outside = engine.session("outside", user="ana", cwd="/home/ana/other")
    item = profile.set("Prices are in euros.", project="harbor")
    assert [[one.text for one in session.pins()] for session in (inside, named, outside)] == [
        ["Prices are in euros."],
        ["Prices are in euros."],
        [],
    ]
    assert profile.set("Prices are in euros.").id != item.id
    assert [one.text for one in outside.pins()] == ["Prices are in euros."]
    assert profile.forget(item.id) == item
