"""Rules on commands, libraries and tools to use or to leave alone."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from tests.unit.signals.adherence.checks.calls import judged, run


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        ("Use pnpm instead of npm", "pnpm install", "cd app && npm install"),
        ("use pnpm, not npm", "pnpm test", "npm test"),
        ("Never use sudo", "ls", "FORCE=1 sudo make install"),
        ("Never use sed", "ls", "sed -i s/a/b/ x.py"),
        ("Do not use git stash", "git status", "git stash"),
        ("use pnpm for everything, never npm", "pnpm test", "npm test"),
        ("Please use pnpm in the web/ folder, never npm.", "cd web && pnpm i", "cd web && npm i"),
        ("Never run rm -rf.", "rm -r build", "rm -rf build"),
        ("Never run rm -rf.", "rm build.log", "rm -r -f build"),
        ("Never run rm -rf.", "grep 'rm -rf' run.sh", "rm --recursive --force build"),
        ("Never run git reset --hard", "git reset HEAD~1", "git -C app reset --hard"),
        ("Never use curl -k.", "curl https://a.example", "curl -k https://a.example"),
        ("never use --no-verify", "git commit -m x", "git commit --no-verify -m x"),
    ],
)
def test_commands_are_looked_into(rule: str, kept: str, broken: str):
    assert (judged(rule, run(kept)).state, judged(rule, run(broken)).state) == (RuleState.KEPT, RuleState.BROKEN)


def test_a_command_that_only_speaks_of_it_breaks_nothing():
    assert judged("Use pnpm instead of npm", run("echo npm install && grep npm README.md")).state is RuleState.KEPT


def test_commands_that_an_answer_shows_count_as_well():
    shown = {
        tool: judged("Use pnpm, not npm", reply=f"Run this:\n\n```bash\n{tool} install\n```")
        for tool in ("npm", "pnpm")
    }
    assert (shown["npm"].state, shown["pnpm"].state) == (RuleState.BROKEN, RuleState.KEPT)


def test_a_rule_for_a_folder_says_nothing_of_commands_that_may_run_elsewhere():
    found = judged("Please use pnpm in the web/ folder, never npm.", run("npm install"))
    assert found.state is RuleState.UNKNOWN


def test_a_request_that_names_what_is_forbidden_leaves_it_open():
    found = judged("Use pnpm instead of npm", run("npm view clew"), request="What does npm say of clew?")
    assert found.state is RuleState.UNKNOWN
