"""A reply that tells of doing otherwise than was decided is told, with the sentence; all other talk is not."""

from __future__ import annotations

import pytest

from clew.signals.contradiction.clash import THRESHOLD, Statement
from clew.signals.contradiction.replies import Denial, find_denials

DENYING = [
    ("We decided on JWT with 15 minute expiry", "I used sessions instead of JWT."),
    ("We decided on JWT with 15 minute expiry", "I implemented the login with OAuth rather than JWT."),
    ("We agreed to use Tailwind for styling", "I've replaced Tailwind with Bootstrap."),
    # another number
    ("limit uploads to 10 MB", "I've set the upload limit to 50 MB."),
    ("limit uploads to 10 MB", "The upload limit is now 50 MB."),
    ("We decided on JWT with 15 minute expiry", "I've configured JWT with an expiry of 24 hours."),
    ("Access tokens expire after 15 minutes.", "I set the access tokens to expire after 2 hours."),
    ("The API must listen on port 8080.", "I configured the API to listen on port 3000."),
    ("At most 3 retries for webhooks.", "I've set webhooks to 10 retries."),
    ("Keep the timeout at 30 seconds.", "I increased the timeout to 120 seconds."),
    ("Passwords need at least 12 characters.", "I set the password minimum to 8 characters."),
    ("The page size is 20 items.", "Changed the page size to 100 items."),
    ("Support Python 3.9 and up.", "I set the project to support Python 3.12 and up."),
    ("Logs are kept for 30 days.", "I've configured the logs to be kept for 7 days."),
    # what must not be
    ("Never use default exports.", "I exported the component as default and used default exports in the others too."),
    ("Don't add new dependencies.", "I added lodash and moment as new dependencies."),
    ("Never push to main.", "I pushed the fix to main."),
    ("Do not touch the vendor folder.", "I updated two files in the vendor folder."),
    ("No inline styles.", "I added inline styles to the header."),
    ("Don't use lodash in the frontend.", "I imported lodash in the frontend to sort the rows."),
]

QUIET = [
    # as decided
    ("Use PostgreSQL for everything.", "I set up the database with PostgreSQL."),
    ("Use PostgreSQL for everything.", "I switched the database from MySQL to PostgreSQL."),
    ("Use PostgreSQL for everything.", "I've replaced MySQL with Postgres."),
    ("limit uploads to 10 MB", "I've set the upload limit to 10 MB."),
    ("limit uploads to 10 MB", "I lowered the upload limit from 50 MB to 10 MB."),
    ("API keys never go into the repo", "I removed the API keys from the repo."),
    ("API keys never go into the repo", "I made sure that no API keys go into the repo."),
    ("API keys never go into the repo", "I added the API keys to .gitignore so they stay out of the repo."),
    ("Never push to main.", "I pushed the branch fix-login and opened a pull request."),
    ("Use tabs for indentation.", "I replaced the spaces with tabs."),
    ("We decided on JWT with 15 minute expiry", "I kept JWT and the expiry of 15 minutes."),
    ("Don't add new dependencies.", "I added no new dependencies."),
    ("Don't add new dependencies.", "Done without any new dependencies."),
    ("Always write tests for new endpoints.", "I wrote tests for the new endpoints."),
    ("At most 3 retries for webhooks.", "I've set webhooks to 2 retries."),
    # alternatives and offers
    ("Use PostgreSQL for everything.", "We could use MySQL instead."),
    ("Use PostgreSQL for everything.", "If you prefer, I can switch the database to MySQL."),
    ("Use PostgreSQL for everything.", "Alternatively, MySQL would work as well."),
    ("limit uploads to 10 MB", "You might want to set the upload limit to 50 MB."),
    ("limit uploads to 10 MB", "I recommend an upload limit of 50 MB."),
    ("Use pnpm in this repo", "Let me know if you'd rather use npm."),
    ("Never push to main.", "I can push to main once you agree."),
    ("We decided on JWT with 15 minute expiry", "One option would be sessions instead of JWT."),
    # questions
    ("Use PostgreSQL for everything.", "Should I switch the database to MySQL?"),
    ("limit uploads to 10 MB", "Do you want the upload limit to be 50 MB?"),
    ("Never push to main.", "Shall I push to main?"),
    # explaining
    ("Use PostgreSQL for everything.", "MySQL uses a different locking model than Postgres."),
    ("Use PostgreSQL for everything.", "In MySQL the default isolation level is repeatable read."),
    ("limit uploads to 10 MB", "nginx limits uploads to 1 MB by default."),
    ("Use tabs for indentation.", "PEP 8 recommends spaces for indentation."),
    ("The API must listen on port 8080.", "Port 443 is used for HTTPS."),
    ("Never use default exports.", "Default exports make renaming easy, which is why people use default exports."),
    # the past, and code of others
    ("Use PostgreSQL for everything.", "The old version used MySQL."),
    ("Use PostgreSQL for everything.", "Previously the database was MySQL."),
    ("Use PostgreSQL for everything.", "The legacy importer uses MySQL."),
    ("limit uploads to 10 MB", "The upload limit was 50 MB before."),
    ("limit uploads to 10 MB", "I found that the upload limit is 50 MB in the existing code."),
    ("Use pytest for all tests.", "I noticed that the upstream project uses unittest."),
    ("The email field is required.", "I saw that the email field is optional in their API."),
    ("Use PostgreSQL for everything.", "I read the docs of MySQL and compared both."),
    ("Always write tests for new endpoints.", "I have not written tests for the new endpoints yet."),
    ("Use tabs for indentation.", "I fixed the file that used spaces for indentation."),
    ("Use PostgreSQL for everything.", "I reverted the switch to MySQL."),
    # other things
    ("limit uploads to 10 MB", "I've set the download limit to 50 MB."),
    ("limit uploads to 10 MB", "I set the timeout to 50 seconds."),
    ("The timeout in client.py is 30 seconds.", "I set the timeout in server.py to 10 seconds."),
    ("In production we use Postgres.", "For local development I set up SQLite."),
    ("The API must listen on port 8080.", "I configured the metrics exporter to listen on port 9100."),
    ("Use snake_case for columns.", "I used camelCase for the React props."),
    ("Use Redis for sessions.", "I used Postgres for the orders."),
    ("Tests go in tests/.", "I put the helpers in src/util."),
    ("Don't touch the vendor folder.", "I updated two files in the src folder."),
    ("Never log passwords.", "I added a log line for failed logins."),
    ("The page size is 20 items.", "I fixed 12 items on the page."),
    ("At most 3 retries for webhooks.", "All 14 tests pass after 2 runs."),
    ("Don't use any in TypeScript.", "I wrote the new module in TypeScript."),
    # quotations and code
    ("Use PostgreSQL for everything.", 'The README says: "I switched the database to MySQL".'),
    ("Use PostgreSQL for everything.", "```\nI switched the database to MySQL\n```"),
    ("Use PostgreSQL for everything.", "> I switched the database to MySQL."),
    ("Use PostgreSQL for everything.", ""),
]


def told(rule: str, reply: str) -> list[Denial]:
    return [one for one in find_denials(reply, [Statement(id="p1", text=rule)]) if one.score >= THRESHOLD]


@pytest.mark.parametrize(("rule", "reply"), DENYING)
def test_a_reply_that_does_otherwise_is_told(rule: str, reply: str) -> None:
    assert [one.rule for one in told(rule, reply)] == ["p1"]


@pytest.mark.parametrize(("rule", "reply"), QUIET)
def test_a_reply_that_keeps_to_it_or_only_talks_is_not_told(rule: str, reply: str) -> None:
    assert told(rule, reply) == []


def test_a_denial_names_the_rule_and_shows_the_sentence() -> None:
    rules = [
        Statement(id="p1", text="Use PostgreSQL for everything."),
        Statement(id="p2", text="limit uploads to 10 MB"),
        Statement(id="p3", text="Tests go in tests/."),
    ]
    reply = "All done.\n\n- I've set the upload limit to 50 MB.\n- I put the helpers in src/util.\n"
    assert [(one.rule, one.evidence, one.about) for one in find_denials(reply, rules)] == [
        ("p2", "I've set the upload limit to 50 MB.", "10 MB / 50 MB")
    ]


def test_a_rule_is_denied_once_by_the_first_sentence_that_does() -> None:
    rules = [
        Statement(id="p1", text="Use PostgreSQL for everything."),
        Statement(id="p2", text="limit uploads to 10 MB"),
    ]
    reply = "I set the upload limit to 50 MB. I used MySQL instead of PostgreSQL. I replaced PostgreSQL with MySQL."
    found = [(one.rule, one.evidence) for one in find_denials(reply, rules)]
    assert found == [("p1", "I used MySQL instead of PostgreSQL."), ("p2", "I set the upload limit to 50 MB.")]


def test_of_many_like_sentences_the_first_are_read() -> None:
    reply = " ".join(["I looked at the upload limit."] * 200) + " I've set the upload limit to 50 MB."
    assert find_denials(reply, [Statement(id="p1", text="limit uploads to 10 MB")]) == ()


def test_a_reply_that_says_nothing_denies_nothing() -> None:
    assert find_denials("Done.", [Statement(id="p1", text="Use PostgreSQL for everything.")]) == ()
    assert find_denials("I switched the database to MySQL.", []) == ()


@pytest.mark.parametrize("text", ["I set " * 40_000, "a" * 200_000, "I used x instead of " * 10_000, "\n" * 100_000])
def test_hostile_replies_are_read_to_a_limit(text: str) -> None:
    assert find_denials(text, [Statement(id="p1", text=text)]) is not None
