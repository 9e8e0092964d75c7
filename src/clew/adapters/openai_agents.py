"""OpenAI Agents SDK: a session that keeps an agent's items in Clew, and a filter that sends the pack instead of them.

``memory = PackedSession(session)``, then ``Runner.run(agent, text, session=memory, run_config=memory.run_config)``.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from agents import RunConfig, SessionSettings
from agents.run_config import CallModelData, ModelInputData

from clew.adapters.conversation import Conversation, SessionHandle, session_of

_FORMAT = "openai-responses"


class PackedSession:
    """The items of an agent, kept in a session of Clew; a Session of the Agents SDK.

    ``session`` is a handle, or a name in the user's own store; ``budget`` the most tokens to send, by default the
    model's window less the reserve for the answer. What is taken out can still be read in Clew.
    """

    def __init__(self, session: SessionHandle | str, *, budget: int | None = None) -> None:
        self._conversation = Conversation(session_of(session), format=_FORMAT, budget=budget)
        self.session_id = self._conversation.session.id
        self.session_settings: SessionSettings | None = None

    @property
    def run_config(self) -> RunConfig:
        """Settings of a run that sends packs."""
        return self.configure(RunConfig())

    def configure(self, config: RunConfig) -> RunConfig:
        """Returns settings of a run with packs."""
        return replace(config, call_model_input_filter=self.filter_input)

    async def filter_input(self, data: CallModelData[Any]) -> ModelInputData:
        """Records what is new in the input of a model, and returns the pack in its place. Instructions stay."""
        given = data.model_data
        model = data.agent.model if isinstance(data.agent.model, str) else ""
        pack = await asyncio.to_thread(self._conversation.pack, given.input, system=given.instructions, model=model)
        return ModelInputData(input=pack.request(_FORMAT)["input"], instructions=given.instructions)

    # ── the session of the Agents SDK ────────────────────────────────────────────────────────────────

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Returns the items of the conversation, the newest ``limit`` of them if it is given."""
        items = await asyncio.to_thread(self._conversation.items)
        return items if limit is None else items[len(items) - limit :] if limit else []

    async def add_items(self, items: list[Any]) -> None:
        """Records items that the session does not end with yet."""
        await asyncio.to_thread(self._conversation.append, items)

    async def pop_item(self) -> Any | None:
        """Takes the newest item out of the conversation, and returns it; None where there is none."""
        items = await asyncio.to_thread(self._conversation.items)
        if items:
            await asyncio.to_thread(self._conversation.go_back_to, items[:-1])
        return items[-1] if items else None

    async def clear_session(self) -> None:
        """Takes everything out of the conversation."""
        await asyncio.to_thread(self._conversation.go_back_to, [])
