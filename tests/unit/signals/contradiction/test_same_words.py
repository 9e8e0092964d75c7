"""The same said with another value is told; what is said of another thing, or claims nothing, is not."""

from __future__ import annotations

import pytest

from clew.signals.contradiction.clash import Statement, contradictions
from clew.signals.contradiction.same_words import MAX_FRAMES, frames_of

OTHERWISE = [
    # another quantity
    ("The API listens on port 8080.", "The API is on port 3000."),
    ("Uploads may be at most 10 MB.", "Uploads may be at most 25 MB."),
    ("Access tokens expire after 15 minutes.", "Access tokens expire after 45 min."),
    ("Passwords must have at least 12 characters.", "Passwords must have at least 8 characters."),
    ("Keep lines under 80 characters.", "Keep lines under 120 characters."),
    ("The budget is $500 a month.", "The budget is $800 a month."),
    ("The page size is 20 items.", "The page size is 50 items."),
    ("We support Python 3.9 and up.", "We support Python 3.12 and up."),
    ("Django is pinned to 4.2.1.", "Django is pinned to 5.0.3."),
    ("The entry point is src/main.py.", "The entry point is src/app.py."),
    # another name
    ("Invoices are stored in Postgres.", "Invoices are stored in MySQL."),
    ("The billing service is owned by Priya.", "The billing service is owned by Tom."),
    ("The default branch is called trunk.", "The default branch is called main."),
    ("Comments must be in English.", "Comments must be in German."),
    # so, or not so
    ("Never commit generated files.", "Always commit generated files."),
    ("Always write docstrings for public classes.", "Don't write docstrings for public classes."),
    ("Every endpoint must check permissions.", "Endpoints must not check permissions."),
    ("We support Internet Explorer.", "We don't support Internet Explorer."),
    ("The server runs on port 8080.", "The server does not run on port 8080."),
    ("Telemetry is off by default.", "Telemetry is on by default."),
]

ALIKE = [
    # another file, identifier, host, or number in a name
    ("The timeout in client.py is 30 seconds.", "The timeout in server.py is 10 seconds."),
    ("Module 3 has 12 lessons.", "Module 4 has 9 lessons."),
    ("Step 2 must be done in Python.", "Step 5 must be done in Rust."),
    ("Ticket ABC-12 is due on March 3.", "Ticket ABC-19 is due on April 9."),
    ("`parse_header` returns at most 10 rows.", "`parse_footer` returns at most 20 rows."),
    ("/v1/users allows 100 requests per minute.", "/v1/orders allows 20 requests per minute."),
    ("The retry limit for worker-a is 3.", "The retry limit for worker-b is 5."),
    ("db1.example.com listens on port 5432.", "db2.example.com listens on port 5433."),
    ("Version 1.4 supports Python 3.8.", "Version 2.0 supports Python 3.10."),
    ("line 40 is wrong", "line 52 is wrong"),
    # another person, part or case
    ("The web server listens on port 8080.", "The mail server listens on port 25."),
    ("Postgres runs on port 5432 in production.", "Postgres runs on port 5433 on staging."),
    ("The billing service is written in Go.", "The search service is written in Rust."),
    ("The minimum length is 8.", "The maximum length is 64."),
    ("The free plan allows 3 projects.", "The team plan allows 20 projects."),
    ("The admin API is written in Python.", "The admin API is documented in English."),
    ("We support Windows.", "We support Linux."),
    # what is asked for once
    ("Add a log line.", "Remove the log line."),
    ("Set the font size to 14 px.", "Make the font size 16 px please"),
    ("run the tests with -v", "don't run the tests with -v this time"),
    ("Commit this as 'fix parser'.", "Don't commit this."),
    # states, counts and measures
    ("The tests fail.", "The tests pass."),
    ("Coverage is at 70%.", "Coverage is at 80%."),
    ("There are 12 failing tests.", "There are 4 failing tests."),
    ("The page does not load.", "The page loads."),
    ("The server isn't responding.", "The server is responding."),
    ("The deploy is not finished.", "The deploy is finished."),
    ("We have 120 open issues.", "We have 95 open issues."),
    ("We have no tests for the parser.", "We have tests for the parser."),
    ("The bug is in parser.py.", "The bug is in lexer.py."),
    ("I met Ines on March 3.", "I met Ines on May 9."),
    # questions, suppositions, quotations, what others say
    ("The web server listens on port 8080.", "Is the web server on port 9000?"),
    ("The web server listens on port 8080.", "If the web server were on port 9000, we could drop the proxy."),
    ("The API listens on port 8080.", 'The log says "API listens on port 9090".'),
    ("The timeout is 30 seconds.", "The docs say the timeout is 60 seconds by default."),
    ("Never force push.", "Why did you never force push?"),
    # the same
    ("Invoices are stored in Postgres.", "Invoices are stored in PostgreSQL."),
    ("The request timeout is 60 seconds.", "The request timeout is one minute."),
    # a change told as one, a rule that is taken back, and who was scolded
    ("Invoices are stored in MySQL.", "We moved the invoices from MySQL to Postgres."),
    ("The web server listens on port 8080.", "The web server now listens on port 9000."),
    ("Uploads are limited to 10 MB per file.", "Actually, uploads are limited to 50 MB per file."),
    ("Never force push.", "that was a force push! don't do that"),
    ("Never push to main.", "You pushed to main! I told you not to."),
    ("Never push to main.", "Forget the rule about pushing to main."),
    ("Never push to main.", "Pushing to main is allowed from now on."),
    ("", ""),
]


def told(earlier: str, later: str) -> list[str]:
    found = contradictions(Statement(id="m2", text=later), [Statement(id="m1", text=earlier)])
    return [one.about for one in found]


@pytest.mark.parametrize(("earlier", "later"), OTHERWISE)
def test_the_same_said_otherwise_is_told(earlier: str, later: str) -> None:
    assert len(told(earlier, later)) == 1


@pytest.mark.parametrize(("earlier", "later"), ALIKE)
def test_what_only_looks_alike_is_not_told(earlier: str, later: str) -> None:
    assert told(earlier, later) == []


def test_of_many_like_sentences_few_are_compared() -> None:
    text = " ".join(f"The cache of shard {at} is limited to {at} entries." for at in range(1, 200))
    assert len(frames_of(text)) == MAX_FRAMES
