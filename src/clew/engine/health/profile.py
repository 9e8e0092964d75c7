"""The profile: what a user said of themselves and their wishes, as critical items of all their sessions, or of those of
one project.

What was set by hand holds against what was heard, and of two things that were heard the later one. What was forgotten
is not heard again from the message that said it. What was heard holds as long as its message does: one that was edited,
rolled back or purged has said nothing, and neither has a session that the user was not named for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import blake2b

import orjson

from clew.domain import Json, SessionInfo, SessionKey
from clew.domain.argument_kinds import checks_arguments
from clew.domain.critical import Candidate, CriticalItem, ItemKind, ItemState, Scope
from clew.domain.ids import PinId, message_number, pin_number
from clew.engine.health.pin_fields import pin_fields
from clew.errors import NotFound
from clew.history.overview import OverviewProjection, row_name
from clew.ports import Clock, Store
from clew.signals.projection import PROFILE_FORM
from clew.signals.rows import item_from

#: Items by id; and of those that were forgotten or changed by hand, the places that said them, by id as well.
_VALUES, _FORGOTTEN = "profile", "profile_forgotten"
#: The occasion of an item that nobody said in a conversation.
BY_HAND = "set by hand"


@checks_arguments
class Profile:
    """The profile of one user, stored beside the sessions. Nobody has an empty one, and whoever writes to it sees to
    that. Forgetting an item removes it here, not from sessions that said it.
    """

    def __init__(self, store: Store, clock: Clock, *, tenant: str, user: str) -> None:
        self._store, self._clock, self._owner = store, clock, (tenant, user)

    @property
    def user(self) -> str:
        """Whose it is; empty for nobody's."""
        return self._owner[1]

    def show(self) -> list[CriticalItem]:
        """Returns the items in force, in the order in which they were made: each with its source, the session and the
        message that said it, and when that was.
        """
        return [item for item in self._all() if item.is_in_force]

    def general_items(self) -> list[CriticalItem]:
        """Returns the items in force that are for no project alone."""
        return [item for item in self.show() if not item.project]

    def rules(self, info: SessionInfo) -> list[Json]:
        """Returns the items in force as a session takes them in; those for its project hold against the others."""
        return [
            {
                "text": item.text,
                "kind": item.kind,
                "scope": item.scope,
                "source": f"profile {item.id}",
                "subject": item.subject,
            }
            for item in self._items_for(info)
        ]

    def _items_for(self, info: SessionInfo) -> list[CriticalItem]:
        items = [item for item in self.show() if info.is_of_project(item.project)]
        own = [item for item in items if item.project]
        if not own:
            return items
        from clew.signals.critical.merge import is_replaced

        return [item for item in items if item.project or not any(is_replaced(item, other) for other in own)]

    # ── by hand ──────────────────────────────────────────────────────────────────────────────────────

    def set(
        self,
        text: str,
        *,
        kind: str = ItemKind.PREFERENCE,
        reason: str = "",
        source: str = "",
        id: str = "",
        project: str = "",
    ) -> CriticalItem:
        """Adds an item that holds in every session, or in those of a project, and returns it; with ``id``, it takes the
        place of that one. ``project`` is the name of one, or its folder.

        The same words again change nothing; another choice replaces the earlier one. Raises NotFound for an unknown id.
        """
        text = pin_fields(text, kind, reason, "person", Scope.USER, source)["text"]
        with self._store.transaction():
            if id:
                return self._change(self._item(id), text, ItemKind(kind))
            changed = self._merge_item(text, kind=kind, source=source, at=self._clock.now(), project=project)
            made = [replace(item, occasion=BY_HAND, reason=reason or item.reason) for item in changed if item.is_live]
            self._put([item for item in changed if not item.is_live] + made)
        if made:
            return made[-1]
        return next(item for item in self._all() if (item.text, item.project) == (text, project))

    def _change(self, item: CriticalItem, text: str, kind: ItemKind) -> CriticalItem:
        from clew.signals.critical.subjects import subject_of

        self._put_forgotten([item])
        now = self._clock.now()
        made = replace(
            item, text=text, kind=kind, subject=subject_of(text), source="", repeats=(), created=now, occasion=BY_HAND
        )
        self._put([made])
        return made

    def forget(self, id: str) -> CriticalItem:
        """Deletes an item and returns it; the messages that said it are not heard again. Raises NotFound."""
        with self._store.transaction():
            item = self._item(id)
            self._put_forgotten([item])
            self._store.put_values(*self._owner, _VALUES, {item.id: None})
        return item

    def forget_session(self, id: str) -> list[str]:
        """Deletes the items that were said in a session, and what was remembered of it. Returns their texts."""
        recorded = [item_from(orjson.loads(raw)) for raw in self._values().values()]
        items = [item for item in recorded if item.source.split(" ")[0] == id]
        self._store.put_values(*self._owner, _VALUES, dict.fromkeys(item.id for item in items))
        rows = self._store.values(*self._owner, _FORGOTTEN)
        left = {name: [load for load in orjson.loads(row) if load.split(" ")[0] != id] for name, row in rows.items()}
        self._store.put_values(*self._owner, _FORGOTTEN, {name: orjson.dumps(row) for name, row in left.items()})
        return [item.text for item in items]

    # ── from conversations ───────────────────────────────────────────────────────────────────────────

    def learn(self, session: str, items: Sequence[CriticalItem]) -> None:
        """Takes in what the user said of themselves in a session: nothing twice, nothing that was forgotten, nothing
        against what was set by hand or said later.
        """
        forgotten = self._forgotten() if items else frozenset()
        for item in items:
            source = f"{session} {item.source}"
            if forgotten & {source, _place(source, item.text)}:
                continue
            created = self._clock.now() if item.created is None else item.created
            changed = self._merge_item(item.text, kind=item.kind, source=source, at=created)
            if not any(_holds_against(item, created) for item in changed if item.state is ItemState.SUPERSEDED):
                self._put([replace(other, reason=other.reason or item.reason) for other in changed])

    def unlearn(self, sources: Sequence[str]) -> None:
        """Deletes what was heard and has been taken back since, by the ids of the items, or where they were said."""
        gone = [item for item in self._all() if item.occasion != BY_HAND and {item.id, item.source} & set(sources)]
        if gone:
            self._put_forgotten(gone)
            self._store.put_values(*self._owner, _VALUES, dict.fromkeys(item.id for item in gone))

    def digest(self, info: SessionInfo | None = None) -> str:
        """Returns a hash that changes whenever the profile does, or what of it is for a session; empty for an empty
        profile.
        """
        items = self._all() if info is None else self._items_for(info)
        rows = [asdict(item) for item in items]
        return PROFILE_FORM + blake2b(orjson.dumps(rows), digest_size=8).hexdigest() if rows else ""

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────

    def _merge_item(self, text: str, *, kind: str, source: str, at: float, project: str = "") -> Sequence[CriticalItem]:
        from clew.signals.critical.merge import merge_candidate
        from clew.signals.critical.subjects import subject_of

        subject = subject_of(text)
        scope = Scope.PROJECT if project else Scope.USER
        new = Candidate(
            kind=ItemKind(kind), text=text, source=source, span=(0, len(text)), scope=scope, subject=subject, at=at
        )
        items = [item for item in self._all() if item.project == project]
        ids = {item.id for item in items}
        ids_taken = (*self._values(), *self._store.values(*self._owner, _FORGOTTEN))
        last = max(map(pin_number, ids_taken), default=0)
        return [
            item if item.id in ids else replace(item, id=str(PinId(last + 1)), project=project)
            for item in merge_candidate(items, new)
        ]

    def _item(self, id: str) -> CriticalItem:
        wanted = next((item for item in self._all() if item.id == id), None)
        if wanted is None:
            raise NotFound(f"no item {id} in the profile", hint="profile.show() lists them", about="profile")
        return wanted

    def _values(self) -> dict[str, bytes]:
        return self._store.values(*self._owner, _VALUES)

    def _all(self) -> list[CriticalItem]:
        """The items that stand, in the order in which they were made."""
        items = [item_from(orjson.loads(raw)) for raw in self._values().values()] if self.user else []
        return sorted(filter(self._stands, items), key=lambda item: pin_number(item.id))

    def _stands(self, item: CriticalItem) -> bool:
        """Whether it was set by hand, or its message still says so; what was said elsewhere than in a session of the
        user's, as before anybody was named, is not theirs.
        """
        session, _, message = item.source.partition(" ")
        if not session:
            return True
        key = SessionKey(*self._owner, session)
        info = self._store.session(key)
        if info is None or info.owner != self.user:
            return False
        raw = self._store.row(key, OverviewProjection.name, row_name(message_number(message)))
        row = orjson.loads(raw) if raw and item.occasion != BY_HAND else {}
        return not (row.get("left") or "replaced_by" in row)

    def _put(self, items: Sequence[CriticalItem]) -> None:
        values: dict[str, bytes | None] = {
            item.id: None if item.state is ItemState.SUPERSEDED else orjson.dumps(asdict(item)) for item in items
        }
        with self._store.transaction():
            self._store.put_values(*self._owner, _VALUES, values)

    def _forgotten(self) -> frozenset[str]:
        rows = self._store.values(*self._owner, _FORGOTTEN).values()
        return frozenset(place for row in rows for place in orjson.loads(row))

    def _put_forgotten(self, items: Sequence[CriticalItem]) -> None:
        """Where each was said: a sentence without its words, and messages that said the same in other words."""
        forgotten = self._store.values(*self._owner, _FORGOTTEN)
        rows = {item.id: orjson.loads(forgotten.get(item.id, b"[]")) for item in items}
        for item in items:
            rows[item.id] += [_place(item.source, item.text), *filter(None, item.repeats)]
        self._store.put_values(*self._owner, _FORGOTTEN, {id: orjson.dumps(row) for id, row in rows.items()})


def _place(source: str, text: str) -> str:
    """A sentence of a message, by the message and a hash of its words."""
    return f"{source} {blake2b(' '.join(text.split()).encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def _holds_against(earlier: CriticalItem, at: float) -> bool:
    """Whether an item stays although something else was heard."""
    is_by_hand = earlier.occasion == BY_HAND or not earlier.source
    return is_by_hand or (earlier.created is not None and earlier.created > at)
