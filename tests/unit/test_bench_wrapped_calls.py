"""The bench of wrapped calls measures calls that go on."""

from __future__ import annotations

import pytest
from bench import wrapped_calls
from bench.__main__ import BENCHES

pytest.importorskip("openai")


def test_calls_that_go_on_are_measured() -> None:
    found = {(figure.name, figure.unit): figure for figure in wrapped_calls.run(long=20, calls=4)}
    assert found["calls that went on", "of 4"].value == 3
    assert 0 < found["added to a call, median", "ms"].value <= found["added to a call, p95", "ms"].value
    assert found["added to a call, median", "ms of a quiet machine"].goal == "< 10"
    assert BENCHES["wrapped"] is wrapped_calls.run
