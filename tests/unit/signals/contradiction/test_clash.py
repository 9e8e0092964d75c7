"""A later statement that denies an earlier one is found, and told from a change and from what only looks alike."""

from __future__ import annotations

import pytest

from clew.signals.contradiction.clash import THRESHOLD, ClashKind, Statement, contradictions, explain, score
from clew.signals.contradiction.index import MAX_KEYS, keys_of

CLASHING = [
    ("The web server listens on port 8080.", "Our web server listens on port 9000."),
    ("Invoices are stored in Postgres.", "Invoices are stored in MySQL."),
    ("We indent with tabs in this package.", "We indent with spaces in this package."),
    ("Telemetry is off by default.", "Telemetry is on by default."),
    ("The email field is required.", "The email field is optional."),
    ("Always write docstrings for public classes.", "Don't write docstrings for public classes."),
    ("Uploads are limited to 10 MB per file.", "Uploads are limited to 50 MB per file."),
    ("Never push to main.", "Always push to main."),
    ("The search service is owned by Ines.", "The search service is owned by Karl."),
    ("The default branch is called trunk.", "The default branch is called main."),
    (
        "I deployed the shop to Heroku in March, and it works fine.",
        "I've never deployed anything to Heroku, so how do I begin?",
    ),
]


@pytest.mark.parametrize(("earlier", "later"), CLASHING)
def test_a_contradiction_is_found(earlier: str, later: str) -> None:
    clash = explain(earlier, later)
    assert clash is not None
    assert (clash.kind, clash.score >= THRESHOLD, clash.sureness) == (ClashKind.CONTRADICTION, True, clash.score)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Invoices are stored in MySQL.", "We moved the invoices from MySQL to Postgres."),
        ("The web server listens on port 8080.", "The web server now listens on port 9000."),
        ("We indent with tabs in this package.", "We no longer indent with tabs in this package."),
        ("Uploads are limited to 10 MB per file.", "Actually, uploads are limited to 50 MB per file."),
        ("I've never used a debugger.", "I used the debugger today."),
        ("The tests fail.", "The tests pass."),
        ("Coverage is at 70%.", "Coverage is at 80%."),
    ],
)
def test_a_change_is_no_contradiction(earlier: str, later: str) -> None:
    clash = explain(earlier, later)
    assert clash is None or clash.kind is ClashKind.UPDATE or clash.score < THRESHOLD


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The web server listens on port 8080.", "The mail server listens on port 25."),
        ("The web server listens on port 8080.", "The web server drops idle connections after 60 seconds."),
        ("The web server listens on port 8080.", "Is the web server on port 9000?"),
        ("The web server listens on port 8080.", "If the web server were on port 9000, we could drop the proxy."),
        ("Invoices are stored in Postgres.", "Invoices are stored in PostgreSQL."),
        ("Postgres runs on port 5432 in production.", "Postgres runs on port 5433 on staging."),
        ("The request timeout is 30 seconds.", "The connect timeout is 5 seconds."),
        ("Add a log line.", "Remove the log line."),
        ("I met Ines on March 3.", "I met Ines on May 9."),
        ("How do people deploy to Heroku?", "I've never deployed anything to Heroku."),
        ("Step 2 is done.", "Step 3 is done."),
        ("Never force push.", "that was a force push! don't do that"),
        ("Never force push.", "That was a force push."),
        ("Never force push.", "You force pushed again, please never do that."),
        ("Never push to main.", "You pushed to main! I told you not to."),
        ("Never push to main.", "Why did you push to main?"),
        ("Never push to main.", "Remember: never push to main."),
        ("Never push to main.", "Forget the rule about pushing to main."),
        ("Never push to main.", "You may push to main now."),
        ("Never push to main.", "Pushing to main is allowed from now on."),
        ("Forget the rule about pushing to main.", "Never push to main."),
        ("", ""),
    ],
)
def test_what_only_looks_alike_is_no_alarm(earlier: str, later: str) -> None:
    clashes = contradictions(Statement(id="m2", text=later), [Statement(id="m1", text=earlier)])
    assert [one for one in clashes if one.kind is ClashKind.CONTRADICTION] == []


def test_order_counts() -> None:
    did, never = "I deployed the shop to Heroku.", "I've never deployed anything to Heroku."
    assert score(did, never) > score(never, did)


def test_a_clash_says_what_it_is_about() -> None:
    clash = explain(
        "Please note: the web server listens on port 8080.", "Our web server listens on port 9000, you know."
    )
    assert clash is not None
    assert clash.about == "web server listens port: 8080 / 9000"
    assert (clash.earlier_text, clash.later_text) == (
        "the web server listens on port 8080.",
        "Our web server listens on port 9000",
    )


def test_clashes_come_surest_first_and_name_their_messages() -> None:
    old = [Statement(id=f"m{at}", text=text) for at, (text, _) in enumerate(CLASHING)]
    new = Statement(id="m99", text=CLASHING[1][1])
    clashes = contradictions(new, [*old, new])
    assert [(one.earlier, one.later) for one in clashes] == [("m1", "m99")]
    everything = contradictions(new, [*old, new], threshold=0.0)
    assert [one.score for one in everything] == sorted((one.score for one in everything), reverse=True)


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
