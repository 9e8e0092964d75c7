"""Calls as checks read them: what is quoted of them, and that nothing in them does harm."""

from __future__ import annotations

import pytest

from clew.domain import Call, RuleState
from clew.signals.adherence.checks.compiler import Verdict
from tests.builders import call
from tests.unit.signals.adherence.checks.calls import judged, run, write


def test_evidence_names_the_message_that_made_the_call():
    found = judged("Do not push", run("ls"), run("git push", "c2"), request="Fix it", makers=("m3", "m5"))
    assert found == Verdict(rule="Do not push", state=RuleState.BROKEN, score=0.1, evidence="git push", message="m5")


@pytest.mark.parametrize(
    "hostile",
    [
        run("git commit -m '" + "\\" * 100_000),
        run("sudo " * 20_000),
        write("a.py", "def a" * 50_000),
        write("a.py", "#" * 300_000),
        call("c1", "Bash", command=None),
        call("c1", "Edit", file_path="a.py", edits=[{"old": 1}, None]),
        Call(id="c1", name="", arguments="{" * 10_000),
    ],
)
@pytest.mark.parametrize(
    "rule",
    ["Ask before committing", "Don't use console.log", "Never edit package.json", "Use single quotes"],
)
def test_hostile_calls_raise_nothing(rule: str, hostile: Call):
    assert judged(rule, hostile).state in set(RuleState)
