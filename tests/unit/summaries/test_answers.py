"""The summary is found in an answer however it is wrapped, and only where it is whole."""

from __future__ import annotations

import pytest

from clew.ports import ModelReply
from clew.summaries.answers import summary_in
from clew.summaries.values import UnfitSummary

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
    assert summary_in(ModelReply(text)) == BARE


def test_a_summary_that_closes_before_the_limit_is_whole() -> None:
    assert summary_in(ModelReply(f"<summary>{BARE}</summary>\nand so", "length")) == BARE


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (ModelReply("", "refusal"), "it declined to write a summary"),
        (ModelReply("I cannot help with that.", "refusal"), "it declined to write a summary"),
        (ModelReply("", "calls", ("read",)), "it called a tool instead of writing a summary"),
        (ModelReply(f"<summary>{BARE}", "length"), "it reached its limit before the summary was complete"),
        (ModelReply(f"<summary>{BARE}", "other"), "it stopped for an unknown reason before the summary was complete"),
        (ModelReply(BARE, "length"), "it reached its limit before the summary was complete"),
        (ModelReply("<analysis>only thoughts, cut"), "it is empty"),
        (ModelReply("   "), "it is empty"),
        (ModelReply("Sure! What shall I do next?"), "it holds no summary"),
    ],
)
def test_what_is_no_whole_summary_is_refused_with_the_reason(said: ModelReply, reason: str) -> None:
    with pytest.raises(UnfitSummary) as refused:
        summary_in(said)
    assert str(refused.value) == reason
