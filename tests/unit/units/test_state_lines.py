"""Every line of the state comes from a record and names it; what no record tells is not said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Message, Status
from clew.units.file_lines import file_lines
from clew.units.state_lines import StateFact, StateItem, StateKind, state_lines
from tests.unit.history.work_map.examples import edit_call, tool_call, work_map_of


def state(*messages: Message) -> list[str]:
    return state_lines(work_map_of(*messages))


def test_nothing_is_said_of_an_empty_session() -> None:
    assert state() == []


def test_edits_since_the_last_commit_are_told() -> None:
    commit = tool_call("Bash", "[main 1a2b3c4] Trim the name", command="git commit -am x")
    found = state(*edit_call("/shop/a.py", "x", "y"), *commit, *edit_call("/shop/b.py", "x", "y"))
    assert found == [
        "branch main (m4)",
        "commits: 1a2b3c4 Trim the name (m4)",
        "no commit seen since the edits of: /shop/b.py",
        "no push seen",
    ]


def test_a_rebase_after_a_push_is_no_commit_that_was_not_pushed() -> None:
    commit = tool_call("Bash", "[main 1a2b3c4] Trim the name", command="git commit -am x")
    push = tool_call("Bash", "   0a2b3c4..1a2b3c4  main -> main", command="git push")
    rebase = tool_call("Bash", "Successfully rebased and updated refs/heads/main.", command="git rebase origin/main")
    assert state(*commit, *push, *edit_call("/shop/b.py", "x", "y"), *rebase) == [
        "branch main (m2)",
        "pushed: main (m4)",
    ]


def test_to_dos_are_those_of_the_last_list() -> None:
    first = [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]
    found = state(*tool_call("TodoWrite", "ok", todos=first))
    assert found == ["to-dos (m2): [doing] b; done: a"]


def test_tasks_are_folded_over_the_session() -> None:
    found = state(
        *tool_call("TaskCreate", "Task #1 created", subject="parse"),
        *tool_call("TaskCreate", "Task #2 created", subject="print"),
        *tool_call("TaskUpdate", "Updated task #1", taskId="1", status="completed"),
    )
    assert found == ["to-dos (m6): [open] print; done: parse"]


def test_a_failure_that_was_fixed_is_no_longer_open() -> None:
    failed = tool_call("Bash", "FAILED tests/test_a.py::test_x - boom\n1 failed", command="pytest | tail -2")
    assert state(*failed) == [
        "failed, not seen to pass since (m2): `pytest` → FAILED tests/test_a.py::test_x - boom",
    ]
    assert state(*failed, *tool_call("Bash", "3 passed", command="pytest | tail -2")) == [
        "passed (m4): `pytest` → 3 passed"
    ]


def test_a_result_hidden_by_a_pipe_is_not_told_as_passed() -> None:
    assert state(*tool_call("Bash", "some line", command="make test | grep x")) == []


def test_a_log_that_shows_the_head_makes_no_commit() -> None:
    log = tool_call("Bash", "36567f3 Merge pull request #154", command="git log --oneline -5")
    assert "no commit seen in this session" in state(*edit_call("/shop/a.py", "x", "y"), *log)


def test_what_git_listed_is_told_until_the_next_commit() -> None:
    status = tool_call("Bash", " M a.py\n?? notes.md", command="git status --short")
    commit = tool_call("Bash", "[main 1a2b3c4] Trim the name", command="git commit -am x")
    assert "git status (m2): changed a.py; untracked notes.md" in state(*status)
    assert not any(line.startswith("git status") for line in state(*status, *commit))


def test_the_pull_request_that_was_looked_at_is_named() -> None:
    found = state(*tool_call("Bash", "title: x", command="gh pr view 158 --comments"))
    assert found == ["pull request looked at last: #158 (m2)"]


def test_a_check_that_passed_shows_counts_or_nothing() -> None:
    assert state(*tool_call("Bash", "ok  shop/cart  (cached)", command="go test ./...")) == [
        "passed (m2): `go test ./...`"
    ]
    assert state(*tool_call("Bash", "12 passed in 0.2s", command="pytest")) == [
        "passed (m2): `pytest` → 12 passed in 0.2s"
    ]


def test_checks_from_before_the_last_edit_say_so() -> None:
    passed = tool_call("Bash", "12 passed in 0.2s", command="pytest")
    edit = edit_call("/shop/a.py", "x", "y")
    assert "passed (m2): `pytest` → 12 passed in 0.2s; edited since: /shop/a.py (m4)" in state(*passed, *edit)
    assert "passed (m4): `pytest` → 12 passed in 0.2s" in state(*edit, *passed)
    notes = edit_call("/shop/notes.md", "x", "y")
    assert "passed (m2): `pytest` → 12 passed in 0.2s" in state(*passed, *notes)


def test_formatting_and_texts_for_others_are_no_checks() -> None:
    assert state(*tool_call("Bash", "", command="gofmt -w a.go")) == []
    assert (
        state(*tool_call("Bash", '{"id": 1}', command="gh api repos/a/b/issues -f body='run pytest, then make test'"))
        == []
    )


def test_a_program_that_ended_well_proves_nothing() -> None:
    assert state(*tool_call("Bash", "usage: x", command="python3 tool.py --help")) == []
    assert state(*tool_call("Bash", "", command="chmod +x run.sh")) == []


def test_the_widest_pass_since_the_last_edit_is_told_first_and_stands_for_narrower_ones() -> None:
    found = state(
        *edit_call("/shop/a.py", "x", "y"),
        *tool_call("Bash", "All checks passed!", command="ruff check ."),
        *tool_call("Bash", "9 passed in 1s", command="pytest"),
        *tool_call("Bash", "1 passed in 1s", command="pytest tests/test_a.py"),
        *tool_call("Bash", "2 passed in 1s", command="npx vitest run menu.test.ts"),
    )
    assert [line for line in found if line.startswith("passed")] == [
        "passed (m6): `pytest` → 9 passed in 1s",
        "passed (m4): `ruff check .` → All checks passed!",
        "passed (m10): `npx vitest run menu.test.ts` → 2 passed in 1s",
    ]


@pytest.mark.parametrize(
    "gone",
    [
        tool_call("Bash", "", command="rm /shop/old.py"),
        tool_call("Bash", "rm 'old.py'", command="git rm old.py"),
        tool_call("apply_patch", "Success.", input="*** Begin Patch\n*** Delete File: old.py\n*** End Patch"),
    ],
)
def test_files_that_were_deleted_are_told_until_they_are_committed(gone: list[Message]) -> None:
    work = work_map_of(*edit_call("/shop/lib/a.py", "x", "y"), *gone, cwd="/shop")
    assert any(line.endswith("old.py (m4)") and line.startswith("deleted, no") for line in state_lines(work))
    assert any("old.py (deleted, m4)" in line for line in file_lines(work, {}, chars=500))
    commit = tool_call("Bash", "[main 1a2b3c4] Tidy up", command="git commit -am x")
    assert not any("deleted" in line for line in state(*edit_call("/shop/lib/a.py", "x", "y"), *gone, *commit))


def test_what_was_made_and_deleted_again_is_nothing_to_commit() -> None:
    made = tool_call("Write", "File created successfully", file_path="/shop/try.py", content="x")
    found = state(*made, *tool_call("Bash", "", command="rm /shop/try.py"))
    assert not any("try.py" in line for line in found)


def test_a_file_deleted_outside_of_the_folder_that_was_worked_in_has_its_line() -> None:
    work = work_map_of(*edit_call("/shop/lib/a.py", "x", "y"), *tool_call("Bash", "", command="rm /shop/NOTES.md"))
    assert "/shop/NOTES.md (deleted, m4)" in file_lines(replace(work, root="/shop/lib"), {}, chars=500)


def test_a_task_stands_for_no_other_task_that_it_may_not_run() -> None:
    ok = "ok  \tapp/till\t0.2s"
    integration = tool_call("Bash", ok, command="mise run test:integration")
    told = state(*integration, *tool_call("Bash", ok, command="mise run test"))
    assert told == ["passed (m4): `mise run test`", "passed (m2): `mise run test:integration`"]
    assert state(*integration, *tool_call("Bash", ok, command="mise run test:ci")) == [
        "passed (m4): `mise run test:ci`"
    ]


def test_what_lay_in_a_folder_for_trials_is_nothing_to_commit() -> None:
    assert state(*tool_call("Bash", "", command="rm /tmp/try.txt"), *edit_call("/tmp/try.py", "x", "y")) == []


@pytest.mark.parametrize(
    "later",
    [
        "cd /shop\ngofmt -w a.go\ngo build ./cart/ 2>&1 | head -30 && echo 'BUILD DONE (empty above = OK)'",
        "go build ./cart/ 2>&1 | tail -5; echo built",
        "cd /shop && go build ./... && echo 'all built'",
    ],
)
def test_a_build_that_says_nothing_but_what_its_command_line_says_is_over(later: str) -> None:
    failed = tool_call(
        "Bash", "cart/a.go:12:2: imported and not used", command="cd /shop\ngo build ./cart/ 2>&1 | head"
    )
    told = state(*failed)
    assert told == ["failed, not seen to pass since (m2): `go build ./cart/` → cart/a.go:12:2: imported and not used"]
    passed = tool_call("Bash", later.rsplit("echo ", 1)[-1].strip("'"), command=later)
    assert not [line for line in state(*failed, *passed) if line.startswith("failed")]


@pytest.mark.parametrize(
    "later",
    [
        "go build ./cart/ || echo broken",
        "go build ./cart/ & echo started",
        "go build ./cart/ > log; echo built",
        "go build ./cart/ 2>&1 | grep -c imported; echo built",
        "go build ./cart/; [ $? -ne 0 ] && echo broken",
        "go build ./cart/; echo failed",
    ],
)
def test_what_a_command_line_says_whatever_came_of_a_build_shows_nothing(later: str) -> None:
    failed = tool_call("Bash", "cart/a.go:12:2: imported and not used", command="go build ./cart/ 2>&1 | head")
    ran = tool_call("Bash", later.rsplit("echo ", 1)[-1], command=later)
    assert [line for line in state(*failed, *ran) if line.startswith("failed, not seen to pass since (m2)")]


def test_a_linter_that_is_given_all_files_checks_what_its_task_checks() -> None:
    said = '$ biome check .\n./cart.ts format\n  × Some errors were emitted\nerror: script "lint" exited with code 1'
    failed = tool_call("Bash", said, Status.FAILED, command="bun run lint")
    printed = "Process exited with code 0\nOutput:\nChecked 72 files in 9ms. No fixes applied."
    all_files = tool_call("Bash", printed, command="git ls-files -z | xargs -0 bunx biome check")
    assert state(*failed, *all_files) == ["passed (m4): `git ls-files -z | xargs -0 bunx biome check`"]
    some = tool_call("Bash", printed, command="git diff --name-only | xargs bunx biome check")
    assert state(*failed, *some)[0].startswith("failed, not seen to pass since (m2): `bun run lint`")


@pytest.mark.parametrize(
    "command",
    ["golangci-lint run --no-config -E unused ./cart/...", "ruff check --isolated a.py", "eslint -c /tmp/x.json a.js"],
)
def test_a_linter_without_the_rules_of_the_project_is_asked_something(command: str) -> None:
    assert state(*tool_call("Bash", "cart/a.go:390:20: not checked (errcheck)", Status.FAILED, command=command)) == []


@pytest.mark.parametrize(
    ("command", "text", "told"),
    [
        (
            "gh run watch 71 --exit-status",
            "Process exited with code 0\nOutput:\n* main CI · 71",
            "CI passed (m2): run 71",
        ),
        ("gh run view 71 -R a/b", "✓ main CI · 71\nTriggered via push", "CI passed (m2): run 71 of a/b"),
        ("gh run view 71 --json conclusion,jobs", '{"conclusion":"failure","jobs":[]}', "CI failed (m2): run 71"),
        ("gh pr checks 5", "lint\tfail\t1m\thttps://x\ntest\tpass\t2m\t", "CI failed (m2): pull request #5, lint"),
        ("gh pr checks 5", "lint\tpass\t1m\thttps://x\ntest\tskipping\t0\t", "CI passed (m2): pull request #5"),
        ("gh pr checks 5", "lint\tpass\t1m\thttps://x\ntest\tpending\t0\t", ""),
        ("gh pr checks 5 | grep lint", "lint\tpass\t1m\thttps://x", ""),
        ("gh run view 71 --log-failed", "X main CI · 71", ""),
        ("gh run watch 71", "* main CI · 71\n  ✓ Set up job", ""),
    ],
)
def test_the_last_look_at_ci_is_told_where_it_says_how_it_ended(command: str, text: str, told: str) -> None:
    found = state(*tool_call("Bash", text, command=command))
    assert [line for line in found if line.startswith("CI")] == ([told] if told else [])


def test_ci_that_ended_before_a_push_says_so_and_another_look_ends_it() -> None:
    red = tool_call("Bash", "lint\tfail\t1m\thttps://x", Status.FAILED, command="gh pr checks 5")
    push = tool_call("Bash", "   0a2b3c4..1a2b3c4  main -> main", command="git push")
    again = tool_call("Bash", "lint\tpending\t0\thttps://x", command="gh pr checks 5")
    assert state(*red, *push)[-1] == "CI failed (m2): pull request #5, lint; pushed since"
    assert not [line for line in state(*red, *push, *again) if line.startswith("CI")]


def test_a_pull_request_of_another_repository_is_told_with_it() -> None:
    looked = tool_call("Bash", "title: Prices", command="gh pr view 714 --repo harbor/prices --json files")
    assert state(*looked) == ["pull request looked at last: harbor/prices#714 (m2)"]
    asked = tool_call("Bash", "[]", command="gh api repos/harbor/prices/pulls/7/comments")
    assert state(*asked) == ["pull request looked at last: harbor/prices#7 (m2)"]


def test_what_was_committed_in_another_folder_says_in_which() -> None:
    here = tool_call("Bash", "[main 1a2b3c4] Trim", command="git commit -am x")
    there = tool_call(
        "exec_command", "[main 5d6e7f8] Notes", cmd="git commit -am y && git push", workdir="/home/ann/notes"
    )
    pushed = tool_call("exec_command", "   0a2b3c4..5d6e7f8  main -> main", cmd="git push", workdir="/home/ann/notes")
    assert state_lines(work_map_of(*here, *there, *pushed, cwd="/home/ann/shop")) == [
        "branch main (m2)",
        "commits on main in notes: 5d6e7f8 Notes (m4)",
        "commits: 1a2b3c4 Trim (m2)",
        "pushed: main in notes (m6)",
    ]


def test_in_little_room_the_newest_items_stay_whole() -> None:
    commits = [
        tool_call("Bash", f"[main 1a2b3c{at}] Round the tax of order {at}", command="git commit -am x")
        for at in range(6)
    ]
    work = work_map_of(*(message for commit in commits for message in commit))
    assert state_lines(work, chars=90)[1] == "commits: […]; 1a2b3c5 Round the tax of order 5 (m12)"


def test_to_dos_that_nobody_touched_for_long_say_so() -> None:
    listed = tool_call("TodoWrite", "ok", todos=[{"content": "run the tests", "status": "in_progress"}])
    looks = [message for _ in range(12) for message in tool_call("Read", "x", file_path="/shop/a.py")]
    assert state(*listed, *looks)[0] == "to-dos (m2, not touched since, now at m26): [doing] run the tests"


def test_of_several_counts_the_last_is_told_as_the_last() -> None:
    ran = tool_call(
        "Bash", "shop test:  609 pass\nshop test:  0 fail\n@shop/cart test:  93 pass", command="bun run test"
    )
    assert state(*ran) == ["passed (m2): `bun run test` → 93 pass (the last of 2 such lines)"]


def test_a_wider_run_of_tests_clears_a_narrower_one_that_failed() -> None:
    start = "go test -tags integration -run"
    text = "--- FAIL: TestOverlap_Stash (0.5s)\nFAIL\tshop/cart\t1.7s\nFAIL"
    failed = tool_call("Bash", text, command=f"{start} TestOverlap_Stash ./cart 2>&1 | tail -20")
    passed = tool_call("Bash", "ok  \tshop/cart\t1.7s", command=f"{start} TestOverlap ./cart 2>&1 | tail")
    assert state(*failed, *passed) == [f"passed (m4): `{start} TestOverlap ./cart`"]
    others = tool_call("Bash", "3 passed", command="pytest -k 'not stash' tests")
    red = tool_call("Bash", "2 failed", Status.FAILED, command="pytest -k stash tests")
    assert state(*red, *others)[0].startswith("failed, not seen to pass since (m2): `pytest -k stash tests`")


def test_a_command_line_is_told_with_all_that_it_checks() -> None:
    command = "go build ./... 2>&1 && golangci-lint run ./cart 2>&1 | tail -10 && go test ./cart 2>&1 | tail -5"
    passed = tool_call("Bash", "0 issues.\nok  \tshop/cart\t1.7s", command=command)
    told = "go build ./... 2>&1 && golangci-lint run ./cart 2>&1 | tail -10 && go test ./cart"
    assert state(*passed) == [f"passed (m2): `{told}`"]


def test_of_two_looks_at_ci_the_one_at_the_newer_run_is_told() -> None:
    red = tool_call("Bash", '{"conclusion":"failure","jobs":[]}', command="gh run view 72 --json conclusion,jobs")
    older = tool_call("Bash", '{"conclusion":"success","jobs":[]}', command="gh run view 71 --json conclusion,jobs")
    assert state(*red, *older) == ["CI failed (m2): run 72"]


def test_tests_of_which_only_passes_are_left_out_of_the_report_passed_where_nothing_is_left() -> None:
    command = "go build ./... && golangci-lint run | tail -3 && echo '== tests' && {} | tail; echo '== done'"
    dropped = command.format("go test ./... 2>&1 | grep -v '^ok\\|no test files'")
    failed = tool_call(
        "Bash", "--- FAIL: TestTax (0.1s)\nFAIL\tshop/tax\t0.1s\nFAIL", command="go test ./tax ./cart | tail"
    )
    passed = tool_call("Bash", "0 issues.\n== tests\n== done", command=dropped)
    assert not [line for line in state(*failed, *passed) if line.startswith("failed")]
    red = tool_call("Bash", "0 issues.\n== tests\nsome tests were angry\n== done", command=dropped)
    assert state(*failed, *red)[0].startswith("failed, not seen to pass since (m2)")
    counted = command.format("go test ./... 2>&1 | grep -v 'FAIL\\|^ok'")
    unseen = tool_call("Bash", "0 issues.\n== tests\n== done", command=counted)
    assert state(*failed, *unseen)[0].startswith("failed, not seen to pass since (m2)")


def test_a_command_and_what_it_reported_are_shortened_apart() -> None:
    command = f"conda run -n shop ./runtests.py --verbosity 2 {' '.join(f'tests/part_{at}.py' for at in range(30))}"
    item = StateItem("failed", 7, f": `{command}`")
    fact = StateFact(StateKind.FAILURE, (item,), end=" → FAILED tests/part_3.py::test_total - " + "x" * 90)
    line = fact.line_within(200)
    told, arrow, report = line.partition("→")
    assert arrow
    assert told.rstrip().endswith("`")
    assert "FAILED tests/part_3.py" in report
    assert len(line) <= 215


def test_what_was_edited_since_is_said_of_a_check_also_where_little_fits() -> None:
    failed = tool_call("Bash", f"FAILED tests/test_a.py::test_x - {'boom ' * 30}\n1 failed", command="pytest")
    work = work_map_of(*failed, *edit_call("/shop/a.py", "an old line", "a_new = line()"))
    assert state_lines(work)[0].endswith("; edited since: /shop/a.py (m4)")
    short = state_lines(work, chars=110)[0]
    assert short.endswith("; edited since")
    assert "/shop/a.py" not in short


def test_a_check_before_git_put_a_file_back_tells_of_another_state() -> None:
    edit, passed = edit_call("/shop/a.py", "x", "y"), tool_call("Bash", "12 passed in 0.2s", command="pytest")
    back = tool_call("Bash", "Updated 1 path from the index", command="git checkout -- a.py")
    stashed = tool_call("Bash", "Saved working directory and index state WIP on main", command="git stash")
    popped = tool_call("Bash", "Dropped refs/stash@{0}", command="git stash pop")
    assert "passed (m4): `pytest` → 12 passed in 0.2s; edited since: /shop/a.py (m6)" in state(*edit, *passed, *back)
    assert "passed (m4): `pytest` → 12 passed in 0.2s" in state(*edit, *passed, *stashed, *popped)
