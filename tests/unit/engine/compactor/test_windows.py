"""Compacting by hand in windows of several sizes, and sessions of several shapes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import clew
from clew.config import CompactionConfig, Config
from clew.domain import Message
from tests.builders import call, gives, output, says, user
from tests.effort import first

BY_HAND = replace(Config(), compaction=replace(CompactionConfig(), auto=False))
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


@pytest.mark.parametrize("window", first([8_000, 200_000, 16_000, 32_000], 2))
def test_ten_newest_messages_stay_where_they_fit(window: int) -> None:
    with clew.open(":memory:", config=BY_HAND) as engine:
        session = engine.session("s", model="claude-sonnet-4-5", window=window)
        words = "word " * (window // 400)
        session.record([one for at in range(60) for one in (user(f"{at} {words}"), says(f"Answer {at} {words}"))])
        session.compact(keep_recent=10)
        sections = session.pack(None, record=False, target="anthropic").sections
    assert [len(one.sources) for one in sections if one.name == "messages"] == [10]
