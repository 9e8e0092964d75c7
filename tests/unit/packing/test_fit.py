"""The choice of units: the most valuable that fit, and what was said already counts for less."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from clew.packing import fit
from clew.packing.fit import choose_units
from clew.units.unit import Speaker, Unit


def unit(number: int, text: str, value: float) -> Unit:
    return Unit(number=number, speaker=Speaker.AGENT, text=text, value=value)


def test_what_repeats_a_better_unit_yields_to_what_is_new() -> None:
    first = unit(1, "the importer rejects duplicate customers because invoices share numbers", 1.0)
    again = unit(2, "duplicate customers share invoices numbers, importer rejects because", 0.9)
    other = unit(3, "deployment waits for the certificate of the staging cluster", 0.5)
    assert choose_units([again, other, first], 180.0) == [first, other]


def test_of_equals_the_later_comes_first() -> None:
    units = [unit(number, f"note {number}", 0.5) for number in (1, 2, 3)]
    assert [one.number for one in choose_units(units, 1_000.0)] == [3, 2, 1]


def test_units_that_cannot_be_the_best_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    whole = fit._value

    def value(one: Unit, terms: frozenset[str], said: set[str]) -> float:
        looked_at.append(one.number)
        return whole(one, terms, said)

    monkeypatch.setattr(fit, "_value", value)
    units = [unit(number, "abcdefgh"[number % 8] * 20, 1.0 - number / 100) for number in range(50)]
    assert [one.number for one in choose_units(units, 76.0)] == [0, 1]
    assert len(looked_at) < 10


def test_units_are_chosen_as_if_each_were_compared_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"{'abcdefghij'[at % 10] * 5}{at % 7}" for at in range(40)]
    units = [
        unit(at, " ".join(words[at * step % 40] for step in range(1, 2 + at % 6)), 0.2 + at * 37 % 50 / 60)
        for at in range(90)
    ]
    found = choose_units(units, 900.0, [words[3]])

    def compare_all(pool: Sequence[Unit], terms: dict[int, frozenset[str]], said: set[str], _: object) -> object:
        values = [fit._value(one, terms[id(one)], said) for one in pool[:60]]
        return max(values), values.index(max(values))

    monkeypatch.setattr(fit, "_best", compare_all)
    assert choose_units(units, 900.0, [words[3]]) == found
