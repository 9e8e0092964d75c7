"""What went less well than it should have, as warnings of the logger ``clew``."""

from __future__ import annotations

from clew.telemetry.events import Bus, Event


def log_warnings(bus: Bus) -> None:
    """Logs events of degraded work; without logging set up, Python prints warnings on stderr, which suits them."""
    bus.on("compaction.degraded", _warn_degraded)
    bus.on("compaction.stopped", _warn_stopped)
    bus.on("background.failed", _warn_failed)
    bus.on("listener.failed", _warn_failed)
    bus.on("reply.lost", _warn_lost)
    bus.on("model.unknown", _unknown)


def _warn_degraded(event: Event) -> None:
    told = event.data
    _warn("clew: summary %s failed (%s); going on with %s", told["rung_from"], told["reason"], told["rung_to"])


def _warn_stopped(event: Event) -> None:
    _warn("clew: session %s is no longer compacted by itself: %s", event.data["session"], event.data["reason"])


def _warn_failed(event: Event) -> None:
    _warn("clew: work in the background failed: %s", event.data["reason"])


def _warn_lost(event: Event) -> None:
    _warn("clew: a reply was not recorded in session %s: %s", event.data["session"], event.data["reason"])


def _unknown(event: Event) -> None:
    told = [event.data[name] for name in ("session", "model", "target", "window")]
    _warn("clew: session %s: model %s is not known; it is taken to speak %s and to read %s tokens", *told)


def _warn(line: str, *values: object) -> None:
    import logging  # here, as most processes have nothing to warn of

    logging.getLogger("clew").warning(line, *values)
