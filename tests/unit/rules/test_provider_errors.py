"""The page of rules lists every rule, with the provider's own words where they are known."""

from __future__ import annotations

from pathlib import Path

from clew.rules import RULES
from clew.rules.provider_errors import ERRORS

PAGE = Path(__file__).parents[3] / "docs" / "rules.md"


def test_every_error_belongs_to_a_rule() -> None:
    assert set(ERRORS) <= {rule.id for rule in RULES}


def test_the_page_has_a_line_for_every_rule() -> None:
    rows = [line.split(" | ")[0].removeprefix("| ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    assert [row for row in rows if row != "rule"] == sorted((rule.id for rule in RULES), key=rows.index)
    assert set(rows) - {"rule"} == {rule.id for rule in RULES}
