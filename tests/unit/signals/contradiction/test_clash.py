"""A later statement that denies an earlier one is found, with what it is about."""

from __future__ import annotations

import pytest

from clew.signals.contradiction.clash import THRESHOLD, Statement, contradictions, explain, score
from clew.signals.contradiction.index import MAX_KEYS, keys_of


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I deployed the shop to Heroku in March, and it works.", "I've never deployed anything to Heroku."),
        ("Last year I migrated our stack to Kubernetes.", "I have never migrated a stack to Kubernetes."),
        ("I've never worked with Kafka.", "I worked with Kafka for three years at my last job."),
    ],
)
def test_what_was_never_done_and_was_done_is_told(earlier: str, later: str) -> None:
    assert score(earlier, later) >= THRESHOLD


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("How do people deploy to Heroku?", "I've never deployed anything to Heroku."),
        ("I want to write unit tests for the parser.", "I've never written unit tests for the parser."),
        ("The AWS exam costs $150.", "I have never taken an AWS exam."),
        ("I've known Tarek for eight years.", "I've never argued with Tarek."),
        ("I've never used a debugger.", "I used the debugger today."),
        ("We never deploy on Fridays.", "I deployed the shop on Friday."),
    ],
)
def test_what_was_never_done_and_is_only_spoken_of_is_not(earlier: str, later: str) -> None:
    assert score(earlier, later) < THRESHOLD


def test_order_counts() -> None:
    did, never = "I deployed the shop to Heroku.", "I've never deployed anything to Heroku."
    assert score(did, never) > score(never, did)


def test_a_clash_says_what_it_is_about() -> None:
    clash = explain(
        Statement(id="m1", text="Please note: the web server listens on port 8080."),
        Statement(id="m2", text="Our web server listens on port 9000, you know."),
    )
    assert clash is not None
    assert clash.about == "web server listens port: 8080 / 9000"
    assert (clash.earlier_text, clash.later_text) == (
        "the web server listens on port 8080.",
        "Our web server listens on port 9000",
    )


def test_clashes_come_surest_first_and_name_their_messages() -> None:
    texts = ["I've deployed twice to Heroku.", "The API is on port 80.", "I deployed the shop to Heroku."]
    old = [Statement(id=f"m{at}", text=text) for at, text in enumerate(texts)]
    new = Statement(id="m99", text="I've never deployed the shop to Heroku. The API is on port 90.")
    clashes = contradictions(new, [*old, new], threshold=0.0)
    assert {one.later for one in clashes} == {"m99"}
    assert clashes[0].earlier == "m1"
    assert [one.score for one in clashes] == sorted((one.score for one in clashes), reverse=True)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "never " * 40_000,
        "1," * 100_000,
        '"' * 200_000,
        "I've never used any x or " * 10_000,
        "\n" * 100_000,
    ],
)
def test_hostile_text_is_read_to_a_limit(text: str) -> None:
    assert 0.0 <= score(text, text[::-1]) <= 1.0
    assert len(keys_of(text)) <= MAX_KEYS
