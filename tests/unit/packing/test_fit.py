"""The choice of units: the most valuable that fit, and what was said already counts for less."""

from __future__ import annotations

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
