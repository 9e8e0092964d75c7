"""The profile: what a user said of themselves and their wishes, as critical items of all their sessions."""

from __future__ import annotations

from dataclasses import asdict, replace
from hashlib import blake2b

import orjson

from clew.domain import Json
from clew.domain.critical import Candidate, CriticalItem, ItemKind, ItemState, Scope
from clew.domain.ids import pin_number
from clew.engine.health.pin_fields import pin_fields
from clew.errors import NotFound
from clew.ports import Clock, Store
from clew.signals.projection import item_from

_VALUES = "profile"


class Profile:
    """The profile of one user, stored beside the sessions.
    Forgetting an item removes it here, not from sessions that said it.
    """

    def __init__(self, store: Store, clock: Clock, *, tenant: str, user: str) -> None:
        self._store, self._clock, self._owner = store, clock, (tenant, user)

    def items(self) -> list[CriticalItem]:
        """Returns the items in force, in the order in which they were made."""
        return [item for item in self._all() if item.is_in_force]

    def rules(self) -> list[Json]:
        """Returns the items in force as sessions take them in."""
        return [
            {
                "text": item.text,
                "kind": item.kind,
                "scope": item.scope,
                "source": f"profile {item.id}",
                "subject": item.subject,
            }
            for item in self.items()
        ]

    def set(self, text: str, *, kind: str = ItemKind.PREFERENCE, reason: str = "", source: str = "") -> CriticalItem:
        """Adds an item that holds in every session.
        The same words again change nothing; another choice replaces the earlier one.
        """
        from clew.signals.critical.merge import merged
        from clew.signals.critical.subjects import subject_of

        text = pin_fields(text, kind, reason, "person", Scope.USER, source)["text"]
        known = self._all()
        new = Candidate(
            kind=ItemKind(kind),
            text=text,
            source=source,
            span=(0, len(text)),
            scope=Scope.USER,
            subject=subject_of(text),
            at=self._clock.now(),
        )
        changed = [replace(item, reason=item.reason or reason) for item in merged(known, new)]
        self._put(changed)
        settled = {item.id: item for item in [*known, *changed]}
        return changed[-1] if changed else next(item for item in settled.values() if item.text == text)

    def forget(self, id: str) -> None:
        """Deletes an item. Raises NotFound."""
        if id not in {item.id for item in self._all()}:
            raise NotFound(f"no item {id} in the profile", hint="profile.items() lists them", about="profile")
        self._store.put_values(*self._owner, _VALUES, {id: None})

    def forget_session(self, id: str) -> None:
        """Deletes the items that were said in a session."""
        said = [item.id for item in self._all() if item.source.split(" ")[0] == id]
        self._store.put_values(*self._owner, _VALUES, dict.fromkeys(said))

    def digest(self) -> str:
        """Returns a hash that changes whenever the profile does; empty for an empty profile."""
        values = self._values()
        told = b"".join(values[name] for name in sorted(values))
        return blake2b(told, digest_size=8).hexdigest() if values else ""

    def _values(self) -> dict[str, bytes]:
        return self._store.values(*self._owner, _VALUES)

    def _all(self) -> list[CriticalItem]:
        found = [item_from(orjson.loads(raw)) for raw in self._values().values()]
        return sorted(found, key=lambda item: pin_number(item.id))

    def _put(self, items: list[CriticalItem]) -> None:
        values: dict[str, bytes | None] = {
            item.id: None if item.state is ItemState.SUPERSEDED else orjson.dumps(asdict(item)) for item in items
        }
        with self._store.transaction():
            self._store.put_values(*self._owner, _VALUES, values)
