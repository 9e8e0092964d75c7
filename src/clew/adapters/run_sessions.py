"""Which session a run belongs to: the one that was given, one that the caller names, or that of the run's thread.

A run is one call of an agent; a thread is what the framework calls a conversation, not one of the operating system. Two
threads share a session only where the caller says so, or where the second has all that was said in the first. What a
pack sends word for word goes out as the very object that came in, whatever else that object carries.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any, cast
from weakref import WeakKeyDictionary

from clew.adapters.branches import Branches, side_branches
from clew.adapters.conversation import Conversation
from clew.adapters.named_sessions import own_engine, session_of
from clew.adapters.session_state import ModelCall, SessionHandle, ensure_budget
from clew.async_engine.engine import AsyncEngine, session_handle
from clew.async_engine.handle import AsyncHandle
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import UsageError

#: What an object says: marks of its parts.
Key = tuple[bytes, ...]
Keyed = tuple[Key, Any]
#: A session, its name in the user's own store, a function of the run that gives one of these, or an engine: then each
#: thread of the framework has a session in it. None is the engine of the user's own store.
SessionChoice = SessionHandle | str | Engine | AsyncEngine | Callable[[Any], "SessionHandle | str"] | None

#: Whose session a run has: the name of a user, or a function of the run that gives it; None and an empty name for
#: nobody, and then the session shares with no other.
UserChoice = str | Callable[[Any], "str | None"] | None

#: The format that packs for frameworks are counted in; plain dicts among framework objects are read as this format.
FORMAT = "anthropic"
#: Conversations that are cached by name; the least recently used are dropped, and opened again when needed.
_MAX_CONVERSATIONS = 1_000


class FrameworkConversation(Conversation):
    """A conversation of a framework's objects, which are matched by content.

    The first run binds it to its thread, or to its messages where it has none. If that run gets no answer, the next
    one may be of any thread.
    """

    def __init__(
        self,
        session: SessionHandle,
        *,
        budget: int | None,
        read: Callable[[Any], list[Keyed]],
        format: str = FORMAT,
        whole_lists: bool = False,
    ) -> None:
        super().__init__(session, format=format, budget=budget, whole_lists=whole_lists)
        self.reader = OriginalReader(read)
        #: True from when a side list was given the conversation until its answer is there.
        self.is_under_way = False
        self._branches: dict[str, FrameworkConversation] = {}
        self._sides: Branches | None = None
        self._side_lock = Lock()
        self._thread: str | None = None
        self._has_run, self._has_answered = False, False

    def bind(self, thread: str | None, messages: Sequence[Any], *, id_name: str) -> None:
        """Binds the session to the thread of a run. Raises UsageError for a run of another thread, unless its messages
        have all that was said, and for one without thread whose messages share nothing with earlier runs.
        """
        if thread and self._thread not in (None, thread) and not self.compare(messages).goes_on:
            raise UsageError(
                f"session {self.session.id} is bound to {id_name} {self._thread!r}, but this run has {thread!r}; run "
                f"with the same {id_name}, give an engine in place of the session to keep each by itself, or a "
                "function that names the session"
            )
        if not thread and self._has_run and not (self._is_side_list(messages) or self.compare(messages).shared):
            raise UsageError(
                f"the messages do not go on from session {self.session.id}, which an earlier run has filled; give an "
                "engine in place of the session to keep each thread by itself, or a function that names the session"
            )
        self._thread, self._has_run = thread or self._thread, True

    def for_list(self, messages: Sequence[Any]) -> FrameworkConversation:
        """Returns the conversation that a list goes on in: this one, or for a side list one in the branch for those."""
        with self._side_lock:
            if not self._is_side_list(messages):
                return self
            if self._sides is None:
                open = partial(FrameworkConversation, budget=self.budget, read=self.reader.read)
                self._sides = side_branches(self, open)
            branch = self._sides.find(self.format, messages)
            found = cast("FrameworkConversation", branch.conversation(self.format))
            found.is_under_way = True
            branch.add(found)
            return found

    def _is_side_list(self, messages: Sequence[Any]) -> bool:
        """Was it begun while a call waits for its output, most often by the tool itself?"""
        waits = self.waits_for_output()
        if not (waits or self._sides) or self.compare(messages).shared:
            return False
        return waits or (self._sides is not None and self._sides.knows(self.format, messages))

    def branch(self, name: str) -> FrameworkConversation:
        """Returns the conversation in the session's branch of a name."""
        if name not in self._branches:
            read = self.reader.read
            handle = self.branch_handle(name)
            self._branches[name] = FrameworkConversation(handle, budget=self.budget, read=read, format=self.format)
        return self._branches[name]

    @contextmanager
    def model_call(self) -> Iterator[ModelCall]:
        """Encloses a call of the model: one that raises gets no answer."""
        call = ModelCall()
        try:
            yield call
        except BaseException:
            self.fail(call)
            raise

    def reply(self, response: Any, *, call: ModelCall | None = None) -> None:
        """Records the model's response."""
        self._has_answered = True
        super().reply(response, call=call)
        self.is_under_way = False

    def fail(self, call: ModelCall) -> None:
        """Notes that a call gets no answer."""
        call.fail()
        self.is_under_way = False
        if not self._has_answered:
            self._thread, self._has_run = None, False


class RunSessions:
    """The conversations of one adapter, each of the ``user`` of its runs. ``id_name`` is what the framework calls the
    id of a thread, and ``read`` turns an object of the framework into keyed messages; a framework that speaks the
    ``format`` of packs needs no such thing.
    """

    def __init__(
        self,
        choice: SessionChoice,
        *,
        user: UserChoice = None,
        budget: int | None,
        id_name: str,
        read: Callable[[Any], list[Keyed]] = lambda _: [],
        format: str = FORMAT,
    ) -> None:
        ensure_budget(budget)
        self._choice, self._user, self._budget, self._id_name = choice, user, budget, id_name
        self._read, self._format = read, format
        self._engine: Engine | AsyncEngine | None = choice if isinstance(choice, Engine | AsyncEngine) else None
        self._by_name: OrderedDict[tuple[str, str], FrameworkConversation] = OrderedDict()
        self._by_handle: WeakKeyDictionary[SessionHandle, FrameworkConversation] = WeakKeyDictionary()
        self._lock = Lock()
        is_fixed = isinstance(choice, str | Session | AsyncHandle) and self._engine is None
        if not (is_fixed or choice is None or self._engine is not None or callable(choice)):
            raise UsageError(f"session is a {type(choice).__name__}; give a session, its name, an engine or a function")
        self._fixed: FrameworkConversation | None = None
        if is_fixed:
            if callable(user):
                raise UsageError("one session is of one user: name them, or give an engine or a function as session")
            self._fixed = self._conversation(cast("SessionHandle | str", choice), user or "")

    def conversation_of(
        self, run: Any, thread: str | None, messages: Sequence[Any], *, whole_lists: bool = False
    ) -> FrameworkConversation:
        """Returns the conversation of a run; ``thread`` is the framework's id for it, or None. ``whole_lists`` says
        that the framework keeps the conversation, and gives all of it.

        Raises UsageError if there is no id to choose by, and where a fixed session would be shared by two threads, or
        without ids by two lists of messages that have nothing in common.
        """
        with self._lock:
            found = self._chosen(run, thread, messages)
            found.whole_lists = whole_lists
            return found

    def _chosen(self, run: Any, thread: str | None, messages: Sequence[Any]) -> FrameworkConversation:
        if self._fixed is not None:
            self._fixed.bind(thread, messages, id_name=self._id_name)
            return self._fixed
        user = (self._user(run) if callable(self._user) else self._user) or ""
        if callable(self._choice):
            return self._conversation(self._choice(run), user)
        if not thread:
            raise UsageError(f"the run has no {self._id_name}, so its session is not known; give session=…")
        return self._conversation(thread, user)

    def _conversation(self, session: SessionHandle | str, user: str) -> FrameworkConversation:
        if not isinstance(session, str):
            if session not in self._by_handle:
                self._by_handle[session] = self._open_conversation(session_of(session, user))
            return self._by_handle[session]
        place = user, session
        if place not in self._by_name:
            self._by_name[place] = self._open_conversation(self._named_session(session, user))
        self._by_name.move_to_end(place)
        if len(self._by_name) > _MAX_CONVERSATIONS:
            self._by_name.popitem(last=False)
        return self._by_name[place]

    def _open_conversation(self, session: SessionHandle) -> FrameworkConversation:
        return FrameworkConversation(session, budget=self._budget, read=self._read, format=self._format)

    def _named_session(self, name: str, user: str) -> SessionHandle:
        if self._engine is None:
            self._engine = own_engine()
        if not isinstance(self._engine, AsyncEngine):
            return self._engine.session(name, user=user)
        return session_handle(self._engine, name, user=user)


class Originals:
    """Finds objects by what they say; each once, the newest of equal ones first."""

    def __init__(self, keyed: Iterable[Keyed]) -> None:
        self._found: defaultdict[Key, list[Any]] = defaultdict(list)
        for key, value in keyed:
            self._found[key].append(value)
        self.longest = max(map(len, self._found), default=0)

    def take(self, key: Key) -> Any | None:
        """Returns the newest object that says this and was not taken yet; None where there is none."""
        found = self._found.get(key)
        return found.pop() if found else None


class OriginalReader:
    """Reads what the objects of a caller's list say. Those that come again are not read again."""

    def __init__(self, read: Callable[[Any], list[Keyed]]) -> None:
        self.read = read
        self._known: dict[int, tuple[Any, list[Keyed]]] = {}

    def originals(self, given: Sequence[Any]) -> Originals:
        """Returns the objects of a list, to be found again."""
        known = self._known
        read = {id(one): known[id(one)] if id(one) in known else (one, self.read(one)) for one in given}
        self._known = read
        return Originals(keyed for one in given for keyed in read[id(one)][1])
