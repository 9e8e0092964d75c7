"""The last result of each command and test."""

from __future__ import annotations

import pytest

from clew.domain import Message, Status
from clew.history.work_map.commands import command_key
from clew.history.work_map.view import CommandFacts
from clew.text.tools.actions import RunResult
from clew.units.state_lines import state_lines
from tests.builders import injected
from tests.unit.history.work_map.examples import edit_call, tool_call, work_map_of


def test_the_last_result_of_a_command_counts() -> None:
    work = work_map_of(
        *tool_call("Bash", "Exit code 1\nerror: no rule", Status.FAILED, command="cd /w && make build 2>&1 | tail -5"),
        *tool_call("Bash", "Exit code: 0\nOutput:\nbuilt", command="make build"),
    )
    passed = RunResult.PASSED
    assert work.commands == (
        CommandFacts(command="make build", at=4, runs=2, result=passed, exit_code=0, line="built", is_check=True),
    )


@pytest.mark.parametrize(
    ("command", "text", "failing"),
    [
        ("pytest", "FAILED tests/test_a.py::test_x - boom\n1 failed", ("tests/test_a.py::test_x",)),
        ("go test ./...", "--- FAIL: TestRun (0.01s)\nFAIL", ("TestRun",)),
        ("cargo test", "test store::opens ... FAILED\ntest result: FAILED", ("store::opens",)),
        ("bun test", "(fail) store > opens [1.2ms]\n 1 fail", ("store > opens",)),
        ("npx jest", "  ✕ opens the store (12 ms)", ("opens the store",)),
    ],
)
def test_failing_tests_are_named(command: str, text: str, failing: tuple[str, ...]) -> None:
    work = work_map_of(*tool_call("Bash", text, command=command + " | tail -40"))
    assert [(facts.is_test, facts.ok, facts.failing) for facts in work.commands] == [(True, False, failing)]


def test_a_command_in_the_background_ends_with_its_last_output() -> None:
    work = work_map_of(
        *tool_call("exec_command", "Process running with session ID 42\n", cmd="npm test"),
        *tool_call("write_stdin", "Process exited with code 0\nOutput:\n3 passed", session_id=42, chars=""),
    )
    assert [(facts.command, facts.ok, facts.line) for facts in work.commands] == [("npm test", True, "3 passed")]


def test_a_failed_check_is_open_until_a_run_shows_that_it_passes() -> None:
    failed = tool_call("Bash", "--- FAIL: TestRun\nFAIL", command="go test ./store/... 2>&1 | tail -5")
    passed = tool_call("Bash", "ok  \tapp/store\t0.1s", command="go test ./store/... 2>&1 | tail -5")
    other = tool_call("Bash", "ok  \tapp/web\t0.1s", command="go test ./web/...")
    assert [one.text for one in work_map_of(*failed).open_failures] == ["--- FAIL: TestRun"]
    assert len(work_map_of(*failed, *other).open_failures) == 1
    assert work_map_of(*failed, *passed).open_failures == ()


def test_a_narrower_run_closes_only_what_it_covers() -> None:
    failed = tool_call("Bash", "--- FAIL: TestRun\n--- FAIL: TestStop\nFAIL", command="go test ./... | tail -5")
    one = tool_call("Bash", "ok  \tapp/store\t0.1s", command="go test ./store -run TestRun")
    both = tool_call("Bash", "ok  \tapp/store\t0.1s", command="go test ./store -run Test")
    assert len(work_map_of(*failed, *one).open_failures) == 1
    assert work_map_of(*failed, *both).open_failures == ()


def test_a_run_of_all_tests_closes_what_failed_before() -> None:
    failed = tool_call("Bash", "1 failed", command="pytest tests/test_a.py | tail -1")
    assert work_map_of(*failed, *tool_call("Bash", "9 passed", command="make test")).open_failures == ()


def test_a_result_that_nobody_knows_closes_nothing() -> None:
    failed = tool_call("Bash", "1 failed", command="pytest tests/test_a.py | tail -1")
    hidden = tool_call("Bash", "", command="pytest tests/test_a.py | grep TOTAL")
    assert len(work_map_of(*failed, *hidden).open_failures) == 1


def test_a_command_in_the_background_is_running_until_it_is_seen_to_end() -> None:
    started = tool_call("exec_command", "Process running with session ID 42\n", cmd="npm run dev")
    assert work_map_of(*started).running == (("42", "npm run dev", 2),)


def test_a_running_command_is_told_from_its_start_until_the_client_reports_its_end() -> None:
    started = tool_call("Bash", "Command running in background with ID: b1.", command="make serve")
    looked = tool_call("TaskOutput", "<task_id>b1</task_id>\n<status>running</status>", task_id="b1")
    ended = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>"
    work = work_map_of(*started, *looked)
    assert (work.running, work.commands) == ((("b1", "make serve", 2),), ())
    assert work_map_of(*started, *looked, injected(ended)).running == ()


def test_a_command_that_was_stopped_did_not_pass() -> None:
    started = tool_call("Bash", "Command running in background with ID: b1.", command="make test")
    work = work_map_of(*started, *tool_call("TaskStop", '{"message":"Successfully stopped task: b1"}', task_id="b1"))
    assert (work.running, work.commands) == ((), ())


def test_what_a_running_command_printed_counts_as_its_own() -> None:
    started = tool_call("Bash", "Command running in background with ID: b1.", command="pytest | tail -3")
    ended = "<status>completed</status>\n<exit_code>0</exit_code>\n<output>\n1 failed, 2 passed"
    work = work_map_of(*started, *tool_call("TaskOutput", ended, task_id="b1"))
    assert [(facts.command, facts.ok) for facts in work.commands] == [("pytest", False)]


def test_a_failure_is_over_when_its_part_passes_in_a_longer_command() -> None:
    failed = tool_call("Bash", "Exit code 1\na.go:3:1: unused", Status.FAILED, command="mise run lint")
    passed = tool_call("Bash", "0 issues.", command="mise run fmt && mise run lint 2>&1 | tail -10")
    assert work_map_of(*failed, *passed).open_failures == ()


def test_a_failed_list_is_over_when_each_part_was_seen_to_pass() -> None:
    failed = tool_call("Bash", "Exit code 1\nerror: x", Status.FAILED, command="ruff check . && mypy src")
    lint, types = tool_call("Bash", "", command="ruff check ."), tool_call("Bash", "", command="mypy src")
    assert len(work_map_of(*failed, *lint).open_failures) == 1
    assert work_map_of(*failed, *lint, *types).open_failures == ()


def test_failing_tests_pass_by_another_runner_that_names_them() -> None:
    failed = tool_call("Bash", "Exit code 1\n--- FAIL: TestA\n--- FAIL: TestB", Status.FAILED, command="make test")
    passed = tool_call("Bash", "ok  \tapp\t1s", command="go build ./... && go test -run 'TestA|TestB' ./app/...")
    assert work_map_of(*failed, *passed).open_failures == ()


@pytest.mark.parametrize(
    "command",
    [
        "python -c 'import shop.tax'",
        "python3 probe.py",
        "node -e 'require(\"./cart\")'",
        "ls missing",
        "curl -sf localhost:8000/health",
        "grep -rn total src",
        "git commit -m one",
        "pytest /tmp/test_probe.py",
        "cd /tmp/trial && go test ./...",
        "npm run dev",
        "ruff format .",
    ],
)
def test_only_checks_of_the_work_are_told_as_failed(command: str) -> None:
    failed = tool_call("Bash", "Exit code 1\nTraceback (most recent call last)", Status.FAILED, command=command)
    assert work_map_of(*failed).open_failures == ()


GO_FAILED = tool_call(
    "Bash", "--- FAIL: TestTotal (0.01s)\nFAIL", command="go test ./cart -run TestTotal 2>&1 | tail -3"
)
GO_REPORT = "ok  \tshop/web\t1.2s\nok  \tshop/cart\t(cached)\n"


@pytest.mark.parametrize(
    ("command", "text", "is_open"),
    [
        ("mise run test:ci", GO_REPORT, False),
        ("mise run test:unit", GO_REPORT, False),
        ("make test 2>&1 | tail -40", f"{GO_REPORT}--- FAIL: TestPage\nFAIL\tshop/web\t0.1s\nFAIL", False),
        ("go test ./...", "", True),
        ("mise run test:unit", "ok  \tshop/web\t1.2s\n", True),
        ("go test ./cart -run TestTax", "ok  \tshop/cart\t0.1s", True),
        ("go test ./cart -run TestTax -v", "--- PASS: TestTotal (0.0s)\nPASS\nok  \tshop/cart\t0.1s", False),
        ("cat report.txt", GO_REPORT, True),
    ],
)
def test_a_wider_run_closes_what_its_report_names_as_passed(command: str, text: str, is_open: bool) -> None:
    work = work_map_of(*GO_FAILED, *tool_call("Bash", text, command=command))
    assert any("TestTotal" in one.reason for one in work.open_failures) is is_open


@pytest.mark.parametrize(
    ("failed", "report", "command", "passed"),
    [
        ("pytest -q", "FAILED tests/a.py::test_x - boom\n1 failed", "pytest tests/a.py", "3 passed in 0.1s"),
        ("npx jest", "FAIL src/a.test.ts\n  ✕ adds (2 ms)", "npm run test:unit", "PASS src/a.test.ts\n  ✓ adds (2 ms)"),
        ("cargo test", "test cart::adds ... FAILED\ntest result: FAILED", "cargo test cart", "test cart::adds ... ok"),
        ("go build ./...", "cart.go:3:1: undefined: x\nExit code 1", "go test ./...", "ok  \tshop/cart\t0.1s"),
        ("mypy src", "src/a.py:3: error: bad\nExit code 1", "pyright src", "0 errors, 0 warnings"),
        ("pytest tests/a.py", "1 failed", "python -m unittest tests/a.py", "Ran 3 tests in 0.1s\n\nOK"),
    ],
)
def test_another_check_that_shows_the_same_closes_a_failure(
    failed: str, report: str, command: str, passed: str
) -> None:
    before = tool_call("Bash", report, Status.FAILED, command=failed)
    assert len(work_map_of(*before).open_failures) == 1
    assert work_map_of(*before, *tool_call("Bash", passed, command=command)).open_failures == ()


def test_of_several_failing_tests_those_that_passed_since_are_told_no_more() -> None:
    failed = tool_call("Bash", "--- FAIL: TestTotal\n--- FAIL: TestTax\nFAIL", command="go test ./cart | tail -5")
    passed = tool_call(
        "Bash", "--- PASS: TestTax (0.1s)\nok  \tshop/cart\t1s", command="go test ./cart -run TestTax -v"
    )
    open = work_map_of(*failed, *passed).open_failures
    assert [(one.tests, one.reason) for one in open] == [(("TestTotal",), "--- FAIL: TestTotal")]


def test_a_run_that_fails_again_takes_the_place_of_the_ones_it_covers() -> None:
    again = tool_call("Bash", "--- FAIL: TestTotal\nFAIL", command="go test ./... 2>&1 | tail -3")
    assert [one.number for one in work_map_of(*GO_FAILED, *again).open_failures] == [4]


@pytest.mark.parametrize(
    "change",
    [
        edit_call("cart/cart_test.go", "func TestTotal(t *testing.T) {", "func TestSum(t *testing.T) {"),
        edit_call("cart/cart_test.go", "func TestTotal(t *testing.T) {\n}\n", ""),
        tool_call("Bash", "", command="rm cart/cart_test.go && ls"),
        tool_call("Write", "updated successfully", file_path="cart/cart_test.go", content="func TestSum() {}\n"),
    ],
)
def test_a_test_that_is_no_longer_there_has_not_failed(change: list[Message]) -> None:
    seen = tool_call("Read", "1→func TestTotal(t *testing.T) {\n2→}", file_path="cart/cart_test.go")
    kept = edit_call("cart/cart_test.go", "func TestTotal(t *testing.T) {", "func TestTotal(t *testing.T) { // twice")
    assert len(work_map_of(*seen, *GO_FAILED, *kept).open_failures) == 1
    assert work_map_of(*seen, *GO_FAILED, *change).open_failures == ()


def test_what_is_run_while_the_work_lies_in_the_stash_says_nothing_of_it() -> None:
    edit = edit_call("cart/cart.go", "a", "b")
    stashed = tool_call("Bash", "Saved working directory and index state WIP", command="git stash")
    failed = tool_call("Bash", "--- FAIL: TestTotal\nFAIL", command="go test ./cart 2>&1 | tail -3")
    popped = tool_call("Bash", "Dropped refs/stash@{0}", command="git stash pop")
    assert work_map_of(*edit, *stashed, *failed, *popped).open_failures == ()
    assert len(work_map_of(*edit, *stashed, *popped, *failed).open_failures) == 1
    assert len(work_map_of(*edit, *stashed, *edit, *failed).open_failures) == 1


def test_a_program_that_fails_after_a_build_is_no_failed_build() -> None:
    command = "go build -o /tmp/shop ./cmd/shop && /tmp/shop sell"
    said = tool_call("Bash", "Exit code 1\nError: unknown command: sell", Status.FAILED, command=command)
    built = tool_call("Bash", "Exit code 1\ncmd/shop/main.go:3:1: undefined: x", Status.FAILED, command=command)
    assert work_map_of(*said).open_failures == ()
    assert len(work_map_of(*built).open_failures) == 1


def test_what_had_to_pass_before_a_task_that_failed_has_passed() -> None:
    report = "Exit code 1\n[lint:go] cart.go:3:1: unused\n[lint:go] ERROR task failed"
    failed = tool_call("Bash", report, Status.FAILED, command="go build ./... && mise run lint")
    passed = tool_call("Bash", "0 issues.", command="mise run lint 2>&1 | tail -3")
    assert len(work_map_of(*failed).open_failures) == 1
    assert work_map_of(*failed, *passed).open_failures == ()


def test_any_test_that_passes_shows_that_what_could_not_be_compiled_is() -> None:
    report = "Exit code 1\ncart/cart_test.go:3:1: undefined: x\nFAIL\tshop/cart [build failed]"
    failed = tool_call("Bash", report, Status.FAILED, command="go test -c -o /dev/null ./cart")
    passed = tool_call("Bash", "ok  \tshop/cart\t0.1s", command="go test -run TestTax ./cart")
    assert len(work_map_of(*failed).open_failures) == 1
    assert work_map_of(*failed, *passed).open_failures == ()


@pytest.mark.parametrize(
    "text",
    [
        "Error: unknown flag: --disable-all",
        "(eval):cd:1: no such file or directory: cart",
        "mise ERROR no task lint:full found\nmise ERROR Run with --verbose for more information",
    ],
)
def test_a_check_that_could_not_be_begun_was_not_run(text: str) -> None:
    text = f"Exit code 1\n{text}"
    failed = tool_call("Bash", text, Status.FAILED, command="mise run lint:full")
    assert work_map_of(*failed).open_failures == ()


def test_a_call_that_was_refused_leaves_the_last_result() -> None:
    passed = tool_call("Bash", "3 passed", command="pytest")
    refused = tool_call("Bash", "The user doesn't want to proceed", Status.CANCELED, command="pytest")
    assert [(one.ok, one.runs) for one in work_map_of(*passed, *refused).commands] == [(True, 1)]


def test_a_filter_that_is_a_pattern_finds_the_tests_it_runs() -> None:
    failed = tool_call(
        "Bash", "--- FAIL: TestStart_SetsPhase (0.05s)\nFAIL", command="go test ./app -run TestStart_SetsPhase"
    )
    passed = tool_call("Bash", "ok  \tapp\t0.1s", command='go test ./app -run "TestStart_.*Phase|TestStop" -v')
    assert work_map_of(*failed).open_failures
    assert not work_map_of(*failed, *passed).open_failures


def test_a_formatter_before_a_check_need_not_run_again() -> None:
    failed = tool_call(
        "Bash", "Exit code 1\na.go:3:2: declared and not used: x", command="mise run fmt && mise run lint"
    )
    passed = tool_call("Bash", "0 issues.", command="mise run lint")
    assert work_map_of(*failed).open_failures
    assert not work_map_of(*failed, *passed).open_failures


def test_a_text_that_is_written_first_is_not_what_a_command_does() -> None:
    written = "cat > /tmp/body.md <<'EOF'\n## Summary\n- go test passes\nEOF"
    command = f"cd /w && {written}\n\ngh pr edit 15 --body-file /tmp/body.md"
    work = work_map_of(*tool_call("Bash", "Exit code 1\nGraphQL: no such field", Status.FAILED, command=command))
    assert [facts.command for facts in work.commands] == ["gh pr edit 15 --body-file /tmp/body.md"]
    assert work.open_failures == ()


def test_an_open_failure_stays_what_is_known_while_later_runs_do_not_tell() -> None:
    failed = tool_call("Bash", "Exit code 1\nFAILED test_a.py::test_one", Status.FAILED, command="pytest -q")
    work = work_map_of(*failed, *tool_call("Bash", "nothing of note", command="pytest -q 2>&1 | grep note"))
    assert [(one.number, one.tests) for one in work.open_failures] == [(2, ("test_a.py::test_one",))]
    assert [(one.ok, one.runs) for one in work.commands] == [(False, 2)]


@pytest.mark.parametrize(
    "command",
    [
        "pnpm --filter e2e test -- login.spec.ts",
        "cd e2e && CI=1 timeout 60 npm test login.spec.ts",
        "npx playwright test login.spec.ts --reporter=line 2>&1 | tail -20",
        "npx playwright test",
    ],
)
def test_a_failure_is_over_however_the_same_check_is_started(command: str) -> None:
    report = "  1 failed\n    [chromium] › login.spec.ts:3:1 › logs in\n"
    failed = tool_call("Bash", report, command="npx playwright test login.spec.ts")
    assert len(work_map_of(*failed).open_failures) == 1
    assert work_map_of(*failed, *tool_call("Bash", "  9 passed (3.1s)", command=command)).open_failures == ()


def test_the_same_words_in_another_folder_are_another_check() -> None:
    failed = tool_call("Bash", "Tests:  1 failed, 2 total", command="cd web && npm test")
    passed = tool_call("Bash", "Tests:  2 passed, 2 total", command="cd api && npm test")
    work = work_map_of(*failed, *passed)
    assert [one.about for one in work.open_failures] == ["npm test"]
    assert [one.command for one in work.commands if one.ok] == ["cd api && npm test"]


def test_what_a_task_says_that_it_runs_is_what_it_checks() -> None:
    text = "\n> shop@1.0.0 test:unit\n> vitest run\n\n Tests  1 failed (1)"
    failed = tool_call("Bash", text, command="npm run test:unit")
    passed = tool_call("Bash", " Tests  3 passed (3)", command="npx vitest run")
    assert len(work_map_of(*failed).open_failures) == 1
    assert work_map_of(*failed, *passed).open_failures == ()


def test_where_a_client_marks_failures_a_build_without_a_mark_is_over_and_has_not_passed() -> None:
    failed = tool_call("Bash", "Exit code 1\nsomething broke", Status.FAILED, command="npm run build")
    work = work_map_of(*failed, *tool_call("Bash", "dist/a.js 4 kB", command="npm run build"))
    assert (work.open_failures, [one.ok for one in work.commands]) == ((), [None])


@pytest.mark.parametrize("text", ["", "Segmentation fault", "Killed", "Timed out", "no tests ran in 0.01s"])
def test_tests_that_did_not_end_close_nothing(text: str) -> None:
    failed = tool_call("Bash", "Exit code 1\n1 failed in 0.1s", Status.FAILED, command="pytest")
    assert len(work_map_of(*failed, *tool_call("Bash", text, command="pytest")).open_failures) == 1


def test_a_long_filter_is_over_with_a_run_of_the_whole_package() -> None:
    names = "|".join(f"TestParsesTranscript_Case{at}" for at in range(12))
    failed = tool_call(
        "Bash", "--- FAIL: TestParsesTranscript_Case1\nFAIL", command=f"go test ./app/... -run '{names}'"
    )
    passed = tool_call("Bash", "ok  \tshop/app\t0.1s", command="go test ./app/... -count=1 2>&1")
    assert work_map_of(*failed).open_failures
    assert not work_map_of(*failed, *passed).open_failures


def test_what_one_of_several_tasks_says_it_runs_is_not_what_failed() -> None:
    text = "[lint:go] 1 issues:\n[lint:go] ERROR task failed\n[fmt] $ gofmt -s -w .\n"
    failed = tool_call("Bash", text, command="mise run fmt && mise run lint 2>&1 | tail -5")
    passed = tool_call("Bash", "[lint:go] 0 issues.\nFinished in 2.78s", command="mise run lint 2>&1 | tail -5")
    assert len(work_map_of(*failed).open_failures) == 1
    assert work_map_of(*failed, *passed).open_failures == ()


_SUITE_FAILED = "--- FAIL: TestTax (0.10s)\nFAIL\tapp/till\t0.2s\nok  \tapp/menu\t0.1s\nFAIL"
_TAX_PASSED = "ok  \tapp/till\t0.2s"


def _suite(text: str = _SUITE_FAILED, ended: Status = Status.FAILED, command: str = "mise run test") -> list[Message]:
    return tool_call("Bash", text, ended, command=command)


def test_a_suite_of_which_only_the_failing_test_was_run_again_is_not_told_as_passed() -> None:
    narrow = tool_call("Bash", _TAX_PASSED, command="go test -run TestTax ./till")
    work = work_map_of(*_suite(), *narrow)
    assert work.open_failures == ()
    assert state_lines(work) == [
        "failed (m2), not seen to pass as a whole since: `mise run test`; what failed passed alone (m4): "
        "`go test -run TestTax ./till`"
    ]


@pytest.mark.parametrize("batch", [1, 1000])
def test_a_suite_that_passes_is_no_longer_told_as_run_in_part(batch: int) -> None:
    narrow = tool_call("Bash", _TAX_PASSED, command="go test -run TestTax ./till")
    passed = _suite("ok  \tapp/till\t0.2s\nok  \tapp/menu\t0.1s", Status.SUCCESS)
    assert state_lines(work_map_of(*_suite(), *narrow, *passed, batch=batch)) == ["passed (m6): `mise run test`"]
    again = state_lines(work_map_of(*_suite(), *narrow, *_suite(), batch=batch))
    assert again == ["failed, not seen to pass since (m6): `mise run test` → --- FAIL: TestTax"]


def test_parts_of_a_line_that_passed_one_after_the_other_are_followed() -> None:
    failed = _suite(command="ruff check . && pytest", text="FAILED tests/test_a.py::test_x - boom\n1 failed in 0.1s")
    narrow = tool_call("Bash", "1 passed in 0.1s", command="pytest tests/test_a.py::test_x")
    lint = tool_call("Bash", "All checks passed!", command="ruff check .")
    whole = tool_call("Bash", "9 passed in 0.1s", command="pytest")
    assert [one.about for one in work_map_of(*failed, *narrow, *lint).partly_passed] == ["ruff check . && pytest"]
    assert work_map_of(*failed, *narrow, *lint, *whole).partly_passed == ()


def test_what_a_command_line_says_after_its_programs_is_no_part_of_its_name() -> None:
    assert command_key("cd /shop\ngo build ./cart 2>&1 | head -30 && echo 'built'; echo done") == "go build ./cart"
    assert command_key("echo start; go build ./cart") == "echo start; go build ./cart"
