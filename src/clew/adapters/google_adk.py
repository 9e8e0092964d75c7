"""Google ADK: a plugin that packs each model call of a runner and records what is said.

``Runner(…, plugins=[PackedContents(session)])``. The events of ADK's session stay whole.
"""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.genai import types

from clew.adapters.recall import DESCRIPTION, NAME, SCHEMA, RecallReader
from clew.adapters.run_sessions import FrameworkConversation, RunSessions, SessionChoice, UserChoice
from clew.adapters.session_state import ModelCall
from clew.codecs import jsonio
from clew.codecs.sdk_objects import plain

FORMAT = "gemini"
#: An agent of ADK that is to see nothing of what came before.
_WITHOUT_HISTORY = "none"


class PackedContents(BasePlugin):
    """Sends the pack of a session in place of the contents of a model call, and records them and the replies in it.

    ``session`` is a handle, or a name in the user's own store, for one conversation. An engine has a session for each
    session of ADK, ``app:user:id``; without any it is that of the user's own store. A function is given the
    ``CallbackContext``, and gives a handle or a name. ``user`` is whose session it is, or a function of the
    ``CallbackContext`` that says so, such as ``lambda context: context.user_id``; without one a session shares with no
    other. ``budget`` is the most tokens to send, by default the model's
    window less the reserve for the answer. What an agent below the root is shown is kept in a branch with its name.
    """

    def __init__(
        self,
        session: SessionChoice = None,
        *,
        user: UserChoice = None,
        budget: int | None = None,
        name: str = "clew",
    ) -> None:
        super().__init__(name=name)
        self._sessions = RunSessions(session, user=user, budget=budget, id_name="session", format=FORMAT)
        self._waiting: dict[tuple[str, str], tuple[FrameworkConversation, ModelCall]] = {}

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Packs what the agent would send."""
        agent = callback_context.get_invocation_context().agent
        if getattr(agent, "include_contents", "") == _WITHOUT_HISTORY:
            return
        conversation = await asyncio.to_thread(self._conversation, callback_context, agent, llm_request.contents)
        with conversation.model_call() as call:
            self._waiting[_place(callback_context)] = conversation, call
            llm_request.contents = await asyncio.to_thread(_pack_request, conversation, llm_request, call)

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        """Records the response when it is whole."""
        if llm_response.partial or (waiting := self._waiting.pop(_place(callback_context), None)) is None:
            return
        conversation, call = waiting
        if llm_response.content is None:
            conversation.fail(call)
        else:
            await asyncio.to_thread(conversation.reply, _response(llm_response))

    async def on_model_error_callback(self, *, callback_context: Any, **_: Any) -> None:
        """Notes that no answer comes."""
        if waiting := self._waiting.pop(_place(callback_context), None):
            conversation, call = waiting
            conversation.fail(call)

    def _conversation(self, context: Any, agent: Any, contents: list[Any]) -> FrameworkConversation:
        conversation = self._sessions.conversation_of(context, _thread(context), contents)
        return conversation if agent.root_agent is agent else conversation.branch(agent.name)


def _thread(context: Any) -> str:
    """Ids of ADK's sessions are unique only among those of a user."""
    session = context.session
    return f"{session.app_name}:{session.user_id}:{session.id}"


def _place(context: Any) -> tuple[str, str]:
    """An agent waits for one answer at a time in a session."""
    return _thread(context), context.agent_name


def _pack_request(conversation: FrameworkConversation, request: Any, call: ModelCall) -> list[types.Content]:
    system, tools = plain(request.config.system_instruction), plain(request.config.tools)
    pack = conversation.pack(request.contents, call=call, system=system, tools=tools, model=request.model or "")
    return [
        types.Content.model_validate_json(jsonio.dumps_exact(content)) for content in pack.request(FORMAT)["contents"]
    ]


def _response(response: Any) -> types.GenerateContentResponse:
    candidate = types.Candidate(content=response.content, finish_reason=response.finish_reason)
    return types.GenerateContentResponse(
        candidates=[candidate], usage_metadata=response.usage_metadata, model_version=response.model_version
    )


class _RecallTool(BaseTool):
    """The tool ``recall``; of many conversations it is that of ADK's session."""

    def __init__(self, reader: RecallReader) -> None:
        super().__init__(name=NAME, description=DESCRIPTION)
        self._reader = reader

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(name=NAME, description=DESCRIPTION, parameters_json_schema=SCHEMA)

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> dict[str, str]:
        found = await asyncio.to_thread(self._reader.read, args, run=tool_context, thread=_thread(tool_context))
        return {"result": found}


def make_recall_tool(reader: RecallReader) -> BaseTool:
    """Returns the tool ``recall``."""
    return _RecallTool(reader)
