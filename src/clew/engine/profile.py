"""The profile: what a user said of themselves and their wishes. Critical items of user scope, over all sessions."""

from __future__ import annotations

from dataclasses import asdict, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import orjson

from clew.domain.critical import Candidate, Item, ItemKind, ItemState, Scope
from clew.engine.watching import pin_of
from clew.errors import NotFound
from clew.signals.critical_merging import merged
from clew.signals.critical_subjects import subject_of
from clew.signals.projection import item_from

if TYPE_CHECKING:
    from clew.engine.core import Engine

_VALUES = "profile"


class Profile:
    """Kept beside the sessions, in the same store; what is forgotten is gone from it, though not from the sessions in
    which it was said."""

    def __init__(self, engine: Engine, user: str) -> None:
        self._engine, self._owner = engine, (engine.config.tenant, user)

    def items(self) -> list[Item]:
        """Those in force, in the order in which they were made."""
        return [item for item in self._all() if item.is_in_force]

    def set(self, text: str, *, kind: str = ItemKind.PREFERENCE, reason: str = "", source: str = "") -> Item:
        """Adds what is to hold in every session; the same again changes nothing, another choice takes its place."""
        text = pin_of(text, kind, reason, "person", Scope.USER, source)["text"]
        known = self._all()
        new = Candidate(
            kind=ItemKind(kind),
            text=text,
            source=source,
            span=(0, len(text)),
            scope=Scope.USER,
            subject=subject_of(text),
            at=self._engine.clock.now(),
        )
        changed = [replace(item, reason=item.reason or reason) for item in merged(known, new)]
        self._put(changed)
        settled = {item.id: item for item in [*known, *changed]}
        return changed[-1] if changed else next(item for item in settled.values() if item.text == text)

    def forget(self, id: str) -> None:
        if id not in {item.id for item in self._all()}:
            raise NotFound(f"no item {id} in the profile; `clew profile show` lists them")
        self._engine.store.put_values(*self._owner, _VALUES, {id: None})

    def forget_session(self, id: str) -> None:
        """Takes out what was said in a session."""
        said = [item.id for item in self._all() if item.source.split(" ")[0] == id]
        self._engine.store.put_values(*self._owner, _VALUES, dict.fromkeys(said))

    def digest(self) -> str:
        """Changes whenever the profile does; empty for an empty one."""
        values = self._values()
        told = b"".join(values[name] for name in sorted(values))
        return blake2b(told, digest_size=8).hexdigest() if values else ""

    def _values(self) -> dict[str, bytes]:
        return self._engine.store.values(*self._owner, _VALUES)

    def _all(self) -> list[Item]:
        found = [item_from(orjson.loads(raw)) for raw in self._values().values()]
        return sorted(found, key=lambda item: int(item.id[1:]))

    def _put(self, items: list[Item]) -> None:
        values: dict[str, bytes | None] = {
            item.id: None if item.state is ItemState.SUPERSEDED else orjson.dumps(asdict(item)) for item in items
        }
        with self._engine.store.transaction():
            self._engine.store.put_values(*self._owner, _VALUES, values)
