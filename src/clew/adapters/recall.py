"""The tool ``recall`` in the form of each client and framework: a model reads back what its pack leaves out.

``recall_tool(session, for_="anthropic")`` gives a definition for the request and the answer to a call; for a framework,
its own kind of tool, ready for the agent's list.

A model reads by id, or by words, whichever client or framework asks. Old words are quoted, with their ids and who
spoke; whatever is long comes in pages, so that all of it can be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from threading import Lock
from typing import Any, cast

from clew.adapters.named_sessions import own_engine, session_of
from clew.adapters.run_sessions import SessionChoice, UserChoice
from clew.adapters.session_state import SessionHandle
from clew.async_engine.engine import AsyncEngine, session_handle
from clew.async_engine.handle import AsyncHandle, unwrap_handle
from clew.codecs.sdk_objects import plain
from clew.domain import Json, Message
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.engine.session_handles import other_handle
from clew.errors import ClewError, UsageError
from clew.history.message_text import speaker
from clew.packing.excerpts import excerpt
from clew.retrieval.words import query_words, words_of

NAME = "recall"
DESCRIPTION = (
    "Reads back what was said, done or found earlier in this conversation and is no longer shown in full. Give ids as "
    "they stand in the conversation (m12, x3, x3.1, b0123456789ab), or words to search for. Long answers come in pages."
)
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "ids": {"type": "array", "items": {"type": "string"}, "description": "What to read in full, by id."},
        "query": {"type": "string", "description": "Words to search for: names, paths, errors, topics."},
        "page": {"type": "integer", "description": "Which page of a long answer, from 1."},
    },
    "additionalProperties": False,
}
#: Begins every answer: old words do not pass for new ones, and a later search leaves the answer out.
_QUOTED = "Quoted from earlier in this conversation:"
#: Messages that a search shows and looks at, and the most characters of one; an answer has pages of so many.
_SHOWN, _LOOKED_AT, _EXCERPT_CHARS, _PAGE_CHARS = 5, 25, 1_600, 12_000
_MOST_IDS = 20
_ABOUT: Json = {"name": NAME, "description": DESCRIPTION}
_DEFINITIONS: dict[str, Json] = {
    "anthropic": {**_ABOUT, "input_schema": SCHEMA},
    "openai-chat": {"type": "function", "function": {**_ABOUT, "parameters": SCHEMA}},
    "openai-responses": {"type": "function", **_ABOUT, "parameters": SCHEMA},
}
#: Each has a function ``make_recall_tool``.
_FRAMEWORKS = {
    "langchain": "clew.adapters.langchain",
    "pydantic-ai": "clew.adapters.pydantic_ai",
    "openai-agents": "clew.adapters.openai_agents",
    "google-adk": "clew.adapters.google_adk",
}


@dataclass(frozen=True, slots=True)
class RecallTool:
    """The tool for a client of a provider: ``definition`` goes among the ``tools`` of the request, ``output(call)`` is
    what answers a call in the list of messages, and called by itself it gives the text alone.
    """

    definition: Json
    _form: str = field(repr=False)
    _reader: RecallReader = field(repr=False)
    name: str = NAME

    def __call__(self, **arguments: Any) -> str:
        return self._reader.read(arguments)

    def output(self, call: Any) -> Json:
        """Returns the result of a call: a ``tool_result`` block, a ``tool`` message or a ``function_call_output``
        item. ``call`` is what the client's response has, or a dict of it. Raises UsageError for a call of another tool.
        """
        given = plain(call)
        inner = given.get("function") or given
        if inner.get("name") != NAME:
            raise UsageError(f"this is a call of {inner.get('name')!r}, not of {NAME}")
        said = self._reader.read(inner.get("input", inner.get("arguments")))
        if self._form == "anthropic":
            return {"type": "tool_result", "tool_use_id": given["id"], "content": said}
        if self._form == "openai-chat":
            return {"role": "tool", "tool_call_id": given["id"], "content": said}
        return {"type": "function_call_output", "call_id": given["call_id"], "output": said}


def recall_tool(session: SessionChoice = None, *, for_: str, user: UserChoice = None) -> Any:
    """Returns the tool with which a model reads back what its pack leaves out, in the form of a client or framework.

    ``for_`` is ``anthropic``, ``openai-chat`` or ``openai-responses``: a :class:`RecallTool`; or ``langchain``,
    ``pydantic-ai``, ``openai-agents`` or ``google-adk``: a tool of that framework. ``session`` is a session or its
    name; for a framework also an engine or a function of the run, and ``user``, as its adapter takes them. Raises
    UsageError for another name, and where a client is given no session.
    """
    reader = RecallReader(session, user)
    if for_ in _FRAMEWORKS:
        return import_module(_FRAMEWORKS[for_]).make_recall_tool(reader)
    if for_ not in _DEFINITIONS:
        known = [*_DEFINITIONS, *_FRAMEWORKS]
        near = get_close_matches(str(for_), known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(known)}"
        raise UsageError(f"there is no tool for {for_!r}; {hint}")
    if not reader.is_fixed:
        raise UsageError("a client has no runs to tell sessions apart by; give a session, or its name")
    return RecallTool(_DEFINITIONS[for_], for_, reader)


class RecallReader:
    """Answers calls of the tool, each from the session of its run; one at a time, in whatever thread it comes."""

    def __init__(self, choice: SessionChoice, user: UserChoice = None) -> None:
        self._choice, self._user, self._lock = choice, user, Lock()
        is_fixed = isinstance(choice, str | Session) or (
            isinstance(choice, AsyncHandle) and not isinstance(choice, AsyncEngine)
        )
        if not (is_fixed or choice is None or isinstance(choice, Engine | AsyncEngine) or callable(choice)):
            raise UsageError(f"session is a {type(choice).__name__}; give a session, its name, an engine or a function")
        named = user if isinstance(user, str) else None
        self._fixed = session_of(cast("SessionHandle | str", choice), named) if is_fixed else None

    def read(self, given: Any, *, run: Any = None, thread: str | None = None) -> str:
        """Returns what is read back for arguments as a model gave them, an object or JSON. Raises UsageError where the
        run does not tell which session it belongs to.
        """
        arguments = _known_arguments(given)
        with self._lock:
            handle = self._session(run, thread)
            if isinstance(handle, AsyncHandle):
                target, lane = unwrap_handle(handle)
                return lane.call(lambda: recall_text(target, **arguments))
            return recall_text(other_handle(handle), **arguments)

    @property
    def is_fixed(self) -> bool:
        """Whether every call is about one session."""
        return self._fixed is not None

    def _session(self, run: Any, thread: str | None) -> SessionHandle:
        if self._fixed is not None:
            return self._fixed
        user = self._user(run) if callable(self._user) else self._user
        if callable(self._choice):
            return session_of(self._choice(run), user)
        if not thread:
            raise UsageError("the run does not say which conversation it belongs to; give recall_tool a session")
        engine = own_engine() if self._choice is None else self._choice
        if isinstance(engine, AsyncEngine):
            return session_handle(engine, thread, user=user)
        return cast("Engine", engine).session(thread, user=user)


def _known_arguments(given: Any) -> Json:
    """The arguments that the tool has, of what a model gave as an object or as JSON."""
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except ValueError:
            given = {}
    return {name: given[name] for name in SCHEMA["properties"] if name in given} if isinstance(given, dict) else {}


def recall_text(session: Session, *, ids: object = (), query: object = "", page: object = 1) -> str:
    """Returns what the model is told. What it asks for in a wrong form is answered, not raised."""
    if isinstance(ids, str):
        ids = [ids]
    if not isinstance(ids, list | tuple) or not all(isinstance(one, str) for one in ids):
        return "recall: ids is a list of strings such as m12 or x3"
    if not isinstance(query, str) or not (ids or query.strip()):
        return "recall: give ids of what to read, or a query of a few words"
    found = [*_by_id(session, ids[:_MOST_IDS]), *(_by_words(session, query) if query.strip() else [])]
    return _page("\n\n".join([_QUOTED, *found]), page)


def _by_id(session: Session, ids: Sequence[str]) -> Iterator[str]:
    for id in ids:
        try:
            yield "\n".join(f"{part.id}: {part.text}" for part in session.recall(id.strip()))
        except ClewError as error:
            yield f"recall: {error}"


def _by_words(session: Session, query: str) -> list[str]:
    """The messages that match best. Calls of this tool and its answers are none: they only repeat what was said."""
    wanted = set(query_words(query))
    matches = session.search(query, limit=_LOOKED_AT, kind="message")
    messages = (message for match in matches for message in session.messages(match.id))
    found = [_excerpt(message, wanted) for message in messages if not _is_recall(message)]
    return found[:_SHOWN] or ["nothing matches; try other words"]


def _is_recall(message: Message) -> bool:
    calls = {call.name for call in message.calls}
    return NAME in calls or any(output.text.startswith(_QUOTED) for output in message.outputs)


def _excerpt(message: Message, wanted: set[str]) -> str:
    def closeness(line: str) -> float:
        return len(wanted.intersection(words_of(line)))

    return f"{message.id} {speaker(message)}: {excerpt(message, closeness, limit=_EXCERPT_CHARS)}"


def _page(text: str, page: object) -> str:
    pages = list(_pages(text))
    number = page if isinstance(page, int) and 1 <= page <= len(pages) else 1
    shown = pages[number - 1]
    return (
        shown
        if len(pages) == 1
        else f"{shown}\n[page {number} of {len(pages)}; ask for page={number % len(pages) + 1}]"
    )


def _pages(text: str) -> Iterator[str]:
    """Pieces that make up the text, each ending with a line where there is one."""
    while len(text) > _PAGE_CHARS:
        end = text.rfind("\n", _PAGE_CHARS // 2, _PAGE_CHARS) + 1 or _PAGE_CHARS
        yield text[:end]
        text = text[end:]
    yield text
