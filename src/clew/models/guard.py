"""The spend guard: how many questions and tokens a session, and an hour, may cost.

What a question may cost at most is set aside before it is put, and made right when the answer tells what it did
cost, so that questions at the same time cannot pass a limit together. What may have been charged stays counted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Lock
from typing import NamedTuple, Protocol

import orjson

from clew.config import ModelsConfig
from clew.errors import (
    ClewError,
    ModelBadAnswer,
    ModelCancelled,
    ModelError,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnavailable,
    SpendLimitReached,
    StorageError,
)
from clew.ports import Asked, Cancel, Clock, Model, Said, Store
from clew.tokens import quick

_HOUR_SECONDS = 3_600.0
_SPACE, _HOUR = "spending", "hour"
#: After these the provider may have worked all the same, and charges for it.
_MAY_BE_CHARGED = (ModelTimeout, ModelCancelled, ModelBadAnswer)


class Spent(NamedTuple):
    """One question: when, and how many tokens asked and answered."""

    at: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Spending:
    """What the last hour cost over all sessions, oldest first, and what one session has cost in all."""

    hour: tuple[Spent, ...] = ()
    calls: int = 0
    tokens: int = 0


class Book(Protocol):
    """Where spending is written down."""

    def change(self, session: str, turn: Callable[[Spending], Spending]) -> None:
        """Replaces the spending by what ``turn`` makes of it, as one step; if it raises, nothing changes."""


class MemoryBook:
    """For one process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._hour: tuple[Spent, ...] = ()
        self._sessions: dict[str, tuple[int, int]] = {}

    def change(self, session: str, turn: Callable[[Spending], Spending]) -> None:
        with self._lock:
            new = turn(Spending(self._hour, *self._sessions.get(session, (0, 0))))
            self._hour, self._sessions[session] = new.hour, (new.calls, new.tokens)


class StoreBook:
    """For all processes that share a store, and for later ones.

    Sessions are those of one user; the hour is that of whoever pays for them, who may be somebody else.
    """

    def __init__(self, store: Store, *, tenant: str, user: str, payer: str | None = None) -> None:
        self._store, self._tenant, self._user = store, tenant, user
        self._payer = user if payer is None else payer

    def change(self, session: str, turn: Callable[[Spending], Spending]) -> None:
        with self._store.transaction():
            hour = tuple(Spent(*one) for one in orjson.loads(self._get(self._payer, _HOUR) or b"[]"))
            new = turn(Spending(hour, *orjson.loads(self._get(self._user, _of(session)) or b"[0,0]")))
            self._put(self._payer, _HOUR, orjson.dumps([tuple(one) for one in new.hour]))
            # An answer may come when the session is gone: that must not bring its name back.
            self._put(self._user, _of(session), orjson.dumps([new.calls, new.tokens]) if new.calls else None)

    def forget(self, session: str) -> None:
        """What the session has cost; the hour, which names no session, stays."""
        self._put(self._user, _of(session), None)

    def _get(self, user: str, name: str) -> bytes | None:
        return self._store.values(self._tenant, user, _SPACE, [name]).get(name)

    def _put(self, user: str, name: str, value: bytes | None) -> None:
        self._store.put_values(self._tenant, user, _SPACE, {name: value})


def _of(session: str) -> str:
    return f"session {session}"


class Guard:
    """Lets questions pass while they stay within the limits of the settings."""

    def __init__(self, config: ModelsConfig, clock: Clock, book: Book | None = None) -> None:
        self._config, self._clock, self._book = config, clock, book or MemoryBook()

    def watch(self, model: Model, session: str) -> Model:
        """The model, for questions of one session."""
        return _Watched(model, session, self)

    def reserve(self, session: str, tokens: int) -> Spent:
        """Sets aside one call and so many tokens; a limit that this would pass is SpendLimitReached."""
        now = self._clock.now()
        asked = Spent(now, tokens)

        def turn(spending: Spending) -> Spending:
            # A clock that was set back leaves entries in its future; they must not count for days.
            recent = tuple(sorted(one for one in spending.hour if abs(now - one.at) < _HOUR_SECONDS))
            self._ensure_within(replace(spending, hour=recent), asked)
            return Spending((*recent, asked), spending.calls + 1, spending.tokens + tokens)

        self._book.change(session, turn)
        return asked

    def settle(self, session: str, asked: Spent, tokens: int | None) -> None:
        """Puts what was really used in the place of what was set aside; None if it was no call at all."""

        def turn(spending: Spending) -> Spending:
            hour, calls = list(spending.hour), spending.calls
            if asked in hour:
                at = hour.index(asked)
                hour[at : at + 1] = [] if tokens is None else [Spent(asked.at, tokens)]
            if tokens is None:
                calls = max(0, calls - 1)
            return Spending(tuple(hour), calls, max(0, spending.tokens - asked.tokens + (tokens or 0)))

        self._book.change(session, turn)

    def _ensure_within(self, spending: Spending, asked: Spent) -> None:
        config, tokens = self._config, asked.tokens
        _ensure_session("calls_per_session", config.calls_per_session, spending.calls, 1)
        _ensure_session("tokens_per_session", config.tokens_per_session, spending.tokens, tokens)
        calls = [Spent(one.at, 1) for one in spending.hour]
        _ensure_hour("calls_per_hour", config.calls_per_hour, calls, Spent(asked.at, 1))
        _ensure_hour("tokens_per_hour", config.tokens_per_hour, spending.hour, asked)


@dataclass(frozen=True, slots=True)
class _Watched:
    model: Model
    session: str
    guard: Guard

    @property
    def name(self) -> str:
        return self.model.name

    def ask(self, asked: Asked, *, seconds: float, cancel: Cancel | None = None) -> Said:
        if cancel is not None and cancel.is_set:
            raise ModelCancelled(f"the question to {self.name} was cancelled")
        set_aside = self._set_aside(quick(asked.system) + quick(asked.user) + asked.max_tokens)
        try:
            said = self.model.ask(asked, seconds=seconds, cancel=cancel)
        except ModelUnauthorized:
            # Often nothing was sent: a limit that is used up by missing keys would hide that they are missing.
            self._settle(set_aside, None)
            raise
        except ModelError as error:
            if not isinstance(error, _MAY_BE_CHARGED):
                self._settle(set_aside, 0)
            raise
        if said.usage is not None:
            self._settle(set_aside, said.usage.input_tokens + said.usage.output_tokens)
        return said

    def _set_aside(self, tokens: int) -> Spent:
        try:
            return self.guard.reserve(self.session, tokens)
        except StorageError as error:
            raise ModelUnavailable(
                f"{self.name} is not asked: what it costs cannot be written down ({error})"
            ) from error

    def _settle(self, set_aside: Spent, tokens: int | None) -> None:
        # If the store cannot be written now, the higher figure stays: an answer that was paid for is worth more.
        with suppress(ClewError):
            self.guard.settle(self.session, set_aside, tokens)


def _ensure_session(name: str, limit: int, used: int, more: int) -> None:
    if limit and used + more > limit:
        raise _reached(name, limit, used, more, frees_at=None)


def _ensure_hour(name: str, limit: int, hour: tuple[Spent, ...] | list[Spent], asked: Spent) -> None:
    used = sum(one.tokens for one in hour)
    if not limit or used + asked.tokens <= limit:
        return
    frees_at, left = None, used
    for one in hour:
        left -= one.tokens
        if left + asked.tokens <= limit:
            frees_at = one.at + _HOUR_SECONDS
            break
    raise _reached(name, limit, used, asked.tokens, frees_at=frees_at)


def _reached(name: str, limit: int, used: int, more: int, *, frees_at: float | None) -> SpendLimitReached:
    when = f"room again at {datetime.fromtimestamp(frees_at, UTC):%Y-%m-%d %H:%M:%S} UTC, or " if frees_at else ""
    text = f"spend limit models.{name} is {limit:,}: {used:,} used, {more:,} more asked for; {when}raise the limit"
    return SpendLimitReached(text, limit=name, frees_at=frees_at)
