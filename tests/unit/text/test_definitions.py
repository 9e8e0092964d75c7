"""Definitions: the names that lines of many languages define."""

from __future__ import annotations

import pytest

from clew.text.definitions import defined_names, definition_in


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("    async def total(cart):", "total"),
        ("func (s *Store) Save(ctx context.Context) error {", "Save"),
        ("pub(crate) fn parse<T>(text: &str) {", "parse"),
        ("export default class Cart extends Base {", "Cart"),
        ("export const roundTax = async (tax) => {", "roundTax"),
        ("public static final class Till {", "Till"),
        ("CREATE TABLE berths (", "berths"),
    ],
)
def test_a_definition_is_known_by_its_name(line: str, name: str) -> None:
    assert defined_names(f"x = 1\n{line}\n  y = 2") == [name]
    assert definition_in(line) == (len(line) - len(line.lstrip()), name)


@pytest.mark.parametrize("line", ["const rate = 3", "return total(cart)", "# def total", "default: true"])
def test_other_lines_define_nothing(line: str) -> None:
    assert defined_names(line) == []
    assert definition_in(line) is None
