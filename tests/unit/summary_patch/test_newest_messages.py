"""The newest messages fill what a patch has left."""

from __future__ import annotations

from clew.domain import Message
from clew.summary_patch.newest_messages import newest_messages
from tests.builders import call, gives, output, says
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import numbered, summary_of


def lost(summary: str, *messages: Message) -> list[str]:
    found = newest_messages(numbered(*messages), summary_of(summary), root="/shop")
    return [line.text for line in sorted(found, key=lambda line: -line.value)]


def test_words_and_changes_are_told_and_bare_looks_are_not() -> None:
    looked = [
        says("I need to add `zoneinfo`:", call("c", "Read", file_path="/shop/a.py")),
        gives(output("c", "import os")),
    ]
    steps = [*edit_call("/shop/a.py", "old()", "new_name = zone()"), *tool_call("Bash", "x", command="ls"), *looked]
    assert lost("Worked.", *steps) == [
        "m5 agent: I need to add `zoneinfo`:\n→ Read a.py",
        "m1 → Edit a.py + new_name = zone()",
    ]


def test_what_the_summary_tells_is_not_told_again() -> None:
    assert lost("Still need to add `zoneinfo`.", says("I need to add `zoneinfo`:")) == []
