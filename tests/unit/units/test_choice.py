"""The choice of units: the most valuable that fit, within shares, and what was said already counts for less."""

from __future__ import annotations

from dataclasses import replace

from clew.units import choice
from clew.units.already_said import SaidText
from clew.units.choice import choose_units, fit_units, lengthen_units, worth_below_summary, worth_in_pack
from clew.units.unit import Section, Speaker, Unit


def unit(number: int, text: str, value: float) -> Unit:
    return Unit(number=number, speaker=Speaker.AGENT, text=text, value=value)


def in_pack(units: list[Unit], room: float, shown: str = "", worth: choice.Worth = worth_in_pack) -> list[Unit]:
    return choose_units(
        units, said_text=SaidText(shown, weighs=False), room=room, price=lambda one: len(one.text) + 12, worth=worth
    )


def line(section: Section, number: int, text: str, value: float, *, is_compared: bool = False) -> Unit:
    return Unit(section=section, number=number, text=text, value=value, is_compared=is_compared)


def words(one: Unit) -> int:
    return len(one.text.split())


def below_summary(units: list[Unit], room: float) -> list[str]:
    shares = {Section.STATE: 0.5, Section.SAID: 0.4, Section.WORK: 0.5, Section.LAST: 0.35}
    found = choose_units(
        units,
        said_text=SaidText(""),
        room=room,
        price=words,
        worth=worth_below_summary,
        shares=shares,
        opening=lambda section: 3,
    )
    return [one.text for one in found]


def test_what_repeats_a_better_unit_yields_to_what_is_new() -> None:
    first = unit(1, "the importer rejects duplicate customers because invoices share numbers", 1.0)
    again = unit(2, "duplicate customers share invoices numbers, importer rejects because", 0.9)
    other = unit(3, "deployment waits for the certificate of the staging cluster", 0.5)
    assert in_pack([again, other, first], 180.0) == [first, other]


def test_of_equals_the_later_comes_first() -> None:
    units = [unit(number, f"note {number}", 0.5) for number in (1, 2, 3)]
    assert [one.number for one in in_pack(units, 1_000.0)] == [3, 2, 1]


def test_units_that_cannot_be_the_best_are_not_compared() -> None:
    looked_at: list[int] = []

    def worth(one: Unit, said: SaidText) -> float:
        looked_at.append(one.number)
        return worth_in_pack(one, said)

    units = [unit(number, "abcdefgh"[number % 8] * 20, 1.0 - number / 100) for number in range(50)]
    assert [one.number for one in in_pack(units, 76.0, worth=worth)] == [0, 1]
    assert len(looked_at) < 10


def test_units_are_chosen_as_if_each_were_compared_every_time() -> None:
    names = [f"{'abcdefghij'[at % 10] * 5}{at % 7}" for at in range(40)]
    units = [
        unit(at, " ".join(names[at * step % 40] for step in range(1, 2 + at % 6)), 0.2 + at * 37 % 50 / 60)
        for at in range(50)
    ]
    said, left, pool = SaidText(names[3], weighs=False), 900.0, sorted(units, key=lambda one: (-one.value, -one.number))
    expected = list[Unit]()
    while pool:
        best = max(pool, key=lambda one: (worth_in_pack(one, said), -pool.index(one)))
        pool.remove(best)
        if worth_in_pack(best, said) and len(best.text) + 12 <= left:
            expected.append(best)
            left -= len(best.text) + 12
            said.add(best.line)
    assert in_pack(units, 900.0, names[3]) == expected


def test_units_that_tell_nothing_new_do_not_hide_those_behind_them() -> None:
    told = "The cache of `ci-runner` is read-only, and its disk is full since the release of `shop-api`."
    known = [unit(number, told, 0.9) for number in range(1, 100)]
    new = unit(200, "Invoices of the Latvian branch are numbered anew each year.", 0.3)
    assert in_pack([*known, new], 1_000.0, told) == [new]


def test_the_most_valuable_come_first_and_a_section_leaves_room_for_others() -> None:
    state = [line(Section.STATE, at, f"state {at} " + "word " * 8, 3.0 - at / 10) for at in range(4)]
    said = [line(Section.SAID, 9, "said by somebody about it all", 0.5)]
    assert [text.split()[0] for text in below_summary([*state, *said], 50)] == ["state", "state", "said", "state"]


def test_a_line_that_says_what_was_chosen_is_left_out() -> None:
    first = line(Section.WORK, 1, "The cache of `ci-runner` is read-only.", 1.0)
    again = line(Section.LAST, 2, "The cache of `ci-runner` is read-only, agent said.", 0.9, is_compared=True)
    assert below_summary([first, again], 100) == [first.text]


def test_a_shortened_unit_is_shown_whole_where_there_is_room() -> None:
    short = replace(line(Section.LAST, 2, "three files and more", 0.9), longer="three files and more " * 5)
    assert [one.text for one in lengthen_units([short], room=100, price=words)] == [short.longer]
    assert lengthen_units([short], room=10, price=words) == [short]


def test_what_does_not_fit_exactly_gives_way_and_smaller_ones_fill_the_rest() -> None:
    units = [unit(1, "a " * 10, 1.0), unit(2, "b " * 50, 0.9), unit(3, "c " * 5, 0.8)]
    shown = fit_units(units, lambda some: sum(map(words, some)), 20)
    assert [one.number for one in shown] == [1, 3]
