"""Rules and drift as the page shows them, and what people do about them: pin, unpin, accept, dismiss."""

from __future__ import annotations

from dataclasses import dataclass

from clew.dashboard.endpoint import Endpoint
from clew.domain.critical import CriticalItem
from clew.domain.health import Alert, Drift
from clew.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class CriticalView:
    """All critical items of a session, in force or not, its drift, and the alert that waits for an answer."""

    pins: tuple[CriticalItem, ...]
    drift: Drift
    alert: Alert | None


def critical(engine: Engine, *, id: str, topic: str = "") -> CriticalView:
    """Returns critical items, rules kept and broken, contradictions, and the alert, if one waits."""
    session = engine.find(id)
    return CriticalView(tuple(session.pins(all=True)), session.drift(topic or None), session.monitor.alert())


@dataclass(frozen=True, slots=True)
class Pinned:
    """An item that is in force."""

    item: CriticalItem


def pin(
    engine: Engine, *, id: str, text: str = "", message: str = "", kind: str = "custom", reason: str = ""
) -> Pinned:
    """Pins a text, or the words of a message, as critical."""
    return Pinned(engine.find(id).pin(text, message=message, kind=kind, reason=reason))


@dataclass(frozen=True, slots=True)
class Done:
    """What was asked for is done."""

    session: str
    done: str


def accept(engine: Engine, *, id: str, pin: str) -> Pinned:
    """Puts a proposed, lapsed or unpinned item in force."""
    return Pinned(engine.find(id).pin(item=pin))


def unpin(engine: Engine, *, id: str, pin: str) -> Done:
    """Takes an item out of force."""
    engine.find(id).unpin(pin)
    return Done(id, f"{pin} is unpinned")


def dismiss(engine: Engine, *, id: str) -> Done:
    """Dismisses the alert until things get worse."""
    engine.find(id).monitor.dismiss_alert()
    return Done(id, "the alert is dismissed")


ENDPOINTS = (
    Endpoint("GET", "/api/sessions/{id}/critical", critical),
    Endpoint("POST", "/api/sessions/{id}/pin", pin),
    Endpoint("POST", "/api/sessions/{id}/accept", accept),
    Endpoint("POST", "/api/sessions/{id}/unpin", unpin),
    Endpoint("POST", "/api/sessions/{id}/dismiss", dismiss),
)
