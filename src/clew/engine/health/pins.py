"""Pins: the critical items of a session, marked by hand, found in what people said, or taken from the profile."""

from __future__ import annotations

from collections.abc import Callable

from clew.domain import EntryKind, Json
from clew.domain.critical import CriticalItem, ItemState
from clew.engine.health.pin_fields import ensure_kind
from clew.engine.health.profile import Profile
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.services import Services
from clew.errors import NotFound, UsageError
from clew.signals.projection import SignalsProjection, is_shared_by_all
from clew.signals.rows import ACT, items_in

#: What a caller can do who does not know an item.
_ALL = "session.pins(all=True) lists all there are"


class Pins:
    """Lists, pins, accepts and unpins critical items of one session.

    The user's profile is always read as it is now. Reading writes nothing: a change of the profile is written to the
    session's ledger by ``take_in_profile``, before anything else is, so that items keep the ids they were listed with.
    """

    def __init__(self, ledger: SessionLedger, services: Services, profile_of: Callable[[str], Profile]) -> None:
        self._ledger, self._services, self._profile_of = ledger, services, profile_of

    def items(self, kind: str | None = None) -> list[CriticalItem]:
        """Returns the items in force. Raises UsageError for an unknown kind."""
        return [item for item in self.all(kind) if item.is_in_force]

    def all(self, kind: str | None = None) -> list[CriticalItem]:
        """Returns every item: in force, proposed, and no longer in force. Raises UsageError for an unknown kind."""
        if kind is not None:
            ensure_kind(kind)
        read, change = items_in(self._ledger.rows(SignalsProjection.name, alone=True)), self._profile_change()
        if change:
            from clew.signals.critical.items import Items

            items = Items(read, int(self._state().get("last", 0)))
            items.apply({"given": change})
            read = items.all()
        if not self._ledger.info.owner:  # versions that named nobody gave it what was said elsewhere
            read = [item for item in read if item.by != "profile"]
        return [item for item in read if kind is None or item.kind == kind]

    def item(self, id: str) -> CriticalItem:
        """Returns an item by its id, also one that is not in force. Raises NotFound."""
        wanted = next((item for item in self.all() if item.id == id), None)
        if wanted is None:
            raise NotFound(f"no critical item {id} in session {self._ledger.id}", hint=_ALL, about="pins")
        return wanted

    # ── changing ─────────────────────────────────────────────────────────────────────────────────────

    def pin(self, about: Json) -> CriticalItem:
        """Pins what ``pin_fields`` returned, and returns the item: a new one, or the one that says the same already.

        Raises UsageError for a text larger than all critical items may be.
        """
        cap = self._services.config.critical.cap_tokens
        if (size := self._services.tokenizers.count(about["text"])) > cap:
            raise UsageError(
                f"{size} tokens are more than critical items may take ({cap}); pin the sentences that matter"
            )
        from clew.signals.critical.merge import is_same_rule

        with self._ledger.transaction():
            self.take_in_profile()
            self._ledger.append(EntryKind.PIN, {"pin": about | {"created": self._services.clock.now()}})
            rows = self._ledger.rows(SignalsProjection.name).scan(ACT, ACT + "~", last=1)
            made = rows[0][1].get("ids", ()) if rows else ()
            items = self.items()
            written = [item for item in items if item.id in made]
            same = [item for item in items if item.text.split() == about["text"].split()]
            return (written or same or [item for item in items if is_same_rule(item.text, about["text"])])[-1]

    def accept(self, id: str) -> CriticalItem:
        """Puts an item in force that is proposed, lapsed or unpinned, and returns it.

        Raises UsageError for one that is in force already, in its own words or another's, or that was replaced.
        """
        from clew.signals.critical.merge import is_same_rule

        item = self.item(id)
        same = [item] if item.is_in_force else [other for other in self.items() if is_same_rule(other.text, item.text)]
        if same:
            message = f"{id} is in force already as {same[0].id}"
            raise UsageError(message, hint="session.pins() lists what is", about="pins in force")
        if item.state is ItemState.SUPERSEDED:
            raise UsageError(f"{id} was replaced by a later item; unpin that, and pin these words again")
        self._settle({"accept": id, "text": item.text})
        return self.item(id)

    def unpin(self, id: str) -> None:
        """Takes an item out of force. Raises NotFound if there is none, or it is out of force already."""
        item = self.item(id)
        if not item.is_live:
            raise NotFound(f"{id} is {item.state} already", hint=_ALL, about="pins")
        self._settle({"unpin": id, "text": item.text})

    def take_in_profile(self) -> None:
        """Writes the profile as it is now into the session's ledger, if it has changed since. An epoch that states the
        words of others ends.
        """
        if change := self._profile_change():
            with self._ledger.transaction():
                is_foreign = is_shared_by_all(self._state())
                self._ledger.append(EntryKind.PIN, {"given": change})
                if is_foreign:
                    self._ledger.append(EntryKind.EPOCH, {"ended": True})

    def _settle(self, about: Json) -> None:
        with self._ledger.transaction():
            self.take_in_profile()
            self._ledger.append(EntryKind.PIN, about | {"at": self._services.clock.now()})

    def _profile_change(self) -> Json | None:
        """What the profile says now, where it differs from what the session has taken in; None where it does not."""
        owner = self._ledger.info.owner
        if owner and not self._services.config.critical.profile:
            return None
        profile, info = self._profile_of(owner), self._ledger.info
        digest = profile.digest(info)
        state = self._ledger.last_state(SignalsProjection.name) or {}
        if digest == state.get("given", {}).get("profile", ""):
            return None
        return {"by": "profile", "digest": digest, "rules": profile.rules(info)}

    def _state(self) -> Json:
        state: Json = self._ledger.state(SignalsProjection.name, alone=True) or {}
        return state
