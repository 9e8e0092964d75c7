"""A brief reply is shown with the options that it names, as the agent listed them."""

from __future__ import annotations

import pytest

from clew.units.chosen_options import chosen_options

LIST = "Some facts:\n1. It is slow\n2. It is old\n\nWhat next?\n1. **Drop** the column\n2. Keep it\n3) `warn` about it"
TABLE = "| Option | Why |\n|---|---|\n| **A. Log it** | simple |\n| **B. Fail** | loud |\n| 7 | other.go |"


@pytest.mark.parametrize(
    ("reply", "before", "options"),
    [
        ("2", LIST, ["Keep it"]),
        ("yes do option 1", LIST, ["Drop the column"]),
        ("do 1,2 and 3", LIST, ["Drop the column", "Keep it", "`warn` about it"]),
        ("1+2", LIST, ["Drop the column", "Keep it"]),
        ("A.", TABLE, ["Log it | simple"]),
        ("yes, let's go with A", TABLE, ["Log it | simple"]),
        ("B is fine, ensure we log", TABLE, ["Fail | loud"]),
        ("skip 7", TABLE, ["other.go"]),
        ("fix all 3", LIST, []),
        ("it's in worktree 2", LIST, []),
        ("1. this has happened twice now", LIST, []),
        ("A test fails", TABLE, []),
        ("2", "Shall I push?", []),
        ("option 2 is what I would like, but only after we have talked about it", LIST, []),
    ],
)
def test_a_reply_names_options(reply: str, before: str, options: list[str]) -> None:
    assert chosen_options(reply, before) == options
