"""The patch of a summary: what it lost, within the budget, once."""

from __future__ import annotations

from tests.builders import says, user
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import patch

WORK = [
    user("Round every tax to two decimals."),
    *tool_call("Bash", "[ana/tax 1a2b3c4] Round the total", command="git commit -am x"),
    says("We keep `CartCache` in memory because the disk of `ci-runner` is read-only."),
    *edit_call("/shop/cart.py", "a line of it", "another_line = of_it()"),
]


def test_a_patch_tells_what_was_lost_and_where_it_comes_from() -> None:
    found = patch("Rounded every tax to two decimals; tests are next.", *WORK)
    assert found.text.split("\n") == [
        "Missing from the summary above, by the session's records (`clew show s m12` shows message m12):",
        "State in the records:",
        "- branch ana/tax (m3)",
        "- no commit seen since the edits of: cart.py",
        "- no build or test run since the edits of cart.py (m6)",
        "- commits: 1a2b3c4 Round the total (m3)",
        "- no push seen",
        "Where files were changed:",
        "- cart.py (m5): `another_line = of_it()`",
        "Last steps:",
        "- m4 agent: We keep `CartCache` in memory because the disk of `ci-runner` is read-only.",
    ]
    assert found.items == ("m3", "m4", "m5", "m6")


def test_a_summary_that_lacks_nothing_needs_no_patch() -> None:
    found = patch("Round every tax to two decimals.", user("Round every tax to two decimals."))
    assert (found.text, found.tokens, found.items) == ("", 0, ())


def test_the_budget_is_a_hard_cap() -> None:
    sizes = [patch("Nothing.", *WORK, budget=budget) for budget in range(1, 120, 7)]
    assert all(found.tokens <= budget for found, budget in zip(sizes, range(1, 120, 7), strict=True))
    assert sizes[0].text == ""
    assert sizes[-1].text


def test_the_same_input_gives_the_same_bytes() -> None:
    assert patch("Nothing.", *WORK) == patch("Nothing.", *WORK)
