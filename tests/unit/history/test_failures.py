"""One failure is one value: which tests, why, where and when, however its runner says it."""

from __future__ import annotations

from clew.history.failures import read_failure, without_tests

_TESTS = "--- FAIL: TestTax (0.10s)\n    cart_test.go:12: got 3, want 4\n--- FAIL: TestSum (0.00s)"
_GO = f"{_TESTS}\nFAIL\nFAIL\tshop/cart\t0.2s"


def test_a_failure_has_names_what_was_found_and_the_place() -> None:
    found = read_failure("go test ./...", _GO, line="FAIL", source="m4")
    assert (found.about, found.number, found.tests) == ("go test ./...", 4, ("TestTax", "TestSum"))
    assert found.text == "--- FAIL: TestTax"
    assert "got 3, want 4" in found.reason
    assert "0.2s" not in found.reason
    assert (found.at, found.resolved) == ("cart_test.go:12", "")


def test_counts_are_told_where_not_all_names_are() -> None:
    few = "FAILED a.py::test_a\n1 failed, 9 passed in 0.1s"
    many = "\n".join((*(f"FAILED a.py::test_{at}" for at in range(5)), "5 failed, 9 passed in 0.1s"))
    assert read_failure("pytest", few, line="1 failed", source="m2").reason == "FAILED a.py::test_a"
    assert read_failure("pytest", many, line="5 failed", source="m2").reason.endswith("5 failed, 9 passed in 0.1s")


def test_a_run_that_only_says_that_it_failed_is_told_by_its_line() -> None:
    assert read_failure("make lint", "Exit code 2", line="exit code 2", source="m2").reason == "exit code 2"


def test_what_is_said_of_tests_that_are_gone_goes_with_them() -> None:
    found = read_failure("go test ./...", _GO, line="FAIL", source="m4")
    left = without_tests(found, {"TestTax"})
    assert (left.tests, left.reason) == (("TestSum",), "--- FAIL: TestSum")
