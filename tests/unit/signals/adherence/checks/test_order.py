"""Rules on what runs before or after what, and on commit messages."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from tests.unit.signals.adherence.checks.calls import edit, judged, run

CHANGE = edit("src/a.py", "x = 1", "x = 2", "c0")


@pytest.mark.parametrize(
    ("rule", "needed"),
    [
        ("Always run the tests before committing", "uv run pytest -q"),
        ("Run `make lint` before every commit", "make lint"),
        ("Before committing, run the linter", "ruff check ."),
    ],
)
def test_what_is_due_before_a_commit_runs_before_it(rule: str, needed: str):
    commit = run("git commit -m x", "c9")
    assert judged(rule, CHANGE, run(needed), commit).state is RuleState.KEPT
    assert judged(rule, CHANGE, commit, run(needed)).state is RuleState.BROKEN
    assert judged(rule, commit).state is RuleState.UNKNOWN
    assert judged(rule, CHANGE).state is RuleState.NOT_APPLICABLE


def test_what_is_due_after_a_change_runs_after_the_last_one():
    rule = "Run tests after every change"
    assert judged(rule, CHANGE, run("pytest")).state is RuleState.KEPT
    assert judged(rule, CHANGE).state is RuleState.BROKEN
    assert judged(rule, CHANGE, is_final=False).state is RuleState.UNKNOWN


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        ("Commit messages must follow conventional commits", "fix(log): fold twice", "Fix the log"),
        ("Commit messages should be under 50 characters", "fix the log", f"fix {'the log ' * 8}"),
        ("Don't add Co-Authored-By to commits", "fix the log", "fix\n\nCo-Authored-By: Claude <x@y.z>"),
    ],
)
def test_commit_messages_are_read(rule: str, kept: str, broken: str):
    heredoc = f"git commit -m \"$(cat <<'EOF'\n{broken}\nEOF\n)\""
    assert judged(rule, run(f'git commit -m "{kept}"')).state is RuleState.KEPT
    assert judged(rule, run(f'git commit -m "{broken}"')).state is RuleState.BROKEN
    assert judged(rule, run(heredoc)).state is RuleState.BROKEN
