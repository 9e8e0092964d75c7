"""The ledgers of all sessions in one store: opens, finds, copies and purges them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from clew.codecs import clew_format, jsonio
from clew.config import Config
from clew.domain import Entry, EntryKind, Record, SessionInfo, SessionKey
from clew.domain.ids import message_id
from clew.domain.sessions import DEFAULT_USER
from clew.engine.ledger.counts import TokenCounts
from clew.engine.ledger.entries import EntryLog, decode_with_notes
from clew.engine.ledger.erased_words import erase_words
from clew.engine.ledger.projector import Projector
from clew.engine.ledger.session_ledger import LATEST, OF_ALL, SessionLedger, latest_marks
from clew.errors import NotFound, UsageError
from clew.ports import Clock, Projection, Store

_UNSAFE = re.compile(r"[^\w.-]+")
_MAX_ID_CHARS = 96
#: Values that earlier versions kept for all sessions of a user.
_FORMER_SPACES = ("calibration",)


class Ledgers:
    """Opens session ledgers on one store, for the tenant that the settings name.

    ``user`` is who is named for sessions that are opened without a user: that of the settings, else ``person``; empty
    for nobody. Where the settings name a user, only their sessions are seen.
    """

    def __init__(
        self,
        store: Store,
        projections: Sequence[Projection],
        *,
        config: Config,
        clock: Clock,
        secret: bytes,
        mask: Callable[[bytes], bytes] | None,
        person: str = "",
    ) -> None:
        self.store, self._clock, self._secret = store, clock, secret
        self._tenant, self.seen, self.user = config.tenant, config.user, config.user or person
        self._log = EntryLog(store, mask)
        self.counts = TokenCounts(store, secret)
        self._projector = Projector(store, projections, self._read, self.counts.of_messages)

    def _read(self, key: SessionKey, after: int, until: int) -> Iterable[tuple[Entry, Record]]:
        return map(decode_with_notes, self._log.read(key, after=after, until=until))

    def for_user(self, user: str) -> Ledgers:
        """Returns the same ledgers with a user named. Raises UsageError for an empty name."""
        named = copy(self)
        named.user = named.seen = _ensure_named(user)
        return named

    # ── one session ──────────────────────────────────────────────────────────────────────────────────

    def ledger(self, info: SessionInfo, *, is_fixed: bool = False) -> SessionLedger:
        """Returns the ledger of a session whose row is known. A fixed one reads the session as that row has it."""
        return SessionLedger(
            info,
            store=self.store,
            log=self._log,
            projector=self._projector,
            clock=self._clock,
            secret=self._secret,
            is_fixed=is_fixed,
        )

    def open(self, id: str, *, user: str | None = None, about: dict[str, Any] | None = None) -> SessionLedger:
        """Returns the ledger with that id; a new one is stored with its first record.
        ``about`` sets fields of its row.
        """
        key, fields = self.key(id, user=user), about or {}
        info = self.store.session(key)
        if info is None:
            named = bool(user or self.user)
            return self.ledger(replace(SessionInfo(key=key, created=self._clock.now(), named=named), **fields))
        if any(getattr(info, name) != value for name, value in fields.items()):
            with self.store.transaction():  # the row is read again inside: another process may be recording
                info = replace(self.store.session(key) or info, **fields)
                self.store.save_session(info)
        return self.ledger(info)

    def key(self, id: str, *, user: str | None = None) -> SessionKey:
        """Returns the key of a session, with the id made safe. Raises UsageError for an empty id, and for a user
        that is no name.

        An id that had to be changed gets a hash of the original, so that no two become the same.
        """
        if not id.strip():
            raise UsageError("a session id cannot be empty")
        safe = _UNSAFE.sub("-", id).strip("-.")[:_MAX_ID_CHARS]
        if safe != id:
            mark = blake2b(id.encode("utf-8", "replace"), digest_size=4).hexdigest()
            safe = f"{safe[: _MAX_ID_CHARS - 9]}-{mark}".lstrip("-")
        return SessionKey(self._tenant, self.place(user), safe)

    def place(self, user: str | None = None) -> str:
        """Returns under whom the sessions of a user are kept, or of whoever is named here."""
        if user is not None and not isinstance(user, str):
            raise UsageError(f"a user is named by a text, not by {user!r}")
        return user or self.user or DEFAULT_USER

    def find(self, name: str, *, user: str | None = None) -> SessionLedger:
        """Returns a stored session by id, unique prefix, or ``latest``, the one that was last recorded into.
        Raises NotFound, or UsageError if several match, also where they are sessions of several users.
        """
        seen = self._seen_by(user)
        matches = self.store.sessions(self._tenant, seen, id=self.key(name).id)
        if not matches:
            sessions = self.store.sessions(self._tenant, seen)
            if not sessions:
                raise NotFound(
                    f"no session {name!r}: none is stored yet",
                    hint="session.record(…) stores one",
                    about="first session",
                )
            matches = (
                self._latest(sessions, seen)
                if name == LATEST
                else [info for info in sessions if info.key.id.startswith(name)]
            )
        if not matches:
            raise NotFound(f"no session {name!r}", hint="engine.sessions() lists them", about="session")
        if len(matches) > 1:
            raise _several(name, matches)
        return self.ledger(matches[0])

    def _latest(self, sessions: Sequence[SessionInfo], seen: str | None) -> list[SessionInfo]:
        """The session that was last recorded into; where that is gone, the one with the newest message."""
        for place in (seen,) if seen else (OF_ALL, DEFAULT_USER):
            raw = self.store.values(self._tenant, place, LATEST, [LATEST]).get(LATEST, b"").decode()
            id, _, owner = raw.partition(" ")
            if infos := [info for info in sessions if info.key.id == id and info.key.user == (owner or place)]:
                return infos
        return list(sessions[:1])

    # ── all of them ──────────────────────────────────────────────────────────────────────────────────

    def infos(self, user: str | None = None) -> list[SessionInfo]:
        """Returns the rows of all sessions, or of those that a user was named for, newest first."""
        user = self._seen_by(user)
        return [info for info in self.store.sessions(self._tenant, user) if user in (None, info.owner)]

    def _seen_by(self, user: str | None) -> str | None:
        """Whose sessions are read; None for everybody's."""
        return self.seen or None if user is None else _ensure_named(user)

    def copy(self, source: SessionLedger, id: str, *, until: int) -> SessionLedger:
        """Creates a session with the same entries up to a message.
        Blobs are shared and ids stay; epochs are not copied.

        Raises UsageError if the id is taken.
        """
        key = self.key(id, user=source.key.user)
        with self.store.transaction():
            if self.store.session(key):
                raise UsageError(f"session {key.id} exists already; choose another id")
            pairs = [pair for pair in source.read() if not pair[0].kind.belongs_to_packs]
            pairs = [
                (replace(entry, seq=index), record) for index, (entry, record) in enumerate(_up_to(pairs, until), 1)
            ]
            last = max((entry.message for entry, _ in pairs), default=0)
            now = self._clock.now()
            origin = jsonio.dumps({"fork": {"session": source.id, "at": message_id(until)}})
            mark = Entry(seq=len(pairs) + 1, kind=EntryKind.FORK, format=clew_format.NAME, body=origin, at=now)
            pairs.append((mark, Record(key="")))
            info = replace(source.info, key=key, entries=len(pairs), messages=last, tail="", created=now, updated=now)
            copied = self.ledger(info)
            copied.adopt(info, pairs)
        copied.bring_up_to_date()
        return copied

    def purge(self, key: SessionKey, lent: Sequence[str] = ()) -> None:
        """Deletes a session and everything derived from it, counts of its texts included. ``lent`` are words of it that
        were given to the user's other sessions: they are taken out of those too.
        """
        self.store.delete_session(key)
        self.counts.forget(key)
        for place, named in latest_marks(key).items():
            if self.store.values(key.tenant, place, LATEST, [LATEST]).get(LATEST) == named:
                self.store.put_values(key.tenant, place, LATEST, {LATEST: None})
        for info in self.store.sessions(key.tenant, key.user) if lent else ():
            erase_words(self.ledger(info), self._log, lent)
        for space in _FORMER_SPACES:
            self.store.put_values(
                key.tenant, key.user, space, dict.fromkeys(self.store.values(key.tenant, key.user, space))
            )


def _up_to(pairs: Sequence[tuple[Entry, Record]], until: int) -> list[tuple[Entry, Record]]:
    """Entries that make the messages up to a number: those themselves, their newer versions, and the rollbacks
    that came before the last of them."""
    border = max((entry.seq for entry, _ in pairs if 0 < entry.message <= until and not entry.replaces), default=0)
    numbers: set[int] = set(range(1, until + 1))
    out = []
    for entry, record in pairs:
        if entry.replaces in numbers:
            numbers.add(entry.message)
        if entry.message in numbers or (not entry.message and entry.seq < border):
            out.append((entry, record))
    return out


def _ensure_named(user: str) -> str:
    """Returns the name. An empty one would be everybody, which no caller with a visitor's name can mean."""
    if not isinstance(user, str) or not user.strip():
        raise UsageError("a user's name cannot be empty; leave user out for the sessions of all")
    return user


def _several(name: str, sessions: Sequence[SessionInfo]) -> UsageError:
    """What is wrong with a name that means several sessions: one id of several users, or the start of several ids."""
    users = sorted({info.key.user for info in sessions})
    if len({info.key.id for info in sessions}) == 1:
        which = f"session {sessions[0].key.id} is there for {len(users)} users, {', '.join(users[:3])}"
        return UsageError(
            f"{which}{' …' if len(users) > 3 else ''}", hint=f"name one, as in user={users[0]!r}", about="user"
        )
    return UsageError(f"{name!r} is the start of {len(sessions)} sessions, {_first_few(sessions)}; give more of the id")


def _first_few(sessions: Sequence[SessionInfo]) -> str:
    return ", ".join(info.key.id for info in sessions[:3]) + (" …" if len(sessions) > 3 else "")
