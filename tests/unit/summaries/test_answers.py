"""The summary is found in an answer however it is wrapped, and only where it is whole."""

from __future__ import annotations

import pytest

from clew.ports import Said
from clew.summaries.answers import summary_in
from clew.summaries.values import Unfit

BARE = "## Overview\n- a\n## Progress\n- b\n## Continuation plan\n- c"


@pytest.mark.parametrize(
    "text",
    [
        f"<analysis>hm</analysis>\n<summary>\n{BARE}\n</summary>",
        f"<summary>{BARE}</summary>",
        f"<SUMMARY kind='x'>\n{BARE}\n</Summary >\nThat is all.",
        f"<summary>\n```markdown\n{BARE}\n```\n</summary>",
        f"<think>the <summary> goes here</think>\n<analysis>hm</analysis><summary>{BARE}</summary>",
        f"<analysis>I will write <summary> tags</analysis><summary>{BARE}</summary>",
        f"<summary>\n{BARE}",
        f"<analysis>hm</analysis>\n{BARE}",
        f"```\n{BARE}\n```",
    ],
)
def test_a_summary_is_found(text: str) -> None:
    assert summary_in(Said(text)) == BARE


def test_a_summary_that_closes_before_the_limit_is_whole() -> None:
    assert summary_in(Said(f"<summary>{BARE}</summary>\nand so", "length")) == BARE


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Said("", "refusal"), "it declined to write a summary"),
        (Said("I cannot help with that.", "refusal"), "it declined to write a summary"),
        (Said("", "calls", ("read",)), "it called a tool instead of writing a summary"),
        (Said(f"<summary>{BARE}", "length"), "it reached its limit before the summary was complete"),
        (Said(f"<summary>{BARE}", "other"), "it stopped for an unknown reason before the summary was complete"),
        (Said(BARE, "length"), "it reached its limit before the summary was complete"),
        (Said("<analysis>only thoughts, cut"), "it is empty"),
        (Said("   "), "it is empty"),
        (Said("Sure! What shall I do next?"), "it holds no summary"),
    ],
)
def test_what_is_no_whole_summary_is_refused_with_the_reason(said: Said, reason: str) -> None:
    with pytest.raises(Unfit) as refused:
        summary_in(said)
    assert str(refused.value) == reason
