"""Few earlier statements are compared with a new one, and those by what they share."""

from __future__ import annotations

from clew.signals.contradiction.clash import Statement
from clew.signals.contradiction.index import MAX_CANDIDATES, candidates, keys_of

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


def rows(statements: list[Statement]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for statement in statements:
        for key in keys_of(statement.text):
            found.setdefault(key, []).append(statement.id)
    return found


def test_a_statement_is_compared_with_those_that_share_its_subjects() -> None:
    old = [Statement(id=f"m{at}", text=text) for at, (text, _) in enumerate(CLASHING)]
    table = rows(old)
    new = Statement(id="m99", text="The email field is optional.")
    assert candidates(new, lambda key: table.get(key, [])) == ("m4",)


def test_however_much_was_said_few_are_compared_and_the_rarest_bond_comes_first() -> None:
    common = [Statement(id=f"m{at}", text=f"The server number {at} is up.") for at in range(1_000)]
    rare = Statement(id="rare", text="The server keeps its certificates in the vault.")
    table = rows([rare, *common])
    new = Statement(id="new", text="The server has no certificates in the vault.")
    chosen = candidates(new, lambda key: table.get(key, []))
    assert (len(chosen), chosen[0]) == (MAX_CANDIDATES, "rare")


def test_a_statement_is_never_its_own_candidate() -> None:
    one = Statement(id="m1", text="The vault holds certificates.")
    table = rows([one])
    assert candidates(one, lambda key: table.get(key, [])) == ()
