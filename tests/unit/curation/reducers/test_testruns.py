"""Test runs: failures with their places, and the names of what passed."""

from __future__ import annotations

from clew.curation.reducers import testruns


def test_tests_that_passed_are_named_with_what_they_share_said_once() -> None:
    text = "\n".join(f"tests/test_{part}.py::test_{n} PASSED" for part in ("crane", "quay") for n in range(3))

    assert testruns.reduce(f"{text}\n===== 6 passed in 0.02s =====", 6_000).split("\n")[-1] == (
        "passed: tests/test_crane.py::{test_0, test_1, test_2}, tests/test_quay.py::{test_0, test_1, test_2}"
    )


def test_tests_that_only_began_are_not_said_to_have_passed() -> None:
    ended = "=== RUN   TestLift\n--- PASS: TestLift (0.00s)\n=== RUN   TestSail\n--- FAIL: TestSail (1.00s)"
    text = f"{ended}\n=== RUN   TestMoor"

    assert testruns.reduce(text, 6_000).split("\n")[-2:] == ["passed: TestLift", "begun: TestMoor"]


def test_what_a_task_runner_puts_before_each_line_hides_no_test() -> None:
    text = "\n".join(f"@harbor/core test: (pass) crane > lifts {n} t [0.1ms]" for n in range(9))

    assert testruns.reduce(text, 6_000).split("\n")[-1].startswith("passed: crane > {lifts 0 t, lifts 1 t, ")


def test_what_a_program_ticks_off_is_no_test_that_passed() -> None:
    lines = [
        "✓ Created the branch 'prices'",
        *(f"ok  \tshop/part{at}\t0.1s" for at in range(80)),
        "--- FAIL: TestTax",
        "FAIL",
    ]
    told = testruns.reduce("\n".join(lines), 600)
    assert "--- FAIL: TestTax" in told
    assert "Created" not in told.partition("passed: ")[2]
