"""By marks a sentence says of which of several things it speaks, and by its place where things go."""

from __future__ import annotations

import pytest

from clew.signals.facts_clauses import clauses_of
from clew.signals.facts_marks import are_apart, marks_in
from clew.signals.facts_places import place_of


def marks(text: str) -> dict[str, set[str]]:
    return {kind: set(found) for kind, found in marks_in(text, 0, len(text)).items()}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The limit in src/cache_3.py is 3.", {"path": {"src/cache_3.py"}}),
        ("Look into config.yaml, please.", {"path": {"config.yaml"}}),
        ("Put it in packages/core and tests/.", {"path": {"packages/core", "tests/"}}),
        ("MAX_RETRIES is 3 and getUser() waits.", {"code": {"max_retries", "getuser"}}),
        ("`payload` is private, worker-a is not.", {"code": {"payload", "worker-a"}}),
        ("Module 3 and task #7 are late.", {"number of modul": {"3"}, "number of task": {"7"}}),
        ("ABC-12 blocks #41.", {"ticket": {"ABC-12".lower(), "#41"}}),
        ("db1.example.com and 10.0.0.7 are up.", {"host": {"db1.example.com", "10.0.0.7"}}),
        ("In v2 ids are strings.", {"version": {"v2"}}),
        ("On staging it is off.", {"scope stage": {"stag"}}),
        ("GET is public.", {"method": {"GET"}}),
    ],
)
def test_what_tells_one_thing_from_another_is_a_mark(text: str, found: dict[str, set[str]]) -> None:
    assert marks(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "We use PostgreSQL, GraphQL and TypeScript.",
        "Names are snake_case or camelCase.",
        "Encode it as UTF-8 and/or ASCII.",
        "Node.js is fine, e.g. for GitHub.",
        "The port is 8080 and the price 3.50.",
        "",
    ],
)
def test_choices_numbers_and_brands_are_no_marks(text: str) -> None:
    assert marks(text) == {}


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("src/a.py", "src/b.py", True),
        ("src/a.py", "a.py", False),
        ("src/a.py", "src/", False),
        ("src/a.py and src/b.py", "src/b.py", False),
        ("step 2", "step 3", True),
        ("step 2", "phase 3", False),
        ("v1", "v2", True),
        ("production", "staging", True),
        ("production", "nothing", False),
    ],
)
def test_other_marks_of_one_class_are_other_things(one: str, other: str, apart: bool) -> None:
    assert are_apart(marks_in(one, 0, len(one)), marks_in(other, 0, len(other))) == apart


def test_a_sentence_without_marks_has_those_of_the_one_before() -> None:
    first, second = clauses_of("Open src/a.py first. The limit is three there.")
    assert first.marks == second.marks == {"path": frozenset({"src/a.py"}), "scope which": frozenset({"first"})}


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
