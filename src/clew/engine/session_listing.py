"""A session as lists show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clew.domain.derived import DerivedReach
from clew.domain.health import CountSource, LimitSource, PromptSize
from clew.engine.health.monitor import HealthMonitor
from clew.engine.read.losses import SessionLosses
from clew.engine.session_core import SessionCore

_UNKNOWN_SIZE = PromptSize(
    tokens_used=0, used_source=CountSource.RECORD, tokens_limit=0, limit_source=LimitSource.ASSUMED, window=0
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionListing:
    """A session as lists show it: what is known of it, its totals, its health (good, warning or critical), what a
    damaged store has lost of it, and how far everything derived from it has come. Its totals are 0 and its health is
    unknown while those are not derived, and nobody waits for it.

    ``user`` is who was named for it, empty for nobody. ``tokens`` are those of all messages as they were recorded, as
    ``tokens_source`` says; the rest is as in ``Health``. ``updated`` is seconds since 1970, UTC.
    """

    id: str
    user: str
    title: str
    client: str
    cwd: str
    source: str
    model: str
    messages: int
    exchanges: int
    tokens: int
    updated: float
    health: str
    tokens_used: int
    used_source: CountSource
    tokens_limit: int
    limit_source: LimitSource
    window: int
    utilization: float
    losses: SessionLosses
    derived: DerivedReach
    tokens_source: CountSource = CountSource.RECORD


def list_session(core: SessionCore, monitor: HealthMonitor, derived: DerivedReach) -> SessionListing:
    """Returns what lists show of a session as it is now."""
    size = monitor.size()
    return _listing(core, derived, core.reader.totals(), size, health=monitor.level(size))


def list_known(core: SessionCore, derived: DerivedReach) -> SessionListing:
    """Returns what lists show of a session from which much is still to be derived."""
    return _listing(core, derived, {}, _UNKNOWN_SIZE, health="unknown")


def _listing(
    core: SessionCore, derived: DerivedReach, totals: Mapping[str, int], size: PromptSize, *, health: str
) -> SessionListing:
    info = core.ledger.info
    return SessionListing(
        id=info.key.id,
        user=info.owner,
        title=info.title,
        client=info.client,
        cwd=info.cwd,
        source=info.source,
        model=info.model,
        messages=info.messages,
        exchanges=totals.get("exchanges", 0),
        tokens=totals.get("tokens", 0),
        updated=info.updated,
        health=health,
        tokens_used=size.tokens_used,
        used_source=size.used_source,
        tokens_limit=size.tokens_limit,
        limit_source=size.limit_source,
        window=size.window,
        utilization=size.utilization,
        losses=core.reader.losses(),
        derived=derived,
    )
