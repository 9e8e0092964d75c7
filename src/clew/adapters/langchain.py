"""LangChain and LangGraph: a middleware for ``create_agent`` that packs each model call and records what is said.

``create_agent(model, tools, middleware=[PackedMessages(session)])``. The messages of the agent's state stay whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from clew.adapters.blocks import FORMAT, BlockMessage, block_messages, text_of
from clew.adapters.conversation import Conversation, SessionHandle, session_of
from clew.domain import Json
from clew.engine.prompt.pack import Pack

_THOUGHTS = {"thinking", "redacted_thinking"}


class PackedMessages(AgentMiddleware[Any, Any]):
    """Sends the pack of a session in place of the agent's messages, and records them and the replies in it.

    ``session`` is a handle, or a name in the user's own store; ``budget`` the most tokens to send, by default the
    model's window less the reserve for the answer.
    """

    def __init__(self, session: SessionHandle | str, *, budget: int | None = None) -> None:
        super().__init__()
        self._conversation = Conversation(session_of(session), format=FORMAT, budget=budget)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Packs what the agent would send, and records the reply."""
        response = handler(self._packed(request))
        self._record(response)
        return response

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same for asynchronous agents."""
        response = await handler(await asyncio.to_thread(self._packed, request))
        await asyncio.to_thread(self._record, response)
        return response

    def _packed(self, request: Any) -> Any:
        model = getattr(request.model, "model_name", None) or getattr(request.model, "model", "")
        tools = [_tool(one) for one in request.tools]
        pack = self._conversation.pack(request.messages, system=request.system_prompt, tools=tools, model=str(model))
        return request.override(messages=packed_messages(pack))

    def _record(self, response: Any) -> None:
        for message in getattr(response, "result", None) or [response]:
            if isinstance(message, AIMessage):
                self._conversation.reply(message)


def packed_messages(pack: Pack) -> list[Any]:
    """Returns a pack as messages of LangChain, without the system prompt."""
    return [made for one in block_messages(pack) for made in (_reply(one) if one.is_reply else _inputs(one))]


def _reply(message: BlockMessage) -> Iterator[Any]:
    calls = [
        {"name": block["name"], "args": block["input"], "id": block["id"], "type": "tool_call"}
        for block in message.blocks
        if block["type"] == "tool_use"
    ]
    content = [_content(block) for block in message.blocks if block["type"] != "tool_use"]
    yield AIMessage(content=_simple(content), tool_calls=calls)


def _inputs(message: BlockMessage) -> Iterator[Any]:
    """Outputs of tools come first, as every provider wants them."""
    results = [block for block in message.blocks if block["type"] == "tool_result"]
    for block in results:
        status = "error" if block.get("is_error") else "success"
        yield ToolMessage(content=text_of(block.get("content")), tool_call_id=block["tool_use_id"], status=status)
    if content := [_content(block) for block in message.blocks if block not in results]:
        yield HumanMessage(content=_simple(content))


def _content(block: Json) -> Json:
    source = block.get("source", {})
    if source.get("type") == "base64":
        return {"type": block["type"], "base64": source["data"], "mime_type": source["media_type"]}
    if source.get("type") == "url":
        return {"type": block["type"], "url": source["url"]}
    if block["type"] in _THOUGHTS:
        return block
    return {"type": "text", "text": block.get("text") or f"[{block['type']}]"}


def _simple(content: list[Json]) -> str | list[Any]:
    if all(block["type"] == "text" for block in content) and len(content) < 2:
        return "".join(block["text"] for block in content)
    return list(content)


def _tool(tool: Any) -> Json:
    function = convert_to_openai_tool(tool).get("function", {})
    return {
        "name": function.get("name", ""),
        "description": function.get("description", ""),
        "input_schema": function.get("parameters") or {"type": "object", "properties": {}},
    }
