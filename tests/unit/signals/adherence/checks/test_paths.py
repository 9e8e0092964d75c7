"""Rules on files that must not be touched, and on work that stays within some."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from tests.builders import call
from tests.unit.signals.adherence.checks.calls import judged, write


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("Don't touch src/legacy", "/home/me/app/src/legacy/a.py"),
        ("Never edit package.json", "package.json"),
        ("do not modify the vendor directory", "app/vendor/x.go"),
        ("Never change `config/prod.toml`", "./config/prod.toml"),
        ("Do not edit lock files", "app/uv.lock"),
        ("Never create *.md files", "docs/notes.md"),
    ],
)
def test_protected_files_are_watched(rule: str, path: str):
    assert judged(rule, write(path, "x")).state is RuleState.BROKEN
    assert judged(rule, write("src/other.py", "x")).state is RuleState.KEPT


def test_reading_a_file_that_must_not_change_is_fine():
    assert judged("Never edit package.json", call("c1", "Read", file_path="package.json")).state is RuleState.KEPT
    assert judged("Don't read .env", call("c1", "Read", file_path="app/.env")).state is RuleState.BROKEN


def test_a_person_who_names_the_file_has_changed_the_rule():
    request = "Add the script to package.json"
    assert (
        judged("Never edit package.json", write("package.json", "{}"), request=request).state
        is RuleState.NOT_APPLICABLE
    )


def test_work_stays_where_it_was_confined_to():
    rule = "Only change files in src/api/"
    assert judged(rule, write("src/api/a.py", "x")).state is RuleState.KEPT
    assert judged(rule, write("src/db/a.py", "x")).state is RuleState.BROKEN
    assert judged(rule, write("/tmp/probe.py", "x")).state is RuleState.NOT_APPLICABLE
