"""LangChain and LangGraph: a middleware for ``create_agent`` that packs each model call and records what is said.

``create_agent(model, tools, middleware=[PackedMessages(session)])``. The messages of the agent's state stay whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config

from clew.adapters.langchain_messages import packed_messages, read_original
from clew.adapters.recall_reader import RecallReader
from clew.adapters.recall_text import DESCRIPTION, NAME, SCHEMA
from clew.adapters.run_sessions import FrameworkConversation, RunSessions, SessionChoice, UserChoice
from clew.adapters.session_state import ModelCall
from clew.domain import Json
from clew.rules.thinking_modes import thinking_mode
from clew.text.secrets import mask

#: Where LangGraph tells its nodes of a checkpointer: with one, the state has the whole conversation.
_CHECKPOINTER = "__pregel_checkpointer"


class PackedMessages(AgentMiddleware[Any, Any]):
    """Sends the pack of a session in place of the agent's messages, and records them and the replies in it.

    ``session`` is a handle, or a name in the user's own store, for one conversation. An engine has a session for each
    ``thread_id`` of LangGraph; without any it is that of the user's own store. A function is given the run's
    ``Runtime``, and gives a handle or a name. ``user`` is whose session it is, or a function of the ``Runtime`` that
    says so; without one a session shares with no other. ``budget`` is the most tokens to send, by default the model's
    window less the reserve for the answer.
    """

    def __init__(self, session: SessionChoice = None, *, user: UserChoice = None, budget: int | None = None) -> None:
        super().__init__()
        self._sessions = RunSessions(session, user=user, budget=budget, id_name="thread_id", read=read_original)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Packs what the agent would send, and records the reply."""
        conversation = self._conversation(request)
        with conversation.model_call() as call:
            response = handler(_pack_request(conversation, request, call))
        _record(conversation, response)
        return response

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same for asynchronous agents."""
        conversation = await asyncio.to_thread(self._conversation, request)
        with conversation.model_call() as call:
            response = await handler(await asyncio.to_thread(_pack_request, conversation, request, call))
        await asyncio.to_thread(_record, conversation, response)
        return response

    def _conversation(self, request: Any) -> FrameworkConversation:
        settings, given = _settings(), request.messages
        is_kept = settings.get(_CHECKPOINTER) is not None
        found = self._sessions.conversation_of(
            request.runtime, _thread_id(request, settings), given, whole_lists=is_kept
        )
        return found if is_kept and not _is_nested(settings) else found.for_list(given)


def _settings() -> Mapping[str, Any]:
    """What the caller of the graph has configured, and LangGraph itself."""
    try:
        return dict(get_config().get("configurable", {}))
    except RuntimeError:  # outside of a graph
        return {}


def _is_nested(settings: Mapping[str, Any]) -> bool:
    """True for a graph inside a node of another one: only there may it be a tool that asks."""
    return "|" in settings.get("checkpoint_ns", "")


def _thread_id(request: Any, settings: Mapping[str, Any]) -> str | None:
    """The id that the caller of the graph has given, with a checkpointer or without."""
    found = getattr(getattr(request.runtime, "execution_info", None), "thread_id", None) or settings.get("thread_id")
    return str(found) if found else None


def _pack_request(conversation: FrameworkConversation, request: Any, call: ModelCall) -> Any:
    given: list[BaseMessage] = request.messages
    head = list(takewhile(_is_system, given))
    model = getattr(request.model, "model_name", None) or getattr(request.model, "model", "")
    tools, system = [_tool(one) for one in request.tools], _system(request.system_message, head)
    thinking = _thinking(request, str(model))
    rest = given[len(head) :]
    pack = conversation.pack(rest, call=call, system=system, tools=tools, model=str(model), thinking=thinking)
    packed = packed_messages(pack.content.as_messages(), conversation.reader.originals(rest))
    packed = _without_repeats(packed, head)
    return request.override(messages=[*head, *_left_out(rest, packed), *packed])


def _thinking(request: Any, model: str) -> str:
    """The mode of thinking that the model is set to, or the call asks for."""
    asked = (request.model_settings or {}).get("thinking") or getattr(request.model, "thinking", None)
    return thinking_mode({"model": model, "thinking": asked, "max_tokens": 1})


def _record(conversation: FrameworkConversation, response: Any) -> None:
    for message in getattr(response, "result", None) or [response]:
        if isinstance(message, AIMessage):
            conversation.reply(message)


def _is_system(message: Any) -> bool:
    return isinstance(message, SystemMessage)


def _without_repeats(packed: Sequence[BaseMessage], head: Sequence[BaseMessage]) -> list[BaseMessage]:
    """A system message that came to the head, as the list was cut before it, is not sent where it stood as well."""
    words = {message.text for message in head}
    return [message for message in packed if not (_is_system(message) and message.text in words)]


def _left_out(given: Sequence[BaseMessage], packed: Sequence[BaseMessage]) -> list[BaseMessage]:
    """System messages further down hold also when what they stood among is no longer sent word for word. One that the
    session keeps without its secrets is sent so.
    """
    sent = {mask(message.text) for message in packed if _is_system(message)}
    return [message for message in given if _is_system(message) and mask(message.text) not in sent]


def _system(prompt: SystemMessage | None, head: Sequence[BaseMessage]) -> str | None:
    """The system prompt of the agent and what stands before the conversation, to be counted."""
    texts = [str(message.text) for message in (*([prompt] if prompt else []), *head)]
    return "\n\n".join(texts) if texts else None


def _tool(tool: Any) -> Json:
    """The definition of a tool, to be counted. What is none of LangChain's is a provider's own, and stays as it is."""
    try:
        function = convert_to_openai_tool(tool).get("function", {})
    except ValueError:
        function = {}
    if not function.get("name"):
        return {"type": next(iter(tool), "")} | tool if isinstance(tool, dict) else {"type": type(tool).__name__}
    return {
        "name": function["name"],
        "description": function.get("description", ""),
        "input_schema": function.get("parameters") or {"type": "object", "properties": {}},
    }


def make_recall_tool(reader: RecallReader) -> StructuredTool:
    """Returns the tool ``recall``; of many conversations it is that of the run's ``thread_id``. A function that chooses
    the session is given what the run has configured.
    """

    def recall(**arguments: Any) -> str:
        settings = _settings()
        return reader.read(arguments, run=settings, thread=str(settings.get("thread_id") or ""))

    return StructuredTool.from_function(recall, name=NAME, description=DESCRIPTION, args_schema=SCHEMA)
