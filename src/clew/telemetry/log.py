"""What went less well than it should have, as warnings of the logger ``clew``."""

from __future__ import annotations

import logging

from clew.telemetry.events import Bus, Event

_LOG = logging.getLogger("clew")


def log_warnings(bus: Bus) -> None:
    """Logs events of degraded work; without logging set up, Python prints warnings on stderr, which suits them."""
    bus.on("compaction.degraded", _degraded)
    bus.on("compaction.stopped", _stopped)
    bus.on("background.failed", _failed)
    bus.on("listener.failed", _failed)


def _degraded(event: Event) -> None:
    told = event.data
    _LOG.warning("clew: summary %s failed (%s); going on with %s", told["rung_from"], told["reason"], told["rung_to"])


def _stopped(event: Event) -> None:
    _LOG.warning("clew: session %s is no longer compacted by itself: %s", event.data["session"], event.data["reason"])


def _failed(event: Event) -> None:
    _LOG.warning("clew: work in the background failed: %s", event.data["reason"])
