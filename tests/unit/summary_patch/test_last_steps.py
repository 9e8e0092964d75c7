"""The last steps before a summary."""

from __future__ import annotations

from clew.domain import Message
from clew.summary_patch.focus import Focus
from clew.summary_patch.last_steps import last_steps
from tests.builders import says, user
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import numbered, summary_of, texts, work_of


def lost(summary: str, *messages: Message, request: int = 0) -> list[str]:
    held = summary_of(summary)
    work = work_of(*messages)
    return texts(last_steps(numbered(*messages), work, held, Focus(summary, held, ()), request=request))


def search(pattern: str, answer: str) -> list[Message]:
    return tool_call("Grep", answer, pattern=pattern, path="src")


def test_what_a_search_found_is_told() -> None:
    assert lost("Worked.", *search("round_tax", "src/cart.py:12:x = round_tax(1)")) == [
        "m1 agent searched `round_tax` in src → src/cart.py:12 x = round_tax(1)"
    ]


def test_files_that_were_edited_since_are_left_out() -> None:
    found = search("round_tax", "/shop/src/a.py\n/shop/src/b.py\n/shop/src/c.py\n/shop/src/d.py")
    told = lost("Worked.", *found, *edit_call("/shop/src/a.py", "an old line here", "a new line here"))
    assert "m1 agent searched `round_tax` in src → in files not edited since: src/b.py; src/c.py; src/d.py" in told


def test_many_files_are_listed_by_name() -> None:
    answer = "\n".join(f"/shop/src/tax/module_{at}.py:{at}:    value = round_tax(price, {at})" for at in range(1, 30))
    (line,) = lost("Worked.", *search("round_tax", answer))
    assert line.startswith("m1 agent searched `round_tax` in src → 29 files in src/tax/: module_1.py, module_10.py, ")
    assert line.endswith(" more")


def test_all_files_are_there_for_a_patch_with_room() -> None:
    answer = "\n".join(f"/shop/src/tax/module_{at}.py:{at}:    value = round_tax(price, {at})" for at in range(1, 30))
    messages = search("round_tax", answer)
    held = summary_of("Worked.")
    (line,) = last_steps(numbered(*messages), work_of(*messages), held, Focus("Worked.", held, ()), request=0)
    assert line.longer.startswith(line.text.partition(": module")[0])
    assert line.longer.count("module_") == 29


def test_the_wider_of_two_searches_for_the_same_is_told() -> None:
    wide, narrow = search("round_tax", "src/a.py\nsrc/b.py"), search("round_tax", "src/a.py")
    assert [line.partition(" ")[0] for line in lost("Worked.", *wide, *narrow)] == ["m1"]


def test_searches_that_are_done_again_as_quickly_are_left_out() -> None:
    assert lost("Worked.", *search("def round_tax", "src/cart.py:12:def round_tax(price):")) == []
    assert lost("Worked.", *tool_call("Bash", "23", command="grep -r 'round_tax' src | wc -l")) == []
    assert lost("Worked.", *search("round_tax", 'logs/a.log:12:{"time": 1, "msg": "round_tax"}')) == []


def test_before_the_newest_request_only_searches_that_found_several_files_are_told() -> None:
    few, many = search("round_tax", "src/a.py"), search("round_fee", "src/a.py\nsrc/b.py\nsrc/c.py")
    told = lost("Worked.", *few, *many, user("Now something else."), request=5)
    assert [line.partition(" ")[0] for line in told] == ["m3"]


def test_what_the_agent_had_still_to_do_is_told() -> None:
    assert lost("Worked.", says("The tests pass. Need to add `zoneinfo` to the imports.")) == [
        'm1 agent, last words: "Need to add `zoneinfo` to the imports." (no call after that)'
    ]
    assert lost("Worked.", says("All of it is done.")) == []
