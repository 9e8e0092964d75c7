"""Statements of rule files are read by their words, by what stands above them and by what stands beside them."""

from __future__ import annotations

from importlib import resources

import pytest

from clew.domain.critical import ItemKind
from clew.signals.learned.rule_files import Placed, PlacedReading, kind_of, read_statements


def reading(text: str, heading: str = "", lead: str = "") -> PlacedReading:
    return read_statements([Placed(text, heading, lead, is_item=True)])[0]


def test_the_heading_tells_a_rule_from_a_step() -> None:
    words = "Create a branch for the fix"
    assert reading(words, "Git workflow").placed > 0.5 > reading(words, "Installation").placed


def test_the_line_above_a_list_makes_rules_of_its_items() -> None:
    assert reading("`make docs`", lead="Never run these by hand:").placed > 0.5
    assert reading("`make docs`", lead="The project has these commands:").placed < 0.5


def test_a_statement_is_read_by_those_beside_it() -> None:
    bare = Placed("Blue for links", is_item=True)
    orders = [Placed(text, is_item=True) for text in ("Never use red", "Always add a label", "Keep margins even")]
    names = [Placed(text, is_item=True) for text in ("`a.css`: colours", "`b.css`: fonts", "`c.css`: grid")]
    assert read_statements([bare, *orders])[0].placed > read_statements([bare, *names])[0].placed


def test_what_only_its_place_makes_a_rule_is_none_by_its_own_words() -> None:
    bare, order = reading("Tables in lower case", "Naming conventions"), reading("Never drop a table", "Naming")
    assert bare.placed > 0.5 > bare.alone
    assert order.alone > 0.5


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Never email customers from a script", ItemKind.CONSTRAINT),
        ("No inline comments", ItemKind.CONSTRAINT),
        ("Each worker must release its lock", ItemKind.REQUIREMENT),
        ("I prefer tables to long lists", ItemKind.PREFERENCE),
        ("Write the summary last", ItemKind.INSTRUCTION),
        ("Niemals Rechnungen löschen", ItemKind.CONSTRAINT),
    ],
)
def test_rules_are_of_a_kind(text: str, kind: ItemKind) -> None:
    assert kind_of(text) == kind


def test_the_weights_stay_small() -> None:
    weights = resources.files("clew.signals.learned") / "weights" / "rule_files.bin"
    assert len(weights.read_bytes()) <= 150_000
