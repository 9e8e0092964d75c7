"""A caller's conversation, kept in a session: what is new in the caller's list is recorded, and the pack is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, TypeVar

from clew.adapters.alignment import (
    GivenMessages,
    common_parts,
    first_new,
    is_same_conversation,
    part_marks,
)
from clew.async_engine.handle import AsyncHandle, behind
from clew.async_engine.worker import Worker
from clew.domain import Message, Role
from clew.engine.ingest.reply_stream import CALLERS_THREAD, EngineThread, StreamedReplyRecord
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from clew.errors import UsageError
from clew.history.user_requests import is_request

T = TypeVar("T")
#: A session, or one whose methods are awaited.
SessionHandle = Session | AsyncHandle[Session]

#: Newest messages of the session that a caller's list is compared with.
_NEWEST = 8


def session_of(session: SessionHandle | str) -> SessionHandle:
    """Returns the handle of a session that is named; names are those of the user's own store."""
    if not isinstance(session, str):
        return session
    from clew.app import open

    return open().session(session)


def _behind(session: SessionHandle) -> tuple[Session, Worker | None]:
    return behind(session) if isinstance(session, AsyncHandle) else (session, None)


class Conversation:
    """Keeps a session in step with the list of messages that a caller sends with each call.

    Calls of several threads take turns. The list is the caller's truth: where it goes back behind what the session
    has, the session rolls back (and can still be read), and where a reply was changed, the session has the new version.
    """

    def __init__(self, session: SessionHandle, *, format: str, budget: int | None = None) -> None:
        """``format`` is that of packs, and of messages that are dicts. Objects of frameworks say what they are."""
        self._handle, self.format, self.budget = session, format, budget
        self.session, self._worker = _behind(session)
        self._lock = Lock()

    def pack(
        self, messages: Sequence[Any], *, system: Any = None, tools: Sequence[Any] | None = None, model: str = ""
    ) -> Pack:
        """Records what is new and returns what to send. Raises BudgetExceeded when even the least does not fit."""

        def turn() -> Pack:
            new = messages[self._known(self._given(messages)) :]
            self._record(new, system=system, tools=tools)
            return self.session.pack(None, budget=self.budget or self.session.limit(model), target=self.format)

        return self.take_turn(turn)

    def record(self, messages: Sequence[Any], *, system: Any = None, tools: Sequence[Any] | None = None) -> None:
        """Records messages of which all are new."""
        self.take_turn(lambda: self._record(messages, system=system, tools=tools))

    def reply(self, response: Any) -> None:
        """Records the model's response. One without a message (work that goes on at the provider) is left to the
        caller's next list.
        """
        with suppress(UsageError):
            self.take_turn(lambda: self.session.reply(response, format=self.format))

    def streamed_reply(self) -> tuple[StreamedReplyRecord, EngineThread]:
        """Returns what records the reply of a stream, and the thread in which it does. Nothing is raised at its end."""
        record = self.session.streamed_reply(self.format)
        record.raises = False
        return record, self._worker or CALLERS_THREAD

    def take_turn(self, call: Callable[[], T]) -> T:
        """One call at a time; those of an asynchronous session in the thread of its engine."""
        with self._lock:
            return call() if self._worker is None else self._worker.submit(call).result()

    def _record(self, messages: Sequence[Any], **beside: Any) -> None:
        self.session.record(messages, format=self.format, **beside)

    def _given(self, messages: Sequence[Any]) -> GivenMessages:
        return GivenMessages(messages, self.format, masked=self.session.config.storage.mask_secrets)

    # ── what is known ────────────────────────────────────────────────────────────────────────────────

    def _known(self, given: GivenMessages) -> int:
        """How many of the given messages, from the first, the session has. It goes back first where the caller did."""
        newest = self.session.recent_messages(_NEWEST)
        found = first_new(given, part_marks(newest))
        if found is None:
            found = self._with_changed_reply(given, newest)
        return self._after_going_back(given) if found is None else found

    def _with_changed_reply(self, given: GivenMessages, newest: Sequence[Message]) -> int | None:
        """The caller sends the last reply back in other words: these count."""
        *before, last = newest
        at = first_new(given, part_marks(before)) if before else None
        changed = given.reply(at) if at is not None and last.role is Role.ASSISTANT else None
        if at is None or changed is None or given.reply(at + 1):
            return None
        self.session.edit(last.id, changed)
        return at + 1

    def _after_going_back(self, given: GivenMessages) -> int:
        """Takes out of the prompt view what the caller's list no longer has, exchange by exchange."""
        view = self._view()
        shared = common_parts(given, part_marks(view))
        if not is_same_conversation(shared, part_marks(view), exchanges=sum(map(is_request, view))):
            return 0
        return self._rolled_back(given, shared)

    def _rolled_back(self, given: GivenMessages, shared: int) -> int:
        """Rolls back until no more is left than is shared, and returns how many given messages that is."""
        view = self._view()
        while len(part_marks(view)) > shared and any(map(is_request, view)):
            self.session.rollback()
            view = self._view()
        return first_new(given, part_marks(view)) or 0

    def _view(self) -> list[Message]:
        return [one for one in self.session.history().prompt_view() if one.role is not Role.SYSTEM]
