"""Pydantic AI: a capability that packs each request of an agent and records what is said.

``Agent(model, capabilities=[PackedHistory(session)])``. The agent's own history stays whole.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelRequest

from clew.adapters.pydantic_messages import packed_messages, read_original
from clew.adapters.run_sessions import FrameworkConversation, RunSessions, SessionChoice
from clew.adapters.session_state import ModelCall
from clew.domain import Json


@dataclass
class PackedHistory(AbstractCapability[Any]):
    """Sends the pack of a session in place of the run's history, and records requests and responses in it.

    ``session`` is a handle, or a name in the user's own store, for one conversation. An engine has a session for each
    ``conversation_id`` of Pydantic AI; without any it is that of the user's own store. A function is given the
    ``RunContext``, and gives a handle or a name. ``budget`` is the most tokens to send, by default the model's window
    less the reserve for the answer.
    """

    session: SessionChoice = None
    budget: int | None = None
    _sessions: RunSessions = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._sessions = RunSessions(self.session, budget=self.budget, id_name="conversation_id", read=read_original)

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        """Packs what the run would send, and records the response."""
        given = request_context.messages
        if not given or not isinstance(given[-1], ModelRequest):  # a response that goes on has no other beginning
            return await handler(request_context)
        conversation = await asyncio.to_thread(self._conversation, ctx, given)
        with conversation.model_call() as call:
            messages = await asyncio.to_thread(_packed, conversation, request_context, call)
            response = await handler(replace(request_context, messages=messages))
        await asyncio.to_thread(conversation.reply, response)
        return response

    def _conversation(self, ctx: Any, given: list[Any]) -> FrameworkConversation:
        return self._sessions.of(ctx, ctx.conversation_id, given).for_list(given)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Returns None: a session cannot be written into a specification."""
        return None


def _packed(conversation: FrameworkConversation, request: Any, call: ModelCall) -> list[Any]:
    given, about = request.messages, request.model_request_parameters
    tools = [_tool(one) for one in (*about.function_tools, *about.output_tools)]
    pack = conversation.pack(given, call=call, tools=tools, model=request.model.model_name)
    return packed_messages(pack.content.as_messages(), given, conversation.reader.originals(given))


def _tool(definition: Any) -> Json:
    return {
        "name": definition.name,
        "description": definition.description or "",
        "input_schema": definition.parameters_json_schema,
    }
