"""The tool ``recall`` in the form of each client and framework: a model reads back what its pack leaves out.

``recall_tool(session, for_="anthropic")`` gives a definition for the request and the answer to a call; for a framework,
its own kind of tool, ready for the agent's list.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from clew.adapters.recall_reader import DESCRIPTION, NAME, SCHEMA, RecallReader
from clew.adapters.run_sessions import SessionChoice, UserChoice
from clew.codecs.sdk_objects import plain
from clew.domain import Json
from clew.errors import UsageError

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
