"""Each rule about what a message holds, on the smallest history that needs it."""

from __future__ import annotations

from clew.history.repair.rules import repair_history
from tests.builders import gives, output, says, thinks, user


def test_blank_texts_and_empty_messages_leave() -> None:
    history, repairs = repair_history([user("go"), says("  \n"), says("x", ""), user()])
    assert history == (user("go"), says("x"))
    assert {repair.rule for repair in repairs} == {"no-empty-text"}


def test_reasoning_that_led_to_nothing_leaves() -> None:
    history, _ = repair_history([user("go"), says(thinks("hm", "sealed")), user("and?")])
    assert history == (user("go"), user("and?"))


def test_sealed_reasoning_before_the_first_repair_stays_and_after_it_goes() -> None:
    kept, lost = thinks("a", "s1"), thinks("b", "s2")
    history, _ = repair_history([says(kept, "one"), gives(output("ghost")), says(lost, "two")])
    assert history == (says(kept, "one"), says("two"))
