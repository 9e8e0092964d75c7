from __future__ import annotations

from pathlib import Path

import pytest

from clew.hooks.deliveries import SUMMARY, kept_text
from clew.hooks.event import Event
from clew.hooks.subagent_stop import answer
from tests.hook_events import subagent_stop

PATH = Path("/x/s1.jsonl")


@pytest.mark.parametrize(
    ("said", "agent_type", "kept"),
    [
        ("<analysis>long</analysis>\n<summary>\n1. Export.\n</summary>", "", "1. Export."),
        ("<summary>cut off", "", "cut off"),
        ("I have found it.", "", ""),
        ("<summary>of a file</summary>", "general-purpose", ""),
    ],
)
def test_only_the_words_of_the_summariser_are_kept(said: str, agent_type: str, kept: str) -> None:
    event = Event("claude-code", "SubagentStop", subagent_stop(PATH, said, agent_type=agent_type))
    assert answer(event) == ""
    assert kept_text(SUMMARY, "s1") == kept
