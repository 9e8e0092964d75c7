"""What the agent reported comes in whole pieces, the telling ones first."""

from __future__ import annotations

from clew.domain import Message
from clew.units.report_units import ProsePlace, agent_units, announces, subagent_units
from clew.units.terms import TermUse
from clew.units.unit import Speaker
from tests.builders import says, thinks

NOBODY = TermUse(())
MIDST, FINAL = ProsePlace(10, 20, 5, False), ProsePlace(10, 20, 5, True)


def values(message: Message, place: ProsePlace = MIDST) -> dict[str, float]:
    return {unit.text: unit.value for unit in agent_units(message, place, NOBODY)}


def test_announcements_say_nothing_once_what_came_is_known() -> None:
    assert announces("Let me check how the parser works.")
    assert announces("Perfect!")
    assert not announces("I'll keep the old name because clients rely on it.")
    assert list(values(says("Let me look at the cart.\n\nThe total was read before the items were loaded."))) == [
        "The total was read before the items were loaded."
    ]


def test_a_reason_is_worth_more_than_a_remark() -> None:
    found = values(says("The lock is held because nobody closes it.\n\nThis is the second file of the module."))
    assert found["The lock is held because nobody closes it."] > found["This is the second file of the module."]


def test_the_last_words_before_a_person_speaks_are_worth_most() -> None:
    message = says("The cart shows its total price now.")
    assert max(values(message, FINAL).values()) > max(values(message).values())


def test_what_later_work_picks_up_is_worth_more() -> None:
    message = says("The helper `round_price` drops the cents.")
    used = TermUse([(30, "call round_price again")])
    [unit] = agent_units(message, ProsePlace(10, 30, 5, False), used)
    [unused] = agent_units(message, ProsePlace(10, 30, 5, False), NOBODY)
    assert unit.value > unused.value


def test_thinking_counts_where_it_gives_reasons() -> None:
    message = says(thinks("I wonder.\n\nThe test fails because the clock is frozen."))
    [unit] = agent_units(message, MIDST, NOBODY)
    assert (unit.speaker, unit.text) == (Speaker.THOUGHT, "The test fails because the clock is frozen.")


def test_a_subagents_report_is_its_own() -> None:
    [unit] = subagent_units("The retry loop stands in `net/retry.py`.", MIDST, NOBODY)
    assert unit.speaker is Speaker.SUBAGENT


def test_what_is_found_before_an_announcement_is_worth_as_much_as_elsewhere() -> None:
    found = "The assertion is wrong: `git restore` reverts the file, it does not remove it."
    assert values(says(f"{found} Let me fix the test:")) == values(says(found))


def test_a_short_reason_is_not_outweighed_by_length() -> None:
    short = "The `total` is wrong because tax is added twice."
    long = "The `total` is read because of `tax`, " + "and then the cart is drawn once more on the page " * 12
    found = values(says(f"{short}\n\n{long}"))
    assert found[short] > min(found.values())


def test_what_leads_to_the_next_step_is_an_announcement_whatever_its_reason() -> None:
    assert announces("Now update the callers since the field is gone:")
    assert announces("Now add `first` to the state because tests need it.")
    assert not announces("Now tests pass because the field is there.")
    assert not announces("Now the callers pass the field.")


def test_a_guess_and_words_that_name_nothing_are_worth_less() -> None:
    sure, guess = values(says("The cart loses its items.")), values(says("Maybe the cart loses its items."))
    assert max(guess.values()) < max(sure.values())
    assert max(values(says("I can see the problem here now.")).values()) < max(
        values(says("The cart is empty after logout.")).values()
    )


def test_thoughts_that_guess_or_turn_to_the_next_step_are_left_out() -> None:
    message = says(
        thinks("Maybe the clock is the problem. I should check it because it froze. The user is right, since it froze.")
    )
    assert list(agent_units(message, MIDST, NOBODY)) == []


def test_what_a_later_report_says_again_is_worth_less() -> None:
    message = says("The export writes every invoice twice into the archive.")
    later = TermUse(
        (), [(15, "Fixed: the export no longer writes an invoice twice into its archive. Every one is written once.")]
    )
    [unit], [untold] = agent_units(message, MIDST, later), agent_units(message, MIDST, NOBODY)
    assert unit.value < untold.value


def test_an_offer_that_a_person_answered_is_worth_less_than_a_report() -> None:
    offer, report = says("I would recommend the second table."), says("I moved it to the second table.")
    answered = ProsePlace(10, 20, 15, True)
    assert max(values(offer, answered).values()) < max(values(report, answered).values())


def test_announcements_are_known_in_every_spelling() -> None:
    assert announces("I’ll check the repo guide docs first.")
    assert announces("I’m adding the script now.")


def test_a_plan_to_look_is_an_announcement_whatever_its_reason() -> None:
    assert announces("I’ll verify this against the package, because it depends on its flags.")
    assert not announces("I'll keep the flag because clients rely on it.")


def test_of_a_piece_of_megabytes_only_the_beginning_is_weighed() -> None:
    filler = "and so on and on " * 1_000
    plain, telling = (says(f"The lock was held.{filler}{end}") for end in ("so it is " * 9, "because `a` " * 9)[:2])
    named = says(f"The lock was held because `cart` leaks.{filler}")
    worth = [max(values(one).values()) for one in (plain, telling, named)]
    assert round(worth[0], 3) == round(worth[1], 3) < worth[2]
