"""The benchmark of the gateway, on few requests."""

from __future__ import annotations

import pytest
from bench import gateway


@pytest.mark.thorough
def test_what_a_gateway_adds_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLEW_BENCH_HEADROOM", "CLEW_BENCH_LITELLM"):
        monkeypatch.delenv(name, raising=False)
    figures = {(one.group, one.name): one for one in gateway.run(rounds=3, steps=4, starts=1)}
    assert figures["gateway", "ready"].value > 0
    assert figures["gateway, passing", "clew, median"].value > 0
    assert figures["gateway, 20 clients", "clew"].value > 0
    assert {name for group, name in figures if group == "gateway, whole"} >= {"goes on, median", "goes on, p99"}
