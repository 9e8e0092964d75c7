"""The engine: one store, its sessions, and the way from wire records to everything derived from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from types import TracebackType
from typing import Any, Self

import orjson

from clew.codecs import clew_format, jsonio, registry
from clew.config import Config
from clew.domain import Entry, Kind, Message, Record, Repair, SessionInfo, SessionKey, Usage
from clew.engine.background import Background
from clew.engine.counts import Counts
from clew.engine.ledger import Ledger
from clew.engine.profile import Profile
from clew.engine.projecting import Projector, SessionRows
from clew.engine.session import Session
from clew.errors import NotFound, UsageError
from clew.history.calibrating import Calibrating
from clew.history.fold import History
from clew.history.normalise import normalised
from clew.history.sending import Sending, end_epochs
from clew.ports import Clock, Events, Model, Models, Projection, Request, Store, Tokenizer
from clew.rules import repair as repaired
from clew.tokens.calibration import Calibration
from clew.tokens.tokenizers import tokenizer_for

_UNSAFE = re.compile(r"[^\w.-]+")
_MAX_ID_CHARS = 96
#: Entries that say nothing to a conversation.
_NO_WORDS = {Kind.NOTE, Kind.FORK, Kind.EPOCH, Kind.SENT, Kind.COMPACTION, Kind.SUMMARY, Kind.PIN, Kind.ALERT}
#: What packs of a session were; a copy has packs of its own, which name it and not the original.
_OF_LINES = {Kind.EPOCH, Kind.SENT, Kind.COMPACTION, Kind.SUMMARY}
_ABOUT = {"model", "window", "title", "client", "cwd", "project", "source"}


@dataclass(frozen=True, slots=True)
class Listed:
    """A session as a list shows it."""

    info: SessionInfo
    exchanges: int
    tokens: int
    health: str


class Engine:
    """Holds one store open. Close it, or use it in a ``with`` block."""

    def __init__(
        self,
        store: Store,
        *,
        config: Config,
        clock: Clock,
        events: Events,
        ledger: Ledger,
        counts: Counts,
        projections: Sequence[Projection],
        models: Models,
    ) -> None:
        self.store, self.config, self.clock, self.events, self.ledger = store, config, clock, events, ledger
        self._counts, self._models = counts, models
        self.background = Background(events)
        self._projector = Projector(store, projections, self.read, counts.of_messages)

    def close(self) -> None:
        self.background.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def on(self, name: str, listener: Callable[..., object]) -> Callable[[], None]:
        """Calls ``listener(event)`` for each event of that name (``*`` for all); returns what takes it off."""
        return self.events.on(name, listener)

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────

    def session(self, id: str, *, user: str | None = None, **about: Any) -> Session:
        """The session of that id; a new one is stored with its first record.

        ``about``: model, window, title, client, cwd, project, source. ``user`` is whose session it is.
        """
        unknown = about.keys() - _ABOUT
        if unknown:
            raise UsageError(f"a session has no {', '.join(sorted(unknown))}")
        key = self.key(id, user=user)
        given = {name: value for name, value in about.items() if value is not None}
        known = self.store.session(key)
        if known is None:
            return Session(self, replace(SessionInfo(key=key, created=self.clock.now()), **given))
        if any(getattr(known, name) != value for name, value in given.items()):
            with self.store.transaction():  # the row is read again inside: another process may be recording
                known = replace(self.store.session(key) or known, **given)
                self.store.save_session(known)
        return Session(self, known)

    def key(self, id: str, *, user: str | None = None) -> SessionKey:
        """The id made safe; one that had to be changed says so by a hash, so that no two become the same."""
        if not id.strip():
            raise UsageError("a session id cannot be empty")
        safe = _UNSAFE.sub("-", id).strip("-.")[:_MAX_ID_CHARS]
        if safe != id:
            mark = blake2b(id.encode("utf-8", "replace"), digest_size=4).hexdigest()
            safe = f"{safe[: _MAX_ID_CHARS - 9]}-{mark}".lstrip("-")
        return SessionKey(self.config.tenant, user or self.config.user, safe)

    def find(self, name: str) -> Session:
        """A stored session by id, unique prefix, or ``latest``."""
        if exact := self.store.session(self.key(name)):
            return Session(self, exact)
        known = self.infos()
        found = known[:1] if name == "latest" else [info for info in known if info.key.id.startswith(name)]
        if not found:
            raise NotFound(f"no session {name!r}; `clew sessions` lists them, and a path must name a file")
        if len(found) > 1:
            raise UsageError(f"{name!r} is the start of {len(found)} sessions, {_some(found)}; give more of the id")
        return Session(self, found[0])

    def profile(self, *, user: str | None = None) -> Profile:
        """What a user said of themselves and their wishes; it holds in every session of theirs."""
        return Profile(self, user or self.config.user)

    def infos(self) -> list[SessionInfo]:
        """Every session's row, newest first."""
        return self.store.sessions(self.config.tenant, self.config.user)

    def sessions(self) -> list[Listed]:
        """Every session with its totals, newest first."""
        return [self._listed(info) for info in self.infos()]

    def _listed(self, info: SessionInfo) -> Listed:
        self.catch_up(info)
        totals = self._projector.state(info.key, "messages") or {}
        health = Session(self, info).health().health
        return Listed(info, totals.get("exchanges", 0), totals.get("tokens", 0), health)

    def copy(self, session: Session, id: str, until: int) -> Session:
        """A new session with the same entries up to a message; blobs are shared, ids stay."""
        key = self.key(id)
        with self.store.transaction():
            if self.store.session(key):
                raise UsageError(f"session {key.id} exists already; choose another id")
            kept = _up_to(
                [pair for pair in self.read(session.info.key, 0, None) if pair[0].kind not in _OF_LINES], until
            )
            pairs = [(replace(entry, seq=at), record) for at, (entry, record) in enumerate(kept, 1)]
            last = max((entry.message for entry, _ in pairs), default=0)
            now = self.clock.now()
            origin = jsonio.dumps({"fork": {"session": session.id, "at": f"m{until}"}})
            mark = Entry(seq=len(pairs) + 1, kind=Kind.FORK, format=clew_format.NAME, body=origin, at=now)
            pairs.append((mark, Record(key="")))
            info = replace(session.info, key=key, entries=len(pairs), messages=last, tail="", created=now, updated=now)
            self.ledger.adopt(info, pairs)
        self.catch_up(info)
        return Session(self, info)

    def purge(self, key: SessionKey) -> None:
        """Really deletes a session and everything derived from it."""
        with self.store.transaction():
            self.store.delete_session(key)
            self._counts.forget(key)
            self._models.forget(key)
            self.profile(user=key.user).forget_session(key.id)
            cursors = self.store.values(key.tenant, key.user, "cursor")
            gone: dict[str, bytes | None] = {
                name: None for name, raw in cursors.items() if orjson.loads(raw).get("session") == key.id
            }
            self.store.put_values(key.tenant, key.user, "cursor", gone)
            learned = self.store.values(key.tenant, key.user, Calibrating.name)
            self.store.put_values(key.tenant, key.user, Calibrating.name, dict.fromkeys(learned))
            for info in self.store.sessions(key.tenant, key.user):
                self._keep_calibration(info.key)
        self.events.emit("purged", session=key.id)

    # ── what is derived ──────────────────────────────────────────────────────────────────────────────

    def catch_up(self, info: SessionInfo) -> None:
        """Brings all projections of a session up to date; costs nothing when they are."""
        if self._projector.catch_up(info):
            totals = self._projector.state(info.key, "messages") or {}
            usage = Usage(*totals.get("usage", (0, 0, 0, 0)))
            with self.store.transaction():
                current = self.store.session(info.key)
                if current is not None and current.usage != usage:
                    self.store.save_session(replace(current, usage=usage))
                self._keep_calibration(info.key)

    def _keep_calibration(self, key: SessionKey) -> None:
        """What one session has learned of a model serves the others of the user."""
        rows = self.store.rows(key, Calibrating.name, start="\x01")
        learned = {name: raw for name, raw in rows if Calibration(tuple(orjson.loads(raw))).ratio}
        if learned:
            self.store.put_values(key.tenant, key.user, Calibrating.name, learned)

    def state(self, key: SessionKey, projection: str) -> Any:
        """What a projection keeps for itself between two updates."""
        return self._projector.state(key, projection)

    def tokenizer(self, model: str) -> Tokenizer:
        """Counts as the model does: exactly, or from above by what its replies have shown so far."""
        raw = self.store.values(self.config.tenant, self.config.user, Calibrating.name, [model]).get(model)
        return tokenizer_for(model, Calibration(tuple(orjson.loads(raw))) if raw else None)

    def model(self, key: SessionKey, *, lent: Model | None = None) -> Model | None:
        """The model that helps with a session, if there is one; it keeps to the limits on spending.

        ``lent`` is asked instead of the configured one. A ModelError says what the settings lack.
        """
        return self._models.for_session(key, lent=lent)

    def rebuild(self, info: SessionInfo) -> None:
        """Makes everything derived anew. Epochs end: forms of outputs may be others now."""
        self._projector.rebuild(info)
        with self.store.transaction():
            rows = SessionRows(self.store, info.key, Sending.name)
            end_epochs(rows)
            rows.flush()

    def count(self, text: str) -> int:
        return self._counts.of_text(text)

    # ── reading the ledger ───────────────────────────────────────────────────────────────────────────

    def read(self, key: SessionKey, after: int, until: int | None) -> Iterator[tuple[Entry, Record]]:
        return map(decoded, self.ledger.entries(key, after=after, until=until))

    def read_messages(self, key: SessionKey, first: int, last: int) -> Iterator[tuple[Entry, Record]]:
        return map(decoded, self.ledger.entries_of(key, first, last))

    def request(self, history: History, provider: str, *, repair: bool = True) -> tuple[Request, tuple[Repair, ...]]:
        """A history as a provider's request; with ``repair`` it breaks no rule of the provider."""
        encoder = registry.encoder(provider)
        messages: Sequence[Message] = history.prompt_view()
        if not repair:
            return encoder.encode(messages, tools=history.tools), ()
        messages, repairs = normalised(messages)
        request = encoder.encode(messages, tools=history.tools)
        body, more = repaired(request.body, provider)
        return replace(request, body=body), (*repairs, *more)


def decoded(entry: Entry) -> tuple[Entry, Record]:
    """An entry and what it says; bookkeeping says nothing, and need not be readable."""
    if entry.kind in _NO_WORDS:
        return entry, Record(key="")
    return entry, registry.codec(entry.format).read(entry.body)


def _up_to(pairs: Sequence[tuple[Entry, Record]], until: int) -> list[tuple[Entry, Record]]:
    """Entries that make the messages up to a number: those themselves, their newer versions, and the rollbacks
    that came before the last of them."""
    border = max((entry.seq for entry, _ in pairs if 0 < entry.message <= until and not entry.replaces), default=0)
    kept: set[int] = set(range(1, until + 1))
    out = []
    for entry, record in pairs:
        if entry.replaces in kept:
            kept.add(entry.message)
        if entry.message in kept or (not entry.message and entry.seq < border):
            out.append((entry, record))
    return out


def _some(found: Sequence[SessionInfo]) -> str:
    return ", ".join(info.key.id for info in found[:3]) + (" …" if len(found) > 3 else "")
