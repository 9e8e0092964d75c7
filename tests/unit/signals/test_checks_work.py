"""What rules ask of work: names, style, choices, paths, deeds, order, commit messages."""

from __future__ import annotations

import pytest

from clew.domain import Call, RuleState
from clew.signals.checks import Turn, Verdict, check_for, evaluate
from tests.builders import call


def judged(rule: str, *calls: Call, request: str = "Go on with it", **more: object) -> Verdict:
    check = check_for(rule)
    assert check is not None, rule
    reply = str(more.pop("reply", "Done."))
    return evaluate(check, Turn(request=request, reply=reply, calls=calls, message="m9", **more))  # type: ignore[arg-type]


def run(command: str, id: str = "c1") -> Call:
    return call(id, "Bash", command=command)


def write(path: str, content: str, id: str = "c1") -> Call:
    return call(id, "Write", file_path=path, content=content)


def edit(path: str, old: str, new: str, id: str = "c1") -> Call:
    return call(id, "Edit", file_path=path, old_string=old, new_string=new)


# ── code ─────────────────────────────────────────────────────────────────────────────────────────────

CAMEL = "def readLog():\n    pass\n\n\ndef foldAll():\n    pass\n"
SNAKE = "def read_log():\n    pass\n\n\ndef fold_all():\n    pass\n"
SINGLE = "a = 'x'\nb = 'y'\nc = 'z'\nd = 'w'\n"
DOUBLE = SINGLE.replace("'", '"')


@pytest.mark.parametrize(
    ("rule", "path", "kept", "broken"),
    [
        ("Use snake_case for function names", "a.py", SNAKE, CAMEL),
        ("Class names must be PascalCase", "a.py", "class LogStore: ...", "class log_store: ...\nclass log_fold: ..."),
        ("Use single quotes", "a.py", SINGLE, DOUBLE),
        ("Use double quotes for strings", "a.py", DOUBLE, SINGLE),
        (
            "No semicolons in JavaScript",
            "a.js",
            "let a = 1\nlet b = 2\nlet c = 3",
            "let a = 1;\nlet b = 2;\nlet c = 3;",
        ),
        ("Use tabs for indentation", "a.py", "if x:\n\ta\n\tb\n\tc", "if x:\n    a\n    b\n    c"),
        ("Don't add comments to the code", "a.py", "x = 1  # noqa", "# the first\nx = 1"),
        ("Keep lines under 80 characters", "a.py", "x = 1", f"x = '{'y' * 90}'"),
        ("Never use lodash", "a.ts", "import { map } from './own'", "import { map } from 'lodash'"),
        ("Don't use axios, use fetch", "a.ts", "await fetch(url)", "import axios from 'axios'"),
        ("Never use any in TypeScript", "a.ts", "let a: string = b", "let a: any = b"),
        ("Don't leave console.log statements", "a.ts", "log(a)", "console.log(a)"),
        ("No default exports", "a.ts", "export const a = 1", "export default a"),
        ("prefer const over var", "a.js", "const a = 1", "var a = 1"),
        ("Use `fold_all` instead of `fold`", "a.py", "fold_all(a)", "import fold"),
    ],
)
def test_new_code_is_judged(rule: str, path: str, kept: str, broken: str):
    states = judged(rule, write(path, kept)).state, judged(rule, write(path, broken)).state
    assert states == (RuleState.KEPT, RuleState.BROKEN)


def test_what_stood_there_before_is_nobodys_breach():
    old = 'import lodash from "lodash"\n'
    assert judged("Never use lodash", edit("a.ts", old, f"{old}x()\n")).state is RuleState.KEPT


def test_code_shown_in_an_answer_counts_where_no_tool_wrote_any():
    assert judged("Never use lodash", reply="```ts\nimport _ from 'lodash'\n```").state is RuleState.BROKEN


def test_prose_and_data_are_no_code():
    assert judged("Use snake_case for function names", write("a.md", CAMEL)).state is RuleState.NOT_APPLICABLE


# ── commands and tools ───────────────────────────────────────────────────────────────────────────────


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
        ("Never use curl -k.", "curl https://a.example", "curl -k https://a.example"),
        ("never use --no-verify", "git commit -m x", "git commit --no-verify -m x"),
    ],
)
def test_commands_are_looked_into(rule: str, kept: str, broken: str):
    assert (judged(rule, run(kept)).state, judged(rule, run(broken)).state) == (RuleState.KEPT, RuleState.BROKEN)


def test_a_command_that_only_speaks_of_it_breaks_nothing():
    assert judged("Use pnpm instead of npm", run("echo npm install && grep npm README.md")).state is RuleState.KEPT


def test_a_rule_for_a_folder_says_nothing_of_commands_that_may_run_elsewhere():
    found = judged("Please use pnpm in the web/ folder, never npm.", run("npm install"))
    assert found.state is RuleState.UNKNOWN


def test_a_request_that_names_what_is_forbidden_leaves_it_open():
    found = judged("Use pnpm instead of npm", run("npm view clew"), request="What does npm say of clew?")
    assert found.state is RuleState.UNKNOWN


def test_tools_are_known_by_name_in_any_spelling():
    assert (
        judged("Do not use the WebFetch tool", call("c1", "web_fetch", url="https://x.org")).state is RuleState.BROKEN
    )


# ── files ────────────────────────────────────────────────────────────────────────────────────────────


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


# ── deeds and leave ──────────────────────────────────────────────────────────────────────────────────


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


def test_evidence_names_the_message_that_made_the_call():
    found = judged("Do not push", run("ls"), run("git push", "c2"), request="Fix it", makers=("m3", "m5"))
    assert found == Verdict(rule="Do not push", state=RuleState.BROKEN, score=0.1, evidence="git push", message="m5")


# ── order and commit messages ────────────────────────────────────────────────────────────────────────

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
        ('Start commit messages with "CLW-"', "CLW-4 fold", "fold"),
    ],
)
def test_commit_messages_are_read(rule: str, kept: str, broken: str):
    heredoc = f"git commit -m \"$(cat <<'EOF'\n{broken}\nEOF\n)\""
    assert judged(rule, run(f'git commit -m "{kept}"')).state is RuleState.KEPT
    assert judged(rule, run(f'git commit -m "{broken}"')).state is RuleState.BROKEN
    assert judged(rule, run(heredoc)).state is RuleState.BROKEN


# ── hostile calls ────────────────────────────────────────────────────────────────────────────────────


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
    ["Ask before committing", "Use snake_case for function names", "Never edit package.json", "Use single quotes"],
)
def test_hostile_calls_raise_nothing(rule: str, hostile: Call):
    assert judged(rule, hostile).state in set(RuleState)
