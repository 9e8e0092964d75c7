"""What people label themselves, say after a greeting, or ask to remember is kept; what only looks so is not."""

from __future__ import annotations

import pytest

from clew.domain.critical import ItemKind
from clew.signals.critical.candidates import find_candidates
from tests.builders import user

LABELLED = {
    ItemKind.REQUIREMENT: """
Requirement: response time under 200 ms.
The requirement: uploads up to 2 GB.
One more requirement: works without a network.
Our main requirement: the page loads in a second.
Requirement 3: export to CSV and Excel
Anforderung: Antwortzeit unter 200 ms.
""",
    ItemKind.INSTRUCTION: """
Rule: no commits on Fridays.
A rule here: every module has a docstring
House rule: one class per file.
Another rule – tests before code.
Our convention: plural table names.
The policy: two reviewers for each pull request.
Regel: keine Commits am Freitag.
规则：星期五不提交代码。
""",
    ItemKind.CONSTRAINT: """
Constraint: the budget stays below $4,000.
Hard constraint: data stays in the EU.
Restriction: one request per second.
""",
    ItemKind.DECISION: """
The decision: SQLite.
Decision: PostgreSQL for the ledger.
Final decision: option B, with the smaller van.
Our decision: we ship in May.
Entscheidung: Spedition Krause.
决定：使用 SQLite。
""",
    ItemKind.CUSTOM: """
Remember that the client is in Tokyo.
Remember: the client is in Tokyo.
Keep in mind that our office is closed on Mondays.
Don't forget that we only have two servers.
Please remember that Ana is allergic to nuts.
To remember: invoices go out on the 5th.
Note to remember: the badge number is 4417.
Bear in mind that the API has a limit of 100 calls.
""",
}
GREETED = """
Hello, always answer briefly.
Hi Claude, be concise.
Hey there! Never use semicolons.
Good morning, keep your answers short.
Good evening team: never push to main.
Dear assistant, answer in German.
Claude, always answer briefly.
Assistant, never touch the vendor folder.
Hello again, use tabs.
Hi, don't use emojis.
I don't want any external dependencies.
We don't want any cookies.
I don't want to see any emojis.
Hello, I don't want any comments in the code.
""".strip().splitlines()
QUIET = """
The rule: of thumb is two servers per team.
Decision trees are easy to read.
Decision: pending.
Decision: approved
Requirement: none.
Rule: no-unused-vars
This requirement: response time under 200 ms is hard to meet.
Broken rule: no commits on Fridays.
What was the decision: SQLite or Postgres?
I don't understand the requirement: response time under 200 ms.
The decision: should we use SQLite?
Which rule: the old one or the new one?
The rule is hard to follow.
Remember that time we deployed on a Friday?
Remember when the build broke.
I remember that the client is in Tokyo.
Do you remember that the client is in Tokyo?
Hello, the tests always fail on CI.
Hello, it never works.
Good morning, never mind.
Hi Ben, can you fix the login?
Yesterday, tests never finished.
I don't want any of that.
I don't want any changes here.
Constraint: violated
The constraint: see below.
""".strip().splitlines()


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, one) for kind, said in LABELLED.items() for one in said.split("\n") if one]
)
def test_what_is_labelled_is_of_the_kind_that_the_label_says(kind: ItemKind, text: str) -> None:
    assert [(one.kind, one.text, one.doubtful) for one in find_candidates(user(text))] == [(kind, text, False)]


@pytest.mark.parametrize("text", GREETED)
def test_a_greeting_or_an_address_in_front_changes_nothing(text: str) -> None:
    assert len([one for one in find_candidates(user(text)) if not one.doubtful]) == 1


@pytest.mark.parametrize("text", QUIET)
def test_what_only_looks_so_is_left_alone(text: str) -> None:
    assert [one.text for one in find_candidates(user(text)) if not one.doubtful] == []
