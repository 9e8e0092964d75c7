"""Pydantic AI: a capability that packs each request of an agent and records what is said.

``Agent(model, capabilities=[PackedHistory(session)])``. The agent's own history stays whole.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from clew.adapters.blocks import FORMAT, BlockMessage, block_messages, text_of, tool_names
from clew.adapters.conversation import Conversation, SessionHandle, session_of
from clew.domain import Json
from clew.engine.prompt.pack import Pack


@dataclass
class PackedHistory(AbstractCapability[Any]):
    """Sends the pack of a session in place of the run's history, and records requests and responses in it.

    ``session`` is a handle, or a name in the user's own store; ``budget`` the most tokens to send, by default the
    model's window less the reserve for the answer.
    """

    session: SessionHandle | str
    budget: int | None = None
    _conversation: Conversation = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._conversation = Conversation(session_of(self.session), format=FORMAT, budget=self.budget)

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:  # noqa: ARG002
        """Packs what the run would send, and records the response."""
        given = request_context.messages
        if not given or not isinstance(given[-1], ModelRequest):  # a response that goes on has no other beginning
            return await handler(request_context)
        tools = [_tool(one) for one in request_context.model_request_parameters.function_tools]
        model = request_context.model.model_name
        pack = await asyncio.to_thread(self._conversation.pack, given, tools=tools, model=model)
        response = await handler(replace(request_context, messages=packed_messages(pack, given)))
        await asyncio.to_thread(self._conversation.reply, response)
        return response

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Returns None: a session cannot be written into a specification."""
        return None


def packed_messages(pack: Pack, given: list[Any]) -> list[Any]:
    """Returns a pack as messages of Pydantic AI. System prompts and instructions are those of the given messages."""
    names = tool_names(pack)
    found: list[Any] = [
        ModelResponse(parts=[*map(_response_part, one.blocks)])
        if one.is_reply
        else ModelRequest(parts=[*_request_parts(one, names)])
        for one in block_messages(pack)
    ]
    system = [part for message in given for part in message.parts if isinstance(part, SystemPromptPart)]
    if system and isinstance(found[0], ModelRequest):
        found[0] = replace(found[0], parts=[*system, *found[0].parts])
    return [*found[:-1], replace(given[-1], parts=found[-1].parts)]


def _request_parts(message: BlockMessage, names: dict[str, str]) -> Iterator[Any]:
    for block in message.blocks:
        if block["type"] == "tool_result":
            id = block["tool_use_id"]
            outcome = "failed" if block.get("is_error") else "success"
            content = text_of(block.get("content"))
            yield ToolReturnPart(tool_name=names.get(id, ""), content=content, tool_call_id=id, outcome=outcome)
        else:
            yield UserPromptPart(content=block["text"] if block["type"] == "text" else [_media(block)])


def _media(block: Json) -> Any:
    source = block.get("source", {})
    if source.get("type") == "base64":
        return BinaryContent(data=b64decode(source["data"]), media_type=source["media_type"])
    return ImageUrl(url=source["url"]) if source.get("type") == "url" else f"[{block['type']}]"


def _response_part(block: Json) -> Any:
    match block["type"]:
        case "tool_use":
            return ToolCallPart(tool_name=block["name"], args=block["input"], tool_call_id=block["id"])
        case "thinking":
            return ThinkingPart(content=block["thinking"], signature=block.get("signature"), provider_name="anthropic")
        case "redacted_thinking":
            return ThinkingPart(content="", id="redacted_thinking", signature=block["data"], provider_name="anthropic")
    return TextPart(content=block.get("text") or f"[{block['type']}]")


def _tool(definition: Any) -> Json:
    return {
        "name": definition.name,
        "description": definition.description or "",
        "input_schema": definition.parameters_json_schema,
    }
