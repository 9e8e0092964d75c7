"""Rules on what is not to be done, or not without leave."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import check_for
from tests.builders import call
from tests.unit.signals.adherence.checks.calls import judged, run


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Never commit without asking me first", "git commit -m x"),
        ("Ask before committing", "git -C app commit -am x"),
        ("Ask me before deleting any files or pushing", "rm src/a.py"),
        ("Ask me before deleting any files or pushing", "git push"),
        ("Don't commit unless I tell you to", "git add . && git commit -m x"),
        ("Never push to main", "git push origin main"),
        ("Never push to main", "git push origin HEAD:refs/heads/main"),
        ("never force push", "git push --force-with-lease"),
        ("never force push", "git push -uf origin fix"),
        ("Never force push.", "git push origin +main"),
        ("never amend commits", "git commit --amend --no-edit"),
        ("Don't install new packages without my permission", "uv add httpx"),
        ("Before merging, get my approval", "gh pr merge 4"),
    ],
)
def test_an_act_without_leave_is_a_breach(rule: str, command: str):
    assert judged(rule, run(command), request="Fix the flaky test").state is RuleState.BROKEN


@pytest.mark.parametrize("request_", ["commit this", "fix it, then commit and push", "/commit", "open a PR"])
def test_a_request_for_the_act_is_leave(request_: str):
    assert judged("Ask before committing", run("git commit -m x"), request=request_).state is not RuleState.BROKEN


def test_leave_given_a_little_earlier_still_holds_and_a_plain_yes_leaves_it_open():
    rule, commit = "Ask before committing", run("git commit -m x")
    assert judged(rule, commit, request="fix the typo", earlier=("commit when you are done",)).state is RuleState.KEPT
    assert judged(rule, commit, request="yes").state is RuleState.UNKNOWN


def test_forbidding_the_act_again_is_no_leave():
    assert judged("Do not push", run("git push"), request="fix it but do not push").state is RuleState.BROKEN


def test_a_ban_is_no_leave_for_anything_it_names():
    earlier = ("Start. Never push to main.",)
    found = judged("Never push to main.", run("git push origin main"), request="Fix it", earlier=earlier)
    assert found.state is RuleState.BROKEN


def test_asking_by_tool_is_asking():
    calls = call("c1", "AskUserQuestion", question="Commit?"), run("git commit -m x", "c2")
    assert judged("Ask before committing", *calls, request="Fix it").state is RuleState.KEPT


def test_a_ban_on_asking_is_read():
    assert check_for("don't ask before read-only stuff (ls, rg, kubectl get), just do it.") is None
