"""The spend guard: how many questions and tokens a session, and an hour over all sessions, may cost, and have cost.

What a question may cost at most is set aside before it is put, and made right when the answer tells what it did cost,
so that questions at the same time cannot pass a limit together. What may have been charged stays counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Lock
from typing import NamedTuple, Protocol

import orjson

from clew.cancellation import Cancel
from clew.codecs import jsonio
from clew.config import ModelsConfig
from clew.domain import Json, Usage
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
from clew.ports import ChatModel, ChatRequest, Clock, Model, ModelReply, ModelRequest, Store
from clew.text.secrets import mask
from clew.tokens import quick_count

_SPACE, _HOUR = "spending", "hour"
_HOUR_SECONDS = 3_600.0
#: After these the provider may have worked all the same, and charges for it.
_MAY_BE_CHARGED = (ModelTimeout, ModelCancelled, ModelBadAnswer)


class Guard:
    """Lets questions pass while they stay within the limits of the settings."""

    def __init__(self, config: ModelsConfig, clock: Clock, log: SpendLog | None = None) -> None:
        self._config, self._clock, self._log = config, clock, log or MemorySpendLog()

    def watch(self, model: Model, session: str) -> Model:
        """The model, for questions of one session."""
        return _GuardedModel(model, session, self)

    def watch_chat(self, model: ChatModel, session: str) -> ChatModel:
        """The model, for the conversation of one session."""
        return _GuardedChat(model, Spender(session, self, model.name))

    def reserve(self, session: str, tokens: int) -> Spent:
        """Sets aside one call and so many tokens; a limit that this would pass is SpendLimitReached."""
        now = self._clock.now()
        reserved = Spent(now, tokens)

        def update(spending: Spending) -> Spending:
            # A clock that was set back leaves entries in its future; they must not count for days.
            recent = tuple(sorted(spent for spent in spending.hour if abs(now - spent.at) < _HOUR_SECONDS))
            self._ensure_within(replace(spending, hour=recent), reserved)
            return Spending((*recent, reserved), spending.calls + 1, spending.tokens + tokens)

        self._log.change(session, update)
        return reserved

    def settle(self, session: str, reserved: Spent, tokens: int | None) -> None:
        """Puts what was really used in the place of what was set aside; None if it was no call at all."""

        def update(spending: Spending) -> Spending:
            hour, calls = list(spending.hour), spending.calls
            if reserved in hour:
                index = hour.index(reserved)
                hour[index : index + 1] = [] if tokens is None else [Spent(reserved.at, tokens)]
            if tokens is None:
                calls = max(0, calls - 1)
            return Spending(tuple(hour), calls, max(0, spending.tokens - reserved.tokens + (tokens or 0)))

        self._log.change(session, update)

    def _ensure_within(self, spending: Spending, asked: Spent) -> None:
        config, tokens = self._config, asked.tokens
        _ensure_session("calls_per_session", config.calls_per_session, spending.calls, 1)
        _ensure_session("tokens_per_session", config.tokens_per_session, spending.tokens, tokens)
        calls = [Spent(spent.at, 1) for spent in spending.hour]
        _ensure_hour("calls_per_hour", config.calls_per_hour, calls, Spent(asked.at, 1))
        _ensure_hour("tokens_per_hour", config.tokens_per_hour, spending.hour, asked)


@dataclass(frozen=True, slots=True)
class Spender:
    """Counts what one session spends on one model."""

    session: str
    guard: Guard
    name: str

    @contextmanager
    def spending(self, tokens: int, cancel: Cancel | None) -> Iterator[Callable[[Usage | None], None]]:
        """Sets tokens aside for one request, whose cost the function takes. What may have been charged stays counted.
        Raises SpendLimitReached, or ModelCancelled if nobody wants an answer any more.
        """
        if cancel is not None and cancel.is_set:
            raise ModelCancelled(f"the question to {self.name} was cancelled")
        set_aside = self._set_aside(tokens)

        def settle(usage: Usage | None) -> None:
            if usage is not None:
                self._settle(set_aside, usage.input_tokens + usage.output_tokens)

        try:
            yield settle
        except ModelUnauthorized:
            # Often nothing was sent: a limit that is used up by missing keys would hide that they are missing.
            self._settle(set_aside, None)
            raise
        except ModelError as error:
            if not isinstance(error, _MAY_BE_CHARGED):
                self._settle(set_aside, 0)
            raise
        except ClewError:
            raise
        except Exception as error:  # a caller's own model may raise anything
            raise ModelUnavailable(f"{self.name} failed: {type(error).__name__}: {mask(str(error))}") from error

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


@dataclass(frozen=True, slots=True)
class _GuardedModel:
    model: Model
    session: str
    guard: Guard

    @property
    def name(self) -> str:
        return self.model.name

    def ask(self, request: ModelRequest, *, seconds: float, cancel: Cancel | None = None) -> ModelReply:
        tokens = quick_count(request.system) + quick_count(request.user) + request.max_tokens
        with Spender(self.session, self.guard, self.name).spending(tokens, cancel) as settle:
            reply = self.model.ask(request, seconds=seconds, cancel=cancel)
            settle(reply.usage)
        return reply


class _GuardedChat:
    def __init__(self, model: ChatModel, spender: Spender) -> None:
        self._model, self._spender = model, spender
        self.name, self.format, self.usage = model.name, model.format, model.usage

    def respond(self, request: ChatRequest, *, seconds: float, cancel: Cancel | None = None) -> Json:
        with self._spender.spending(_most(request), cancel) as settle:
            answer = self._model.respond(request, seconds=seconds, cancel=cancel)
            settle(self.usage(answer))
        return answer

    def stream(self, request: ChatRequest, *, seconds: float, cancel: Cancel | None = None) -> Iterator[Json]:
        asked = answered = 0
        with self._spender.spending(_most(request), cancel) as settle:
            for event in self._model.stream(request, seconds=seconds, cancel=cancel):
                if found := self.usage(event):
                    asked, answered = max(asked, found.input_tokens), max(answered, found.output_tokens)
                yield event
            settle(Usage(asked, answered) if asked else None)


def _most(request: ChatRequest) -> int:
    """What a request may cost at most."""
    return quick_count(jsonio.dumps(request.body).decode()) + request.max_tokens


def _ensure_session(name: str, limit: int, used: int, more: int) -> None:
    if limit and used + more > limit:
        raise _limit_error(name, limit, used, more, frees_at=None)


def _ensure_hour(name: str, limit: int, hour: tuple[Spent, ...] | list[Spent], asked: Spent) -> None:
    used = sum(spent.tokens for spent in hour)
    if not limit or used + asked.tokens <= limit:
        return
    frees_at, left = None, used
    for spent in hour:
        left -= spent.tokens
        if left + asked.tokens <= limit:
            frees_at = spent.at + _HOUR_SECONDS
            break
    raise _limit_error(name, limit, used, asked.tokens, frees_at=frees_at)


def _limit_error(name: str, limit: int, used: int, more: int, *, frees_at: float | None) -> SpendLimitReached:
    when = f"room again at {datetime.fromtimestamp(frees_at, UTC):%Y-%m-%d %H:%M:%S} UTC, or " if frees_at else ""
    text = f"spend limit models.{name} is {limit:,}: {used:,} used, {more:,} more asked for; {when}raise the limit"
    return SpendLimitReached(text, limit=name, frees_at=frees_at)


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


class SpendLog(Protocol):
    """Keeps what sessions, and the last hour over all of them, have cost."""

    def change(self, session: str, update: Callable[[Spending], Spending]) -> None:
        """Replaces the spending by what ``update`` makes of it, as one step; if it raises, nothing changes."""


class MemorySpendLog:
    """A spend log for one process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._hour: tuple[Spent, ...] = ()
        self._sessions: dict[str, tuple[int, int]] = {}

    def change(self, session: str, update: Callable[[Spending], Spending]) -> None:
        with self._lock:
            new = update(Spending(self._hour, *self._sessions.get(session, (0, 0))))
            self._hour, self._sessions[session] = new.hour, (new.calls, new.tokens)


class StoreSpendLog:
    """A spend log for all processes that share a store, and for later ones.

    Sessions, and the hour, are those of one user.
    """

    def __init__(self, store: Store, *, tenant: str, user: str) -> None:
        self._store, self._tenant, self._user = store, tenant, user

    def change(self, session: str, update: Callable[[Spending], Spending]) -> None:
        with self._store.transaction():
            hour = tuple(Spent(*load) for load in orjson.loads(self._get(_HOUR) or b"[]"))
            new = update(Spending(hour, *orjson.loads(self._get(_session_name(session)) or b"[0,0]")))
            self._put(_HOUR, orjson.dumps([tuple(spent) for spent in new.hour]))
            # An answer may come when the session is gone: that must not bring its name back.
            self._put(_session_name(session), orjson.dumps([new.calls, new.tokens]) if new.calls else None)

    def forget(self, session: str) -> None:
        """Drops what the session has cost; the hour, which names no session, stays."""
        self._put(_session_name(session), None)

    def _get(self, name: str) -> bytes | None:
        return self._store.values(self._tenant, self._user, _SPACE, [name]).get(name)

    def _put(self, name: str, value: bytes | None) -> None:
        self._store.put_values(self._tenant, self._user, _SPACE, {name: value})


def _session_name(session: str) -> str:
    return f"session {session}"
