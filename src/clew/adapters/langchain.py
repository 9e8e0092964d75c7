"""LangChain and LangGraph: a middleware for ``create_agent`` that packs each model call and records what is said.

``create_agent(model, tools, middleware=[PackedMessages(session)])``. The messages of the agent's state stay whole. What
a pack sends word for word is the message that came in, the rest is made of what the pack says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config

from clew.adapters.recall import DESCRIPTION, NAME, SCHEMA, RecallReader
from clew.adapters.run_sessions import (
    FrameworkConversation,
    Key,
    Keyed,
    Originals,
    RunSessions,
    SessionChoice,
    UserChoice,
)
from clew.adapters.session_state import ModelCall
from clew.codecs.frameworks.langchain import SIGNATURES, message_fields, read_message, write_block
from clew.codecs.sdk_objects import plain
from clew.domain import Call, Json, Message, Output, Part, Reasoning, Role, Status, Text
from clew.history.part_identity import identities
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
        conversation = self._sessions.conversation_of(
            request.runtime, _thread_id(request, settings), given, whole_lists=is_kept
        )
        return conversation if is_kept and not _is_nested(settings) else conversation.for_list(given)


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
    tools, system = [_tool(tool) for tool in request.tools], _system(request.system_message, head)
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


def read_original(message: Any) -> list[Keyed]:
    """What a message of LangChain says; nothing for one that cannot be read."""
    try:
        fields = message_fields(plain(message)) if isinstance(message, BaseMessage) else None
        return [] if fields is None else [(_key(read_message(fields)), message)]
    except (ValueError, RecursionError):
        return []


def packed_messages(messages: Sequence[Message], originals: Originals) -> list[BaseMessage]:
    """Returns the messages of a pack, in order. The newest find their originals first, since a pack is cut behind."""
    single = [one for message in messages for one in _split(message)]
    return [_built(one, originals) for one in reversed(single)][::-1]


def _key(message: Message) -> Key:
    return (message.role.encode(), *identities(message))


def _split(message: Message) -> Iterator[Message]:
    """Outputs are messages of their own, before all else, as every provider wants them."""
    for output in message.outputs:
        if not output.server:
            yield Message(role=Role.TOOL, parts=(output,))
    rest = tuple(part for part in message.parts if not isinstance(part, Output) or part.server)
    if rest:
        yield message if rest == message.parts else replace(message, role=Role.USER, parts=rest, wire=None)


def _built(message: Message, originals: Originals) -> BaseMessage:
    found: BaseMessage | None = originals.take(_key(message))
    if found is not None:
        return found
    match message.role:
        case Role.SYSTEM:
            return SystemMessage(content=message.text)
        case Role.ASSISTANT:
            return _reply(message)
        case Role.TOOL if message.outputs:
            return _tool_message(message.outputs[0])
    return _with_text_before(message, originals) or HumanMessage(content=_content(message.parts))


def _with_text_before(message: Message, originals: Originals) -> BaseMessage | None:
    """The message that came in, behind text that the pack has put before it."""
    for count in range(1, len(message.parts)):
        before, rest = message.parts[:count], replace(message, parts=message.parts[count:])
        found: BaseMessage | None = originals.take(_key(rest))
        if found is not None:
            own = [{"type": "text", "text": found.content}] if isinstance(found.content, str) else found.content
            return found.model_copy(update={"content": [*_blocks(before), *own]})
    return None


def _reply(message: Message) -> AIMessage:
    calls = [call for call in message.calls if not call.server]
    content = [part for part in message.parts if part not in calls and not _is_beside(part)]
    made = [{"name": call.name, "args": _arguments(call), "id": call.id, "type": "tool_call"} for call in calls]
    return AIMessage(content=_content(content), tool_calls=made, additional_kwargs=_additional_kwargs(message))


def _additional_kwargs(message: Message) -> Json:
    """What LangChain keeps beside the content: signatures of calls, and thoughts that a server tells there."""
    seals = {call.id: seal for call in message.calls if (seal := _seal(call))}
    thoughts = "\n".join(part.text for part in message.parts_of(Reasoning) if _is_beside(part))
    found = {SIGNATURES: seals, "reasoning_content": thoughts}
    return {name: value for name, value in found.items() if value}


def _seal(call: Call) -> str | None:
    return call.wire.data.get("signature") if call.wire is not None and call.wire.format == "langchain" else None


def _is_beside(part: Part) -> bool:
    """True for thoughts that a server tells beside the content."""
    return isinstance(part, Reasoning) and part.wire is not None and part.wire.format == "openai-chat"


def _arguments(call: Call) -> Json:
    return call.arguments if isinstance(call.arguments, dict) else {"input": call.arguments}


def _tool_message(output: Output) -> ToolMessage:
    status = "success" if output.status is Status.SUCCESS else "error"
    return ToolMessage(
        content=_content(output.content), tool_call_id=output.call_id, name=output.name or None, status=status
    )


def _content(parts: Sequence[Part]) -> Any:
    """One text is a text; anything else is a list of blocks."""
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].wire is None:
        return parts[0].text
    return _blocks(parts) or ""


def _blocks(parts: Sequence[Part]) -> list[Json]:
    return [block for part in parts if (block := write_block(part)) is not None]
