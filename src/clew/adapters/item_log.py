"""A session as the list of items that an agent framework keeps: items are read, added, and taken out one by one.

The list is what was added to it. What a model is shown may be less: a handoff can hide items from the agent that takes
over, or tell them as one. Such an input is packed in a branch, the session ``s.handoff``, and the list stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clew.adapters.alignment import Alignment, GivenMessages
from clew.adapters.conversation import Conversation, without_key
from clew.codecs import registry
from clew.domain import Json, Message, Part, Role
from clew.engine.ingest.decode import decode_messages
from clew.engine.ledger.records import ChannelCursor, ChannelKind
from clew.engine.prompt.pack import Pack
from clew.errors import UsageError
from clew.history.prompt_state import is_beside
from clew.history.user_requests import is_request

FORMAT = "openai-responses"
#: The branch for what agents are shown when that is not what the session has.
_HANDOFF = "handoff"


class ItemLog:
    """The items of a conversation, in order. What is taken out leaves the prompt view and stays readable by id."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation, self._session = conversation, conversation.session
        self._branching = conversation.state.branching
        self._recorded_ahead: list[list[bytes]] = []
        self._shown: Conversation | None = None
        self._was_cut = False

    def items(self, limit: int | None = None) -> list[Json]:
        """Returns all items, or the newest ``limit``."""
        found = self._conversation.take_turn(self._items)
        first = 0 if limit is None or limit < 0 else max(len(found) - limit, 0)
        self._was_cut = first > 0
        return found[first:]

    def append(self, items: Sequence[Any]) -> None:
        """Adds items, each of them, but for those that were recorded when they were packed for the model."""
        with self._branching:
            self._conversation.take_turn(lambda: self._append([item for item in items if not self._is_recorded(item)]))

    def pop(self) -> Json | None:
        """Takes the newest item out and returns it; None where there is none."""
        with self._branching:
            return self._conversation.take_turn(self._pop)

    def clear(self) -> None:
        """Takes all items out."""
        with self._branching:
            self._conversation.take_turn(self._clear)

    def pack(self, items: Sequence[Any], **about: Any) -> Pack:
        """Records what is new among the items that a model is about to get, and returns the pack in their place.

        Items that leave out or change what the session has are packed in a branch of it.
        Raises UsageError for items that share nothing with a session in which nobody waits for an answer: the provider
        may have those before them.
        """
        with self._branching:
            return self._pack(items, **about)

    def _pack(self, items: Sequence[Any], **about: Any) -> Pack:
        found = self._conversation.compare(items)
        last = self._conversation.take_turn(lambda: self._session.reader.recent_messages(1))
        if last and not (found.goes_on and (self._was_cut or not found.before)):
            self._require_waiting(last[0], found)
            return self._shown_items().pack(items, **about)
        before = self._session.info.messages
        pack = self._conversation.pack(items, **about)
        recorded = self._conversation.take_turn(lambda: self._messages_after(before))
        self._recorded_ahead = [marks for item in _encode_items(recorded) if (marks := _marks(item))]
        return pack

    def _shown_items(self) -> Conversation:
        if self._shown is None:
            own = self._conversation
            handle = own.branch_handle(_HANDOFF)
            self._shown = Conversation(handle, format=FORMAT, budget=own.budget, whole_lists=True)
        return self._shown

    def _items(self) -> list[Json]:
        return _encode_items(self._view())

    def _view(self) -> list[Message]:
        """The messages that are items; instructions stand beside them."""
        view = self._session.reader.history().prompt_view()
        return [message for message in view if message.role is not Role.SYSTEM or not is_beside(message)]

    def _messages_after(self, number: int) -> list[Message]:
        return (
            [message for message in self._view() if message.number > number]
            if self._session.info.messages > number
            else []
        )

    def _is_recorded(self, item: Any) -> bool:
        if (marks := _marks(item)) in self._recorded_ahead:
            self._recorded_ahead.remove(marks)
            return True
        return False

    def _append(self, items: Sequence[Any]) -> None:
        if items:
            records = [without_key(message) for message in decode_messages(list(items), FORMAT, is_sent=True)]
            self._session.channels.record(records, ChannelCursor("items", ChannelKind.LOG))

    def _pop(self) -> Json | None:
        for message in reversed(self._view()):
            if items := _encode_items([message]):
                self._session.edit(message.id, replace(message, parts=_without_last_item(message), wire=None))
                return items[-1]
        return None

    def _clear(self) -> None:
        if requests := sum(map(is_request, self._view())):
            self._session.rollback(requests)
        for message in self._view():
            self._session.edit(message.id, replace(message, parts=(), wire=None))

    def _require_waiting(self, last: Message, alignment: Alignment) -> None:
        if not alignment.shared and last.role is Role.ASSISTANT and not last.calls:
            raise UsageError(
                f"the input does not go on from session {self._session.id}; run with session=memory, and without its "
                "run_config where previous_response_id or conversation_id leaves the conversation to the provider"
            )


def _encode_items(messages: Sequence[Message]) -> list[Json]:
    return list(registry.encoder(FORMAT).encode(messages).body["input"])


def _marks(item: Any) -> list[bytes]:
    return GivenMessages([item], FORMAT).marks(0)


def _without_last_item(message: Message) -> tuple[Part, ...]:
    """As many of a message's parts as make one item less."""
    parts, count = message.parts, len(_encode_items([message]))
    ends = range(len(parts) - 1, -1, -1)
    return next(parts[:end] for end in ends if len(_encode_items([replace(message, parts=parts[:end])])) < count)
