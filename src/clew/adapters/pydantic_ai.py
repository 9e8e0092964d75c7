"""Pydantic AI: a capability that packs each request of an agent and records what is said.

``Agent(model, capabilities=[PackedHistory(session)])``. The agent's own history stays whole.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelRequest

from clew.adapters.pydantic_messages import packed_messages, read_original
from clew.adapters.recall_reader import RecallReader
from clew.adapters.recall_text import DESCRIPTION, NAME, SCHEMA
from clew.adapters.run_sessions import FrameworkConversation, RunSessions, SessionChoice, UserChoice
from clew.adapters.session_state import ModelCall
from clew.domain import Json
from clew.rules.thinking_modes import UNKNOWN, thinking_mode


@dataclass
class PackedHistory(AbstractCapability[Any]):
    """Sends the pack of a session in place of the run's history, and records requests and responses in it.

    ``session`` is a handle, or a name in the user's own store, for one conversation. An engine has a session for each
    ``conversation_id`` of Pydantic AI; without any it is that of the user's own store. A function is given the
    ``RunContext``, and gives a handle or a name. ``user`` is whose session it is, or a function of the ``RunContext``
    that says so; without one a session shares with no other. ``budget`` is the most tokens to send, by default the
    model's window less the reserve for the answer.
    """

    session: SessionChoice = None
    budget: int | None = None
    user: UserChoice = None
    _sessions: RunSessions = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._sessions = RunSessions(
            self.session, user=self.user, budget=self.budget, id_name="conversation_id", read=read_original
        )

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        """Packs what the run would send, and records the response."""
        given = request_context.messages
        if not given or not isinstance(given[-1], ModelRequest):  # a response that goes on has no other beginning
            return await handler(request_context)
        conversation = await asyncio.to_thread(self._conversation, ctx, given)
        with conversation.model_call() as call:
            messages = await asyncio.to_thread(_pack_request, conversation, request_context, call)
            response = await handler(replace(request_context, messages=messages))
        await asyncio.to_thread(conversation.reply, response)
        return response

    def _conversation(self, ctx: Any, given: list[Any]) -> FrameworkConversation:
        return self._sessions.conversation_of(ctx, ctx.conversation_id, given).for_list(given)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Returns None: a session cannot be written into a specification."""
        return None


def _pack_request(conversation: FrameworkConversation, request: Any, call: ModelCall) -> list[Any]:
    given, about = request.messages, request.model_request_parameters
    tools = [_tool(one) for one in (*about.function_tools, *about.output_tools)]
    model = request.model.model_name
    pack = conversation.pack(given, call=call, tools=tools, model=model, thinking=_thinking(request))
    return packed_messages(pack.content.as_messages(), given, conversation.reader.originals(given))


def _thinking(request: Any) -> str:
    """The mode of thinking that the settings of model and run ask for. What ``thinking`` becomes, Pydantic AI decides
    later.
    """
    settings = {**(request.model.settings or {}), **(request.model_settings or {})}
    asked = settings.get("anthropic_thinking")
    if not asked and settings.get("thinking") is not None:
        return UNKNOWN
    return thinking_mode({"model": request.model.model_name, "thinking": asked, "max_tokens": 1})


def _tool(definition: Any) -> Json:
    return {
        "name": definition.name,
        "description": definition.description or "",
        "input_schema": definition.parameters_json_schema,
    }


def make_recall_tool(reader: RecallReader) -> Tool[Any]:
    """Returns the tool ``recall``; of many conversations it is that of the run's ``conversation_id``."""

    def recall(ctx: RunContext[Any], **arguments: Any) -> str:
        return reader.read(arguments, run=ctx, thread=ctx.conversation_id)

    return Tool.from_schema(recall, NAME, DESCRIPTION, SCHEMA, takes_ctx=True)
