"""The benchmark of the gateway, on few requests."""

from __future__ import annotations

import pytest
from bench import gateway, gateway_soak


@pytest.mark.thorough
def test_what_a_gateway_adds_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "_EPOCHS", 0)
    for name in ("CLEW_BENCH_HEADROOM", "CLEW_BENCH_LITELLM"):
        monkeypatch.delenv(name, raising=False)
    figures = {(one.group, one.name): one for one in gateway.run(rounds=3, steps=4, starts=1)}
    assert figures["gateway", "ready"].value > 0
    assert figures["gateway, passing", "clew, median"].value > 0
    assert figures["gateway, 20 clients", "clew"].value > 0
    assert figures["gateway, named", "nothing compacted, median"].value > 0


@pytest.mark.thorough
def test_memory_is_measured() -> None:
    figures = {one.name: one for one in gateway_soak.run(sessions=3, requests=6)}
    assert figures["3 sessions open"].value > 0
    assert figures["after 6 requests"].met
