"""The last steps before a summary."""

from __future__ import annotations

from clew.domain import Message
from clew.summary_patch.focus import Focus
from clew.summary_patch.last_steps import last_steps
from clew.units.gather import gather_units
from clew.units.unit import Unit
from tests.builders import call, gives, output, says, user
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import numbered, summary_of


def units(summary: str, *messages: Message, request: int = 0) -> list[Unit]:
    held, told = summary_of(summary), numbered(*messages)
    found = last_steps(
        told, gather_units(told, root="/shop").units, held, Focus(summary, held, ()), request=request, root="/shop"
    )
    return sorted(found, key=lambda unit: -unit.value)


def lost(summary: str, *messages: Message, request: int = 0) -> list[str]:
    return [unit.line for unit in units(summary, *messages, request=request)]


def search(pattern: str, answer: str) -> list[Message]:
    return tool_call("Grep", answer, pattern=pattern, path="src")


def test_what_a_search_found_is_told() -> None:
    assert lost("Worked.", *search("round_tax", "src/cart.py:12:x = round_tax(1)")) == [
        "m1 agent searched: `round_tax` in src → src/cart.py:12 x = round_tax(1)"
    ]


def test_the_wider_of_two_searches_for_the_same_is_told() -> None:
    wide, narrow = search("round_tax", "src/a.py\nsrc/b.py"), search("round_tax", "src/a.py")
    assert [line.partition(" ")[0] for line in lost("Worked.", *wide, *narrow)] == ["m1"]


def test_searches_that_are_done_again_as_quickly_are_left_out() -> None:
    assert lost("Worked.", *search("def round_tax", "src/cart.py:12:def round_tax(price):")) == []
    counted = lost("Worked.", *tool_call("Bash", "23", command="grep -r 'round_tax' src | wc -l"))
    assert counted == ["m1 → Bash `grep -r 'round_tax' src | wc -l`"]  # the last step, without what came of it
    assert lost("Worked.", *search("round_tax", 'logs/a.log:12:{"time": 1, "msg": "round_tax"}')) == []


def test_before_the_newest_request_only_searches_that_found_several_files_are_told() -> None:
    few, many = search("round_tax", "src/a.py"), search("round_fee", "src/a.py\nsrc/b.py\nsrc/c.py")
    told = lost("Worked.", *few, *many, user("Now something else."), request=5)
    assert [line.partition(" ")[0] for line in told] == ["m3"]


def test_what_the_agent_had_still_to_do_is_told() -> None:
    assert lost("Worked.", says("The tests pass. Need to add `zoneinfo` to the imports."))[0] == (
        'm1 agent, last words: "Need to add `zoneinfo` to the imports." (no call after that)'
    )
    assert lost("Worked.", says("All of it is done.")) == []


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
    (line,) = units("Worked.", says(words))
    assert len(line.text) <= 600
    assert "[…]" in line.text
    assert line.longer == f"m1 agent: {words.strip()}"


def test_what_was_to_be_done_then_or_was_well_is_over() -> None:
    over = says("Good, we are back on the right branch. Also need to update the names of the fixtures in the tests.")
    found = says("The fault is in `zone_of`, which has no default.")
    later = [says("ok")] * 4
    assert lost("Worked.", over, found, *later) == ["m2 agent: The fault is in `zone_of`, which has no default."]
