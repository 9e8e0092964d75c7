"""The reference loop does the same work every time, and speeds are told beside what a quiet machine would give."""

from __future__ import annotations

import pytest
from bench.__main__ import as_json, run_bench, table
from bench.reference import CHECKSUM, QUIET_SECONDS, Reference, measure_loop, run_round
from bench.results import Figure, Report
from rich.console import Console

SLOW = Reference(QUIET_SECONDS / 0.5)


def test_a_round_of_the_loop_never_changes() -> None:
    assert run_round() == run_round() == CHECKSUM


def test_the_loop_takes_no_more_than_a_moment() -> None:
    assert 0 < measure_loop() < 100 * QUIET_SECONDS


def test_the_reference_says_how_fast_the_machine_is() -> None:
    assert SLOW.factor == pytest.approx(0.5)
    quiet = f"{QUIET_SECONDS:.2f}"
    assert str(SLOW) == f"reference: {2 * QUIET_SECONDS:.2f} s (quiet machine: {quiet} s), speed factor 0.50"


@pytest.mark.parametrize(
    ("unit", "at_factor_1"),
    [("ms", 5.0), ("s", 5.0), ("ms; at most 20", 5.0), ("MB/s", 20.0), ("tokens/s", 20.0), ("×", None), ("MB", None)],
)
def test_times_shrink_and_rates_grow_on_a_quiet_machine(unit: str, at_factor_1: float | None) -> None:
    assert Figure("g", "n", 10.0, unit).at_factor_1(0.5) == at_factor_1


def test_a_benchmark_with_speeds_is_run_between_two_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def loop() -> float:
        order.append("loop")
        return float(len(order))

    def bench(unit: str) -> list[Figure]:
        order.append("bench")
        return [Figure("b", "n", 1.0, unit)]

    monkeypatch.setattr("bench.__main__.measure_loop", loop)
    assert run_bench("b", lambda: bench("ms")) == Report("b", (Figure("b", "n", 1.0, "ms"),), Reference(2.0))
    assert order == ["loop", "bench", "loop"]
    assert run_bench("b", lambda: bench("")).reference is None


def test_json_and_table_show_the_reference_and_the_value_at_factor_1() -> None:
    report = Report("b", (Figure("b", "speed", 8.0, "ms", "< 9"), Figure("b", "count", 3)), SLOW)
    found = as_json([report])
    assert found["reference"] == {
        "quiet_seconds": QUIET_SECONDS,
        "beside": {"b": {"seconds": SLOW.seconds, "factor": SLOW.factor, "text": str(SLOW)}},
    }
    assert found["figures"] == [
        {"group": "b", "name": "speed", "value": 8.0, "unit": "ms", "goal": "< 9", "met": True, "at_factor_1": 4.0},
        {"group": "b", "name": "count", "value": 3, "unit": "", "goal": "", "met": None},
    ]
    console = Console(width=200)
    with console.capture() as shown:
        console.print(table([report]))
    assert str(SLOW) in shown.get()
