"""A session as it is watched: its health, its drift, and its critical items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.domain import CriticalItem, Drift, Health
from clew.domain.argument_kinds import checks_arguments
from clew.domain.critical import Scope
from clew.engine.health.pin_fields import pin_fields
from clew.engine.ingest.incoming_replies import as_operation
from clew.engine.readable_session import ReadableSession
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.engine.health.monitor import HealthMonitor


@checks_arguments
class WatchedSession(ReadableSession):
    """Tells how one conversation is doing, and keeps what must not fade from it."""

    @property
    def monitor(self) -> HealthMonitor:
        """Alerts, and how relevant each segment is."""
        self._incoming.record_left(self._ledger.key)
        return self._components.monitor

    @as_operation
    def health(self) -> Health:
        """Returns how the session is doing. It is kept up to date as messages are recorded, so reading it is cheap."""
        return self._components.monitor.health()

    @as_operation
    def drift(self, topic: str | None = None) -> Drift:
        """Returns rules and whether they are kept, contradictions, and the distance from ``topic`` or the objective."""
        return self._components.monitor.drift(topic)

    @as_operation
    def pin(
        self,
        text: str = "",
        *,
        kind: str = "custom",
        reason: str = "",
        message: str = "",
        item: str = "",
        by: str = "person",
        scope: str = "project",
    ) -> CriticalItem:
        """Marks words, or a whole message, as critical: every prompt states them word for word from here on.

        With both, the message is where the words come from. Raises UsageError if it does not say them.
        ``item`` is the id of an item that is proposed, lapsed or unpinned; it is put in force as it is.
        """
        if item:
            return self._components.pins.accept(item)
        if message:
            original = self._reader.message(self._reader.newest_version(message)).text
            text = text or original
            if " ".join(text.split()) not in " ".join(original.split()):
                raise UsageError(f"{message} does not say {text!r}; pin the words alone, or the message alone")
        pinned = self._components.pins.pin(pin_fields(text, kind, reason, by, scope, message))
        if self._services.config.critical.profile and pinned.scope is Scope.USER and pinned.by == "person":
            self._components.rules.set_in_profile(pinned)
        return pinned

    @as_operation
    def pins(self, kind: str | None = None, *, all: bool = False) -> list[CriticalItem]:
        """Returns the critical items in force; with ``all`` also those that are proposed, and those that lapsed, were
        unpinned or replaced. Raises UsageError for an unknown kind.
        """
        return self._components.pins.all(kind) if all else self._components.pins.items(kind)

    @as_operation
    def unpin(self, id: str) -> None:
        """Takes a critical item out of force. Raises NotFound if there is none, or it is out of force already."""
        self._components.pins.unpin(id)

    @as_operation
    def learn_profile(self) -> None:
        """Brings into the user's profile what they said of themselves in this session. What is recorded live is there
        already; of a file, only whoever imports it knows whose words it holds. Raises UsageError where no user was
        named for the session.
        """
        if not self.user:
            raise UsageError(f"no user was named for session {self.id}, so what is said in it stays there")
        if self._services.config.critical.profile:
            self._components.rules.teach_profile()
