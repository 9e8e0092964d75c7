"""What a summary lost of what was found, decided and done."""

from __future__ import annotations

from clew.domain import Message
from clew.summary_patch.focus import Focus
from clew.summary_patch.work_losses import work_losses
from clew.units.later_work import LaterWork
from tests.builders import says, user
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import gathered, numbered, summary_of, texts

REASON = "We keep `CartCache` in memory because the disk of `ci-runner` is read-only."


def lost(summary: str, *messages: Message, request: int = 0, contested: frozenset[int] = frozenset()) -> list[str]:
    held, later = summary_of(summary), LaterWork(numbered(*messages))
    focus = Focus(summary, held, ())
    units = gathered(*messages).units
    return texts(work_losses(units, held, focus, request=request, contested=contested, later=later))


def test_a_reason_that_is_lost_is_told_with_its_message() -> None:
    assert lost("Worked on the cart.", says(REASON)) == [f"m1 agent: {REASON}"]
    assert lost("`CartCache` stays in memory: the disk of `ci-runner` is read-only.", says(REASON)) == []


def test_guesses_and_plans_are_not_told() -> None:
    assert lost("Worked.", says("It might be `CartCache` because the disk of `ci-runner` is full.")) == []
    assert lost("Worked.", says("Actually, `CartCache` fails because the disk of `ci-runner` is full.")) == []
    assert lost("Worked.", says("Should `CartCache` move instead of the disk of `ci-runner`?")) == []
    assert lost("Worked.", says("I'll move `CartCache` instead of mending the disk of `ci-runner`.")) == []


def test_a_change_reported_before_the_newest_request_may_be_undone_by_now() -> None:
    done = says("Added a check of `CartCache` before line 42 of it.")
    assert lost("Worked.", done) == ["m1 agent: Added a check of `CartCache` before line 42 of it."]
    assert lost("2. Current Work: `CartCache`", done, user("Take it out."), request=2) == []


def test_a_fault_that_was_mended_since_is_not_told() -> None:
    fault = says("`round_tax` never rounds because its argument is missing in `cart.py`.")
    assert len(lost("Worked.", fault)) == 1
    told = lost("Worked.", fault, *edit_call("/shop/cart.py", "round_tax(1)", "round_tax(1, 2)"))
    assert [line for line in told if "agent:" in line] == []


def test_results_of_commands_are_told_unless_they_only_look_or_check() -> None:
    assert lost("Worked.", *tool_call("Bash", "moved 14 rows", command="./move_rows --all")) == [
        "m1 agent ran: `./move_rows --all` → moved 14 rows"
    ]
    assert lost("Worked.", *tool_call("Bash", "a.py b.py", command="ls")) == []
    assert lost("Worked.", *tool_call("Bash", "weird end", command="pytest -q")) == []


def test_of_a_command_that_was_run_again_the_last_run_is_told() -> None:
    first, second = (tool_call("Bash", f"packs: {count} in all", command="./count-packs -v") for count in (29, 31))
    assert lost("Worked.", *first, *second) == ["m3 agent ran: `./count-packs -v` → packs: 31 in all"]


def test_an_older_reason_fills_what_is_left_and_a_choice_is_worth_more() -> None:
    reason = says("The `CartCache` of the shop is kept in memory because `ci-runner` has no disk.")
    assert len(lost("2. Current Work: the `harbour` page", reason, user("Mend the `harbour` page."), request=2)) == 1
