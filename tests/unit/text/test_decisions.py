"""Decisions are known by their wording, and announcements are none."""

from __future__ import annotations

import pytest

from clew.text.decisions import (
    ASSISTANT_DECIDES,
    DECIDED_TO,
    DECIDES_NOTHING,
    GOING_WITH,
    MENTIONS_DECISION,
    NOT_NEEDED,
    PERSON_DECIDES,
    WILL_FOLLOW,
)
from clew.text.phrases import has_match


@pytest.mark.parametrize(
    "text", ["Keep the old format", "let’s go with SQLite", "We should not retry", "I'd prefer tabs"]
)
def test_a_person_decides(text: str) -> None:
    assert PERSON_DECIDES.search(text)


@pytest.mark.parametrize("text", ["I'll go with a queue", "I've switched to tabs", "The root cause is the cache"])
def test_an_assistant_decides(text: str) -> None:
    assert ASSISTANT_DECIDES.search(text)


@pytest.mark.parametrize("text", ["Let me use the grep tool", "Would you like me to use tabs?", "We could keep it"])
def test_announcing_and_weighing_decide_nothing(text: str) -> None:
    assert DECIDES_NOTHING.search(text)


@pytest.mark.parametrize(
    "text", ["they decided on it", "wir haben entschieden", "toujours ainsi", "必须使用", "решили так"]
)
def test_a_summary_mentions_a_decision_in_any_of_several_languages(text: str) -> None:
    assert MENTIONS_DECISION.search(text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (DECIDED_TO, "we've decided to use postgres"),
        (GOING_WITH, "we're going with postgres"),
        (WILL_FOLLOW, "i'll stick to this plan"),
        (NOT_NEEDED, "no need for backwards compatibility"),
    ],
)
def test_what_binds_from_then_on_is_found(pattern: str, text: str) -> None:
    assert has_match(pattern, text)
