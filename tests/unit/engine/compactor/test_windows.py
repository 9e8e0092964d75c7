"""Compacting by hand in windows of several sizes, and sessions of several shapes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import clew
from clew.compaction.presets import PRESETS
from clew.config import CompactionConfig, Config
from clew.domain import Message
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import call, gives, output, says, user
from tests.effort import first


def by_hand(preset: str) -> Config:
    return replace(Config(), compaction=replace(CompactionConfig(), auto=False, preset=preset))


def talk(window: int) -> list[Message]:
    """Short messages that fill some 84 % of a window."""
    pairs = ((user(f"{at} question " + "x " * 24), says(f"{at} answer " + "y " * 24)) for at in range(window // 105))
    return [message for pair in pairs for message in pair]


BY_HAND = by_hand("balanced")
WORDS = " ".join(f"n{at}" for at in range(1_700))
#: Sessions that fill some 84 % of a window of 8,000 tokens.
NEARLY_FULL: dict[str, list[Message]] = {
    "a giant reply": [user("Read it."), says(WORDS)],
    "a giant request": [user(WORDS), says("Done.")],
    "a giant output": [user("Read it."), says(call("c1")), gives(output("c1", WORDS))],
    "many small": [message for at in range(90) for message in (user(f"Question {at}?" * 4), says(f"Answer {at}." * 8))],
    "many outputs": [
        message
        for at in range(12)
        for message in (says(call(f"c{at}")), gives(output(f"c{at}", WORDS[at * 600 : (at + 1) * 600])))
    ],
}


@pytest.mark.parametrize("shape", first(NEARLY_FULL, 2))
def test_a_compaction_by_hand_frees_something_or_says_what_would(shape: str) -> None:
    with clew.open(":memory:", config=BY_HAND) as engine:
        session = engine.session("s", model="claude-sonnet-4-5", window=8_000)
        session.record(NEARLY_FULL[shape])
        done = session.compact()
        if not done.undo:
            budget = int(re.findall(r"a budget of ([\d,]+)", done.reason)[0].replace(",", ""))
            done = session.compact(budget=budget)
            assert done.after.tokens <= budget
        assert done.undo
        assert done.after.tokens <= 0.9 * done.before.tokens


@pytest.mark.parametrize("preset", [*PRESETS])
@pytest.mark.parametrize("window", first([8_000, 16_000]))
def test_by_hand_every_preset_does_in_a_nearly_full_window_what_the_next_pack_does(preset: str, window: int) -> None:
    with clew.open(":memory:", config=by_hand(preset)) as engine:
        session = recorded(engine, window)
        assert session.health().utilization > 0.7
        done = session.compact()
        assert done.undo
        assert done.after.tokens <= session.limit() / 2
        assert session.pack(None, target="anthropic").tokens == done.after.tokens
        session.undo()
        kept = session.compact(keep_recent=10)
        assert kept.preserved["recent_messages"] == 10
        assert kept.after.tokens <= session.limit() / 2


@pytest.mark.parametrize("window", first([8_000, 16_000, 28_000]))
def test_roomier_presets_leave_more(window: int) -> None:
    left = {}
    for preset in PRESETS:
        with clew.open(":memory:", config=by_hand(preset)) as engine:
            left[preset] = recorded(engine, window).compact().after.tokens
    assert left["balanced"] < left["roomy"] < left["late"]


def recorded(engine: Engine, window: int) -> Session:
    session = engine.session("s", model="claude-sonnet-4-5", window=window)
    session.record(talk(window))
    return session


@pytest.mark.parametrize(
    ("preset", "window"),
    first([("late", 8_000), ("balanced", 200_000), ("roomy", 16_000), ("balanced", 8_000), ("thrifty", 32_000)], 2),
)
def test_ten_newest_messages_stay_where_they_fit(preset: str, window: int) -> None:
    with clew.open(":memory:", config=by_hand(preset)) as engine:
        session = engine.session("s", model="claude-sonnet-4-5", window=window)
        words = "word " * (window // 400)
        session.record([one for at in range(60) for one in (user(f"{at} {words}"), says(f"Answer {at} {words}"))])
        session.compact(keep_recent=10)
        sections = session.pack(None, record=False, target="anthropic").sections
    assert [len(one.sources) for one in sections if one.name == "messages"] == [10]
