"""Lines are chosen by value within a budget, and laid out as they are read."""

from __future__ import annotations

from dataclasses import replace

from clew.summary_patch.line_choice import LineChoice, render_lines
from clew.summary_patch.patch_lines import PatchLine, PatchSection
from clew.summary_patch.summary_text import SummaryText


def line(section: PatchSection, number: int, text: str, value: float, *, is_compared: bool = False) -> PatchLine:
    return PatchLine(section=section, number=number, text=text, value=value, is_compared=is_compared)


def chosen(lines: list[PatchLine], budget: int) -> list[str]:
    choice = LineChoice(SummaryText(""), budget=budget, count=lambda text: len(text.split()))
    choice.choose(lines)
    return [one.text for one in choice.lines]


def test_the_most_valuable_come_first_and_a_section_leaves_room_for_others() -> None:
    state = [line(PatchSection.STATE, at, f"state {at} " + "word " * 8, 3.0 - at / 10) for at in range(4)]
    said = [line(PatchSection.SAID, 9, "said by somebody about it all", 0.5)]
    found = chosen([*state, *said], 50)
    assert [text.split()[0] for text in found] == ["state", "said", "state"]


def test_a_line_that_says_what_was_chosen_is_left_out() -> None:
    first = line(PatchSection.WORK, 1, "The cache of `ci-runner` is read-only.", 1.0)
    again = line(PatchSection.LAST, 2, "The cache of `ci-runner` is read-only, agent said.", 0.9, is_compared=True)
    assert chosen([first, again], 100) == [first.text]


def test_a_shortened_line_is_shown_whole_where_there_is_room() -> None:
    short = replace(line(PatchSection.LAST, 2, "three files and more", 0.9), longer="three files and more " * 5)
    assert chosen([short], 100) == [short.longer]
    assert chosen([short], 20) == [short.text]


def test_lines_stand_under_their_headings_in_order() -> None:
    lines = [
        line(PatchSection.WORK, 7, "later", 2.0),
        line(PatchSection.WORK, 3, "earlier\nin two lines", 1.0),
        line(PatchSection.CORRECTION, 9, "wrong", 1.0),
    ]
    assert render_lines(lines) == (
        "Corrections:\n- wrong\nFound, decided and done:\n- earlier\n  in two lines\n- later"
    )


def test_items_of_one_list_stand_together_behind_the_words_that_lead_to_them() -> None:
    lines = [
        line(PatchSection.WORK, 7, f"m7 agent: Ways to mend the cache: {item}", 1.0) for item in ("clear it", "drop it")
    ]
    other = line(PatchSection.WORK, 8, "m8 agent: Ways to mend the cache: none", 1.0)
    assert render_lines([*lines, other]).split("\n")[1:] == [
        "- m7 agent: Ways to mend the cache: clear it; drop it",
        "- m8 agent: Ways to mend the cache: none",
    ]
