"""Which session a run belongs to: the one that was given, one that the caller names, or that of the run's thread.

A run is one call of an agent; a thread is what the framework calls a conversation, not one of the operating system.
Two threads share a session only where the caller says so, or where the second has all that was said in the first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, cast
from weakref import WeakKeyDictionary

from clew.adapters.conversation import Conversation, SessionHandle
from clew.adapters.named_sessions import own_engine, session_of
from clew.adapters.originals import Keyed, OriginalReader
from clew.async_engine.engine import AsyncEngine
from clew.async_engine.handle import AsyncHandle, behind
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import UsageError

#: A session, its name in the user's own store, a function of the run that gives one of these, or an engine: then each
#: thread of the framework has a session in it. None is the engine of the user's own store.
SessionChoice = SessionHandle | str | Engine | AsyncEngine | Callable[[Any], "SessionHandle | str"] | None

#: The format that packs for frameworks are counted in; plain dicts among framework objects are read as this format.
FORMAT = "anthropic"
#: Conversations that are cached by name; the least recently used are dropped, and opened again when needed.
_MAX_CONVERSATIONS = 1_000


class FrameworkConversation(Conversation):
    """A conversation of a framework's objects, which are matched by content."""

    def __init__(self, session: SessionHandle, *, budget: int | None, read: Callable[[Any], list[Keyed]]) -> None:
        super().__init__(session, format=FORMAT, budget=budget)
        self.reader = OriginalReader(read)
        self._has_run = False

    def require_continuation(self, messages: Sequence[Any]) -> None:
        """Raises UsageError for messages that share nothing with earlier runs: presumably another conversation's."""
        has_run, self._has_run = self._has_run, True
        if has_run and not self.compare(messages).shared:
            raise UsageError(
                f"the messages do not go on from session {self.session.id}, which an earlier run has filled; give an "
                "engine in place of the session to keep each thread by itself, or a function that names the session"
            )


class RunSessions:
    """The conversations of one adapter. ``id_name`` is what the framework calls the id of a thread, and ``read`` turns
    an object of the framework into keyed messages.
    """

    def __init__(
        self, choice: SessionChoice, *, budget: int | None, id_name: str, read: Callable[[Any], list[Keyed]]
    ) -> None:
        self._choice, self._budget, self._id_name, self._read = choice, budget, id_name, read
        self._engine: Engine | AsyncEngine | None = choice if isinstance(choice, Engine | AsyncEngine) else None
        self._by_name: OrderedDict[str, FrameworkConversation] = OrderedDict()
        self._by_handle: WeakKeyDictionary[SessionHandle, FrameworkConversation] = WeakKeyDictionary()
        self._only_thread: str | None = None
        self._lock = Lock()
        is_fixed = isinstance(choice, str | Session | AsyncHandle) and self._engine is None
        if not (is_fixed or choice is None or self._engine is not None or callable(choice)):
            raise UsageError(f"session is a {type(choice).__name__}; give a session, its name, an engine or a function")
        self._fixed = self._conversation(cast("SessionHandle | str", choice)) if is_fixed else None

    def of(self, run: Any, thread: str | None, messages: Sequence[Any]) -> FrameworkConversation:
        """Returns the conversation of a run; ``thread`` is the framework's id for it, or None.

        Raises UsageError if there is no id to choose by, and where a fixed session would be shared by two threads, or
        without ids by two lists of messages that have nothing in common.
        """
        with self._lock:
            if self._fixed is not None:
                self._require_one_thread(self._fixed, thread, messages)
                if not thread:
                    self._fixed.require_continuation(messages)
                return self._fixed
            if callable(self._choice):
                return self._conversation(self._choice(run))
            if not thread:
                raise UsageError(f"the run has no {self._id_name}, so its session is not known; give session=…")
            return self._conversation(thread)

    def _require_one_thread(self, conversation: Conversation, thread: str | None, messages: Sequence[Any]) -> None:
        """Raises UsageError for a second thread, unless its messages have all that was said: a retried run may get a
        new id."""
        is_other = bool(thread) and self._only_thread not in (None, thread)
        if is_other and not conversation.compare(messages).goes_on:
            raise UsageError(
                f"session {conversation.session.id} is bound to {self._id_name} {self._only_thread!r}, but this "
                f"run has {thread!r}; run with the same {self._id_name}, give an engine in place of the session to "
                "keep each by itself, or a function that names the session"
            )
        self._only_thread = thread or self._only_thread

    def _conversation(self, session: SessionHandle | str) -> FrameworkConversation:
        if not isinstance(session, str):
            if session not in self._by_handle:
                self._by_handle[session] = self._opened(session_of(session))
            return self._by_handle[session]
        if session not in self._by_name:
            self._by_name[session] = self._opened(self._named(session))
        self._by_name.move_to_end(session)
        if len(self._by_name) > _MAX_CONVERSATIONS:
            self._by_name.popitem(last=False)
        return self._by_name[session]

    def _opened(self, session: SessionHandle) -> FrameworkConversation:
        return FrameworkConversation(session, budget=self._budget, read=self._read)

    def _named(self, name: str) -> SessionHandle:
        if self._engine is None:
            self._engine = own_engine()
        if not isinstance(self._engine, AsyncEngine):
            return self._engine.session(name)
        engine, worker = behind(self._engine)
        return AsyncHandle(worker.submit(lambda: engine.session(name)).result(), worker)
