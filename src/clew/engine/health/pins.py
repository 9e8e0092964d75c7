"""Pins: the critical items of a session, marked by hand or found in what people said."""

from __future__ import annotations

from clew.domain import EntryKind, Json
from clew.domain.critical import CriticalItem, ItemKind, ItemState, Scope
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services
from clew.errors import NotFound, UsageError
from clew.signals.critical.merge import is_same_rule
from clew.signals.projection import ACT, SignalsProjection

#: Who can mark an item. Items marked by an assistant say so wherever they are shown.
_MAKERS = ("person", "assistant")


class Pins:
    """Lists, pins, accepts and unpins critical items of one session."""

    def __init__(self, ledger: SessionLedger, reader: SessionReader, services: Services) -> None:
        self._ledger, self._reader, self._services = ledger, reader, services

    def items(self, kind: str | None = None) -> list[CriticalItem]:
        """Returns items that are in force or proposed. Raises UsageError for an unknown kind."""
        if kind is not None and kind not in list(ItemKind):
            raise UsageError(f"no kind {kind!r} of critical items; there are {', '.join(ItemKind)}")
        found = self._reader.critical_items()
        return [item for item in found if item.is_live and (kind is None or item.kind == kind)]

    def pin(self, about: Json) -> CriticalItem:
        """Pins what ``pin_fields`` returned, and returns the item: a new one, or the one that says the same already.

        Raises UsageError for a text larger than all critical items may be.
        """
        cap = self._services.config.critical.cap_tokens
        if (size := self._services.tokenizers.count(about["text"])) > cap:
            raise UsageError(
                f"{size} tokens are more than critical items may take ({cap}); pin the sentences that matter"
            )
        with self._ledger.transaction():
            self._ledger.append(EntryKind.PIN, {"pin": about | {"created": self._services.clock.now()}})
            rows = self._ledger.rows(SignalsProjection.name).scan(ACT, ACT + "~", last=1)
            made = rows[0][1].get("ids", ()) if rows else ()
            items = self.items()
            found = [item for item in items if item.id in made]
            return (found or [item for item in items if is_same_rule(item.text, about["text"])])[-1]

    def accept(self, id: str) -> CriticalItem:
        """Puts a proposed item in force and returns it. Raises UsageError for an item that is not proposed."""
        item = self._reader.critical_item(id)
        if item.state is not ItemState.PROPOSED:
            raise UsageError(f"{id} is {item.state}, not proposed; pin its words to have it again")
        self._ledger.append(EntryKind.PIN, {"accept": id, "text": item.text})
        return self._reader.critical_item(id)

    def unpin(self, id: str) -> None:
        """Takes an item out of force. Raises NotFound if there is none, or it is out of force already."""
        item = self._reader.critical_item(id)
        if not item.is_live:
            raise NotFound(f"{id} is {item.state} already")
        self._ledger.append(EntryKind.PIN, {"unpin": id, "text": item.text})


def pin_fields(text: str, kind: str, reason: str, by: str, scope: str, source: str) -> Json:
    """Checks an item that somebody pins and returns the fields to store.
    Raises UsageError for values that are not allowed.
    """
    if not text.strip():
        raise UsageError("a critical item needs words")
    if kind not in list(ItemKind):
        raise UsageError(f"no kind {kind!r} of critical items; there are {', '.join(ItemKind)}")
    if by not in _MAKERS:
        raise UsageError(f"critical items are marked by {' or '.join(_MAKERS)}, not by {by!r}")
    if scope not in list(Scope):
        raise UsageError(f"no scope {scope!r}; there are {', '.join(Scope)}")
    return {"text": text.strip(), "kind": kind, "reason": reason, "by": by, "scope": scope, "source": source}
