"""Warnings about work that went less well than it should have."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from clew.telemetry.events import Bus
from clew.telemetry.log import log_warnings


@pytest.mark.parametrize(
    ("name", "data", "warning"),
    [
        (
            "compaction.degraded",
            {"rung_from": "full", "rung_to": "notes", "reason": "no answer"},
            "clew: summary full failed (no answer); going on with notes",
        ),
        (
            "compaction.stopped",
            {"session": "s", "reason": "it frees too little"},
            "clew: session s is no longer compacted by itself: it frees too little",
        ),
        ("background.failed", {"reason": "disk full"}, "clew: work in the background failed: disk full"),
    ],
)
def test_degraded_work_is_a_warning(
    caplog: pytest.LogCaptureFixture, name: str, data: dict[str, Any], warning: str
) -> None:
    bus = Bus()
    log_warnings(bus)
    bus.emit(name, **data)
    bus.emit("pack.done", tokens=3)
    assert caplog.record_tuples == [("clew", logging.WARNING, warning)]
