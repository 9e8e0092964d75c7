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


def test_the_last_step_is_told_with_its_calls_and_earlier_ones_by_their_words() -> None:
    looked = [
        says("I need to add `zoneinfo` to the imports:", call("c", "Read", file_path="/shop/a.py")),
        gives(output("c", "import os")),
    ]
    found = says("The fault is in `zone_of`, which has no default.", call("c", "Read", file_path="/shop/b.py"))
    assert lost("Worked.", found, gives(output("c", "x")), *looked) == [
        "m3 agent: I need to add `zoneinfo` to the imports:\n→ Read a.py",
        "m1 agent: The fault is in `zone_of`, which has no default.",
    ]


def test_small_words_announcements_and_bare_edits_are_not_told() -> None:
    small = [says("All tests pass."), says("Let me look at the next one of these files:")]
    steps = [*small, *edit_call("/shop/a.py", "old()", "new_name = zone()"), *tool_call("Bash", "x", command="ls")]
    assert lost("Worked.", *steps, says("ok")) == []


def test_what_the_summary_tells_is_not_told_again() -> None:
    assert lost("Need to add `zoneinfo` to the imports.", says("I need to add `zoneinfo` to the imports:")) == []


def test_a_long_message_is_shortened_and_whole_for_a_patch_with_room() -> None:
    ways = [f"The package `harbour_{at}` needs `cart_{at}`." for at in range(20)]
    words = f"The imports form a cycle. {' '.join(ways)}"
    (line,) = newest_messages(numbered(says(words)), summary_of("Worked."), root="/shop")
    assert len(line.text) <= 600
    assert "[…]" in line.text
    assert line.longer == f"m1 agent: {words.strip()}"


def test_what_was_to_be_done_then_or_was_well_is_over() -> None:
    over = says("Good, we are back on the right branch. Also need to update the names of the fixtures in the tests.")
    found = says("The fault is in `zone_of`, which has no default.")
    later = [says("ok")] * 4
    assert lost("Worked.", over, found, *later) == ["m2 agent: The fault is in `zone_of`, which has no default."]
