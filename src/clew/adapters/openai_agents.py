"""OpenAI Agents SDK: a session that keeps an agent's items in Clew, and a filter that sends the pack instead of them.

``memory = PackedSession(session)``, then ``Runner.run(agent, text, session=memory, run_config=memory.run_config)``.
"""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace
from typing import Any

from agents import FunctionTool, Handoff, RunConfig, RunContextWrapper, SessionSettings, handoff
from agents.models.fake_id import FAKE_RESPONSES_ID
from agents.models.openai_responses import Converter
from agents.run_config import CallModelData, CallModelInputFilter, ModelInputData

from clew.adapters.conversation import Conversation
from clew.adapters.item_log import FORMAT, ItemLog
from clew.adapters.named_sessions import session_of
from clew.adapters.recall import DESCRIPTION, NAME, SCHEMA, RecallReader
from clew.adapters.session_state import SessionHandle
from clew.domain import Json


class PackedSession:
    """The items of an agent, kept in a session of Clew; a Session of the Agents SDK, and like each of those for one
    conversation.

    ``session`` is a handle, or a name in the user's own store; then ``user`` is whose session it is, and without one it
    shares with no other. ``budget`` is the most tokens to send, by default the
    model's window less the reserve for the answer. What is taken out can still be read in Clew.
    """

    def __init__(self, session: SessionHandle | str, *, user: str | None = None, budget: int | None = None) -> None:
        conversation = Conversation(session_of(session, user), format=FORMAT, budget=budget)
        self._log = ItemLog(conversation)
        self.session_id = conversation.session.id
        self.session_settings: SessionSettings | None = None

    @property
    def run_config(self) -> RunConfig:
        """Settings of a run that sends packs."""
        return self.configure(RunConfig())

    def configure(self, config: RunConfig) -> RunConfig:
        """Returns settings of a run with packs. A filter that they have already is applied to the pack."""
        own = config.call_model_input_filter
        return replace(
            config, call_model_input_filter=_compose_filters(self.filter_input, own) if own else self.filter_input
        )

    async def filter_input(self, data: CallModelData[Any]) -> ModelInputData:
        """Records what is new in the input of a model, and returns the pack in its place. Instructions stay."""
        given = data.model_data
        about = {"system": given.instructions, "tools": await _tools(data), "model": _model_name(data)}
        pack = await asyncio.to_thread(self._log.pack, given.input, **about)
        items: list[Any] = [_with_id(item) for item in pack.request(FORMAT)["input"]]
        return ModelInputData(input=items, instructions=given.instructions)

    # ── the session of the Agents SDK ────────────────────────────────────────────────────────────────

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Returns the items of the conversation, the newest ``limit`` of them if it is given."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return await asyncio.to_thread(self._log.items, limit)

    async def add_items(self, items: list[Any]) -> None:
        """Adds items to the conversation."""
        await asyncio.to_thread(self._log.append, items)

    async def pop_item(self) -> Any | None:
        """Takes the newest item out of the conversation, and returns it; None where there is none."""
        return await asyncio.to_thread(self._log.pop)

    async def clear_session(self) -> None:
        """Takes everything out of the conversation."""
        await asyncio.to_thread(self._log.clear)


def _compose_filters(pack: CallModelInputFilter, own: CallModelInputFilter) -> CallModelInputFilter:
    """The pack is what the caller's filter gets to see, and has the last word on."""

    async def filter_both(data: CallModelData[Any]) -> ModelInputData:
        packed = pack(data)
        data = replace(data, model_data=await packed if inspect.isawaitable(packed) else packed)
        found = own(data)
        return await found if inspect.isawaitable(found) else found

    return filter_both


def _with_id(item: Json) -> Json:
    """The SDK reads a message of the model by its id. Where the Responses API gave none it wants its own placeholder,
    which it takes away before it asks that API.
    """
    is_reply = item.get("role") == "assistant" and isinstance(item.get("content"), list)
    return {"id": FAKE_RESPONSES_ID, **item} if is_reply else item


async def _tools(data: CallModelData[Any]) -> list[Json]:
    """The tools and handoffs of the agent as they are sent beside the input."""
    tools = await data.agent.get_all_tools(RunContextWrapper(data.context))
    handoffs = [one if isinstance(one, Handoff) else handoff(one) for one in data.agent.handoffs]
    return [dict(tool) for tool in Converter.convert_tools(tools, handoffs).tools]


def _model_name(data: CallModelData[Any]) -> str:
    model = data.agent.model
    return model if isinstance(model, str) else str(getattr(model, "model", ""))


def make_recall_tool(reader: RecallReader) -> FunctionTool:
    """Returns the tool ``recall``; a function that chooses the session is given the context of the run."""

    async def recall(context: Any, arguments: str) -> str:
        return await asyncio.to_thread(reader.read, arguments, run=context)

    return FunctionTool(NAME, DESCRIPTION, SCHEMA, recall, strict_json_schema=False)
