"""Where things go is told by the sentence that rules it."""

from __future__ import annotations

import pytest

from clew.signals.facts.clauses import clauses_of
from clew.signals.facts.places import place_of


@pytest.mark.parametrize(
    ("text", "thing", "where"),
    [
        ("Tests go in tests/.", {"test"}, {"test"}),
        ("Put the fixtures next to the parser.", {"fixtur"}, {"next to parser"}),
        ("The entry point is src/main.py.", {"entry", "point"}, {"src/main.py"}),
        ("Secrets are kept in Vault.", {"secret"}, {"vault"}),
    ],
)
def test_where_things_go_is_a_fact(text: str, thing: set[str], where: set[str]) -> None:
    place = place_of(clauses_of(text)[0])
    assert place is not None
    assert (set(place.thing), set(place.where)) == (thing, where)


@pytest.mark.parametrize(
    "text",
    [
        "The bug is in parser.py.",
        "Put the file in src/util.",
        "I put the tests in tests/.",
        "Tests could go in tests/.",
        "The API is written in Python.",
        "Tests don't go in src/.",
    ],
)
def test_what_is_somewhere_by_chance_or_once_is_no_fact(text: str) -> None:
    assert place_of(clauses_of(text)[0]) is None
