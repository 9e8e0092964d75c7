"""A run passed only where its runner says so, or an exit code of 0 is recorded for a runner that is known."""

from __future__ import annotations

import pytest

from clew.domain import Output, Status
from clew.text.tools.actions import RunResult
from clew.text.tools.outcomes import read_run
from clew.text.tools.reports import without_passes
from tests.builders import output

PASSED, FAILED, INTERRUPTED, NOT_RUN, UNKNOWN = (
    RunResult.PASSED,
    RunResult.FAILED,
    RunResult.INTERRUPTED,
    RunResult.NOT_RUN,
    RunResult.UNKNOWN,
)


def result(command: str, text: str, ended: Status = Status.SUCCESS) -> RunResult:
    return read_run(command, output("c", text, ended)).result


@pytest.mark.parametrize("command", ["pytest", "npx jest", "go test ./...", "npm test", "cargo test", "make test"])
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", UNKNOWN),
        ("Segmentation fault", INTERRUPTED),
        ("/bin/bash: line 1: 4242 Segmentation fault      (core dumped) pytest -q", INTERRUPTED),
        ("Killed", INTERRUPTED),
        ("zsh: killed     pytest", INTERRUPTED),
        ("Timed out", INTERRUPTED),
        ("Command timed out after 2m 0.0s", INTERRUPTED),
        ("collected 4 items\n\ntests/test_a.py ..\n^C", INTERRUPTED),
        ("bash: pytest: command not found", NOT_RUN),
        ("sh: 1: jest: not found", NOT_RUN),
        ("/usr/bin/python3: No module named pytest", NOT_RUN),
        ('npm error Missing script: "test"', NOT_RUN),
        ("cancelled by the user", NOT_RUN),
        ("The user doesn't want to proceed with this tool use.", NOT_RUN),
        ("Permission to use Bash has been denied.", NOT_RUN),
        ("no tests ran in 0.01s", NOT_RUN),
        ("loading…", UNKNOWN),
    ],
)
def test_what_was_stopped_refused_or_never_began_did_not_pass(command: str, text: str, wanted: RunResult) -> None:
    assert result(command, text) is wanted


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("pytest", "============ 12 passed, 1 skipped in 0.21s ============"),
        ("pytest -q", "....\n4 passed in 0.10s"),
        ("mvn test", "[INFO] Tests run: 0, Failures: 0\n[INFO] Tests run: 3, Failures: 0\n[INFO] BUILD SUCCESS"),
        ("./gradlew test", "> Task :a:test NO-SOURCE\n> Task :b:test\n\nBUILD SUCCESSFUL in 2s"),
        ("pytest -q", "4 passed, 3 warnings, 2 subtests passed in 0.10s"),
        ("python -m unittest", "...\n-----\nRan 3 tests in 0.002s\n\nOK"),
        ("python -m unittest", "Ran 3 tests in 0.002s\n\nOK (skipped=1)"),
        ("tox", "  py311: OK (2.10=setup[0.01]+cmd[2.09] seconds)\n  congratulations :) (2.15 seconds)"),
        ("npx jest", "PASS src/a.test.ts\n\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total"),
        ("npx vitest run", " Test Files  2 passed (2)\n      Tests  9 passed | 1 skipped (10)\n   Duration  1.2s"),
        ("npx mocha", "  cart\n    ✔ totals\n\n\n  5 passing (30ms)\n  1 pending"),
        ("npx playwright test", "Running 9 tests using 2 workers\n\n  9 passed (10.2s)"),
        ("npx cypress run", "    ✔  All specs passed!                        00:03        4        4"),
        ("go test ./...", "ok  \tapp/store\t0.21s\n?   \tapp/cmd\t[no test files]"),
        ("go test ./...", "ok  \tapp/store\t(cached)\nok  \tapp/web\t0.1s\tcoverage: 71.2% of statements"),
        (
            "cargo test",
            "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored",
        ),
        ("cargo nextest run", "     Summary [   0.012s] 10 tests run: 10 passed, 0 skipped"),
        ("mvn test", "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS"),
        ("./gradlew test", "> Task :test\n\nBUILD SUCCESSFUL in 3s\n4 actionable tasks: 2 executed"),
        ("dotnet test", "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 40 ms"),
        ("dotnet test", "Test summary: total: 5, failed: 0, succeeded: 5, skipped: 0, duration: 1.2s"),
        ("bundle exec rspec", "Finished in 0.1 seconds\n12 examples, 0 failures, 1 pending"),
        ("rails test", "5 runs, 7 assertions, 0 failures, 0 errors, 0 skips"),
        ("vendor/bin/phpunit", "OK (5 tests, 9 assertions)"),
        ("ctest", "100% tests passed, 0 tests failed out of 5"),
        ("swift test", "\t Executed 5 tests, with 0 failures (0 unexpected) in 0.010 (0.012) seconds"),
        ("swift test", "✔ Test run with 5 tests passed after 0.010 seconds."),
        ("deno test", "ok | 5 passed | 0 failed (10ms)"),
        ("bun test", " 5 pass\n 0 fail\n 9 expect() calls\nRan 5 tests across 2 files. [50.00ms]"),
        ("node --test", "ℹ tests 5\nℹ pass 5\nℹ fail 0"),
        ("mix test", "Finished in 0.1 seconds\n5 tests, 0 failures"),
        ("npx eslint .", ""),
        ("npx eslint .", "✖ 1 problem (0 errors, 1 warning)"),
        ("ruff check .", "All checks passed!"),
        ("mypy src", "Success: no issues found in 12 source files"),
        ("npx tsc --noEmit", ""),
        ("npx pyright", "0 errors, 0 warnings, 0 informations "),
        ("golangci-lint run", "0 issues."),
        ("cargo build", "   Compiling app v0.1.0\n    Finished `dev` profile [unoptimized] target(s) in 1.2s"),
        ("npm run build", "vite v5.0.0 building for production...\n✓ built in 3.21s"),
        ("npx prettier --check .", "Checking formatting...\nAll matched files use Prettier code style!"),
        ("make", "Process exited with code 0\nOutput:\ncc -o a a.c"),
        ("pytest 2>&1 | tail -1", "3 passed in 0.1s"),
        ("ruff check . && pytest -q 2>&1 | tail -3", "4 passed in 0.10s"),
        ('pytest -q; echo "exit: $?"', "exit: 0"),
    ],
)
def test_a_runner_that_sums_up_that_all_went_well_passed(command: str, text: str) -> None:
    assert result(command, text) is PASSED


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("pytest", "FAILED tests/test_a.py::test_x - assert 1 == 2\n========= 1 failed, 11 passed in 0.21s ========="),
        ("pytest", "ERROR tests/test_a.py - ImportError: x\n!!!! Interrupted: 1 error during collection !!!!"),
        ("pytest --cov", "FAIL Required test coverage of 80% not reached. Total coverage: 71%\n9 passed in 0.1s"),
        ("python -m unittest", "FAIL: test_x (tests.A.test_x)\nRan 3 tests in 0.002s\n\nFAILED (failures=1)"),
        ("tox", "  py311: FAIL code 1 (2.1 seconds)\n  evaluation failed :( (2.2 seconds)"),
        ("npx jest", "  ● cart › totals\n\nTests:       1 failed, 2 passed, 3 total"),
        ("npx vitest run", " FAIL  src/a.test.ts > cart > totals\n Test Files  1 failed | 1 passed (2)"),
        ("npx vitest run", " Test Files  1 passed (1)\n      Tests  3 passed (3)\n     Errors  1 error"),
        ("npx mocha", "  4 passing (30ms)\n  1 failing\n\n  1) cart totals:"),
        ("npx playwright test", "  1 failed\n    [chromium] › a.spec.ts:3:1 › logs in ───\n  8 passed (10.2s)"),
        ("npx cypress run", "    ✖  1 of 3 failed (33%)                     00:03        4        3        1"),
        ("go test ./...", "--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tapp/store\t0.2s\nok  \tapp/web\t0.1s\nFAIL"),
        ("go test ./...", "FAIL\tapp/store [build failed]\nFAIL"),
        ("cargo test", "test a ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\nerror: test failed"),
        ("cargo build", "error[E0308]: mismatched types\nerror: could not compile `app` (bin \"app\") due to 1 error"),
        ("cargo nextest run", "     Summary [   0.012s] 10 tests run: 9 passed, 1 failed, 0 skipped"),
        ("mvn test", "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE"),
        ("./gradlew test", "10 tests completed, 2 failed\n\nFAILURE: Build failed with an exception."),
        ("dotnet test", "Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5"),
        ("bundle exec rspec", "12 examples, 1 failure\n\nrspec ./spec/cart_spec.rb:12 # Cart totals"),
        ("rails test", "5 runs, 7 assertions, 1 failures, 0 errors, 0 skips"),
        ("vendor/bin/phpunit", "FAILURES!\nTests: 5, Assertions: 9, Failures: 1."),
        ("ctest", "80% tests passed, 1 tests failed out of 5"),
        ("swift test", "\t Executed 5 tests, with 1 failure (0 unexpected) in 0.010 seconds"),
        ("deno test", "FAILED | 4 passed | 1 failed (10ms)"),
        ("bun test", "(fail) cart > totals [0.2ms]\n 4 pass\n 1 fail"),
        ("node --test", "not ok 1 - cart\n# pass 4\n# fail 1"),
        ("npx eslint .", "/app/a.js\n  3:5  error  'x' is not defined  no-undef\n\n✖ 1 problem (1 error, 0 warnings)"),
        ("ruff check .", "a.py:1:8: F401 `os` imported but unused\nFound 1 error."),
        ("mypy src", "src/a.py:3: error: Incompatible types\nFound 1 error in 1 file (checked 12 source files)"),
        ("npx tsc --noEmit | head -20", "src/a.ts(3,5): error TS2304: Cannot find name 'x'."),
        ("make test", "make: *** [Makefile:3: test] Error 1"),
        ("npm test || true", "Tests:       1 failed, 2 passed, 3 total"),
        ("pytest -q; echo \"exit: $?\"", "exit: 1"),
    ],
)  # fmt: skip
def test_a_runner_that_tells_of_a_failure_failed(command: str, text: str) -> None:
    assert result(command, text) is (UNKNOWN if "||" in command else FAILED)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("python -m unittest", "\nRan 0 tests in 0.000s\n\nOK"),
        ("npx jest nothing", "No tests found, exiting with code 1"),
        ("npx vitest run nothing", "No test files found, exiting with code 1"),
        ("npx playwright test nothing", "Error: No tests found"),
        (
            "go test -run Nothing ./store",
            "testing: warning: no tests to run\nPASS\nok  \tapp\t0.1s [no tests to run]",
        ),
        ("bundle exec rspec", "0 examples, 0 failures"),
        ("vendor/bin/phpunit --filter x", "No tests executed!"),
        ("ctest", "No tests were found!!!"),
        ("pytest -k nothing", "============ 12 deselected in 0.01s ============"),
        ("mvn test", "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS"),
        ("mvn test -DskipTests", "[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS"),
        ("./gradlew test", "> Task :app:test NO-SOURCE\n\nBUILD SUCCESSFUL in 2s"),
        ("ruff check src", "warning: No Python files found under the given path(s)\nAll checks passed!"),
    ],
)
def test_where_nothing_was_found_to_run_nothing_passed(command: str, text: str) -> None:
    assert result(command, text) is NOT_RUN


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("pytest -q || true", "some line"),
        ("npm run lint; echo done", "done"),
        ("ruff check . ; pytest -q | tail -1", "4 passed in 0.1s"),
        ("go test ./... | grep ok", "ok  \tapp/store\t0.2s"),
        ("go test ./...", "ok  \tapp/store\t0.2s\n... [214 lines truncated] ...\nok  \tapp/web\t0.1s"),
        ("pytest > out.log 2>&1", ""),
        ("npx tsc > out.log 2>&1", ""),
        ("go build ./... 2>/dev/null", ""),
        ("npm run build", "some line"),
        ("pytest 2>&1 | tail -3; echo exit: $?", "exit: 0"),
        ("npx vitest", " Tests  3 passed (3)\n\n PASS  Waiting for file changes...\n press h to show help"),
        ("python deploy.py", "all good"),
        ("python -c 'print(log)' | tail -1", "--- FAIL: TestX (0.10s)"),
        ("git commit -am x && git status", "[main 1a2b3c4] x\nerror: none\nno changes added to commit"),
        ("bun -e \"console.log('test')\"", "Exit code: 0\nOutput:\ntest"),
        ("node -e 'check()'", "Exit code: 0\nOutput:\nall tests passed"),
        ("./deploy.sh", "Exit code: 0\nOutput:\ndone"),
        ("npm run dev", "Exit code: 0\nOutput:\nready"),
        ("gofmt -w a.go", "Exit code: 0\nOutput:\n"),
        ("pytest --help", "Exit code: 0\nOutput:\nusage: pytest"),
        ("pytest --collect-only -q", "12 tests collected in 0.1s"),
        ("cargo test", "    Finished `test` profile [unoptimized] target(s) in 1.2s\n     Running src/lib.rs"),
        ("echo '9 passed in 0.1s'", "9 passed in 0.1s"),
    ],
)  # fmt: skip
def test_where_nobody_knows_nothing_passed(command: str, text: str) -> None:
    assert result(command, text) is UNKNOWN


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("tsc exit=0 lines=0\neslint exit=0", PASSED),
        ("tsc exit=2 lines=4\na.ts(1,2): error TS2304: x\neslint exit=0", FAILED),
        ("tsc exit=0 lines=0\neslint exit=1", FAILED),
        ("eslint exit=0", UNKNOWN),
    ],
)
def test_checks_of_which_each_is_asked_how_it_ended_are_known_by_all_answers(text: str, wanted: RunResult) -> None:
    command = 'npx tsc > t.txt 2>&1; echo "tsc exit=$? lines=$(wc -l < t.txt)"; npx eslint a.ts; echo "eslint exit=$?"'
    assert result(command, text) is wanted


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("npm view shop@9 version || true", "Exit code: 0\nOutput:\nnpm error code E404\nnpm error 404 No match found"),
        ("npm view shop@9.9.9 version", "Exit code: 1\nOutput:\nnpm error code E404\nnpm error 404 No match found"),
        ("curl -s localhost/tax", "Exit code: 0\nOutput:\nerror: request denied"),
        ("curl -s localhost/tax", "Exit code: 0\nOutput:\n/tax: not found"),
        ("docker logs shop", "Exit code: 0\nOutput:\nTerminated"),
        ("go vet ./...; staticcheck ./... || true", "zsh: command not found: staticcheck"),
        ("python load.py", "Exit code: 1\nOutput:\nload: open menu.json: no such file or directory"),
    ],
)  # fmt: skip
def test_what_was_run_and_answered_is_not_told_as_never_begun(command: str, text: str) -> None:
    assert result(command, text) not in {NOT_RUN, INTERRUPTED}


@pytest.mark.parametrize(
    ("ended", "text", "wanted"),
    [
        (Status.CANCELED, "3 passed in 0.1s", NOT_RUN),
        (Status.TIMEOUT, "3 passed in 0.1s", INTERRUPTED),
        (Status.INTERRUPTED, "", INTERRUPTED),
        (Status.ABORTED, "", UNKNOWN),
        (Status.FAILED, "Exit code 137\n3 passed in 0.1s", INTERRUPTED),
        (Status.FAILED, "Exit code 127\nsomething", NOT_RUN),
        (Status.FAILED, "Exit code 1\n9 passed in 0.1s", FAILED),
    ],
)
def test_how_a_client_says_that_a_call_ended_counts(ended: Status, text: str, wanted: RunResult) -> None:
    assert result("pytest", text, ended) is wanted


def test_a_failure_is_never_told_by_a_line_in_which_another_program_passed() -> None:
    run = read_run("pytest -q && npm run deploy", output("c", "Exit code 3\n9 passed in 0.1s", Status.FAILED))
    assert (run.result, run.line) == (FAILED, "exit code 3")


def test_an_exit_code_that_a_program_printed_in_its_midst_is_none_of_the_client() -> None:
    text = "line\n" * 20 + "worker exited with exit code 1, retrying\n" + "line\n" * 20 + "3 passed in 0.1s"
    run = read_run("pytest -q", Output(call_id="c", content=output("c", text).content))
    assert (run.result, run.exit_code) == (PASSED, None)


@pytest.mark.parametrize(
    "line",
    [
        *("(pass) adds [0.1ms]", "  ✓ adds", "✔ adds", "√ adds", " ✅ adds", "a.py::test_adds PASSED  [ 10%]"),
        *("[gw0] [ 10%] PASSED a.py::test_adds ", "    --- PASS: TestAdds (0.00s)", "=== RUN   TestAdds"),
        *(
            "ok  \tshop/cart\t0.1s",
            "ok shop/cart (cached)",
            "?   \tshop/cart\t[no test files]",
            "test adds ... ok",
        ),
    ],
)
def test_lines_that_tell_of_passes_one_after_the_other_are_left_out(line: str) -> None:
    assert without_passes("\n".join([line] * 3 + ["1 failed"])) == "1 failed"
    assert without_passes(f"{line}\n1 failed") == f"{line}\n1 failed"
