"""The weights of the model belong to the features."""

from __future__ import annotations

from clew.signals.contradiction.features import bouts
from clew.signals.contradiction.model import weights

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


def test_every_feature_has_a_weight_and_every_weight_a_feature() -> None:
    seen: dict[str, set[str]] = {}
    for earlier, later in CLASHING:
        for bout in bouts(earlier, later):
            seen.setdefault(bout.way, set()).update(bout.features)
    assert seen == {way: set(table) for way, table in weights().items()}
