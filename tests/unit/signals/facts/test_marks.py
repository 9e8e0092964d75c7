"""By marks a sentence says of which of several things it speaks."""

from __future__ import annotations

import pytest

from clew.signals.facts.clauses import clauses_of
from clew.signals.facts.marks import are_apart, marks_in


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
