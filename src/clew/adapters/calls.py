"""Calls of an official client: the request is packed before it is sent, and the reply recorded when it is there."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from clew.adapters.client_streams import is_stream, record_stream
from clew.adapters.conversation import Conversation, SessionHandle
from clew.adapters.requests import ConversationRequest, endpoint_of


class ClientCalls:
    """The calls of one wrapped client, all of one session."""

    def __init__(self, session: SessionHandle, budget: int | None) -> None:
        self._session, self._budget = session, budget
        self._conversations: dict[str, Conversation] = {}

    def begin(self, options: Any) -> Call | None:
        """Puts the pack into the options of a request; None where the request is no conversation."""
        endpoint = endpoint_of(options.method, options.url)
        if endpoint is None or not isinstance(options.json_data, dict):
            return None
        request = ConversationRequest(endpoint, options.json_data)
        conversation = self._conversation(endpoint.format)
        if request.is_kept_by_provider:
            conversation.record(request.messages, system=request.system, tools=request.tools)
        else:
            pack = conversation.pack(request.messages, system=request.system, tools=request.tools, model=request.model)
            options.json_data = request.with_pack(pack)
        return Call(conversation)

    def _conversation(self, format: str) -> Conversation:
        if format not in self._conversations:
            self._conversations[format] = Conversation(self._session, format=format, budget=self._budget)
        return self._conversations[format]


@dataclass(frozen=True, slots=True)
class Call:
    """A request that was sent, and the conversation that its reply belongs to."""

    conversation: Conversation

    def receive(self, result: Any) -> Any:
        """Returns the client's result, having recorded the reply, or ready to record it when it has been read."""
        if hasattr(result, "http_response"):
            return self._raw_response(result)
        if is_stream(result):
            record_stream(result, self.conversation)
        elif hasattr(result, "model_dump"):
            self.conversation.reply(result)
        return result

    def _raw_response(self, raw: Any) -> Any:
        """What was read is recorded; what is still to be read, when the caller parses it."""
        if raw.http_response.is_closed:
            self.conversation.reply(raw.http_response.json())
        else:
            raw.parse = _once(raw.parse, self.receive)
        return raw


def _once(parse: Callable[..., Any], receive: Callable[[Any], Any]) -> Callable[..., Any]:
    """A raw response is parsed as often as its caller likes, and recorded once."""
    seen: list[Any] = []

    def note(result: Any) -> Any:
        if not seen:
            seen.append(result)
            receive(result)
        return result

    def parse_and_note(*args: Any, **kwargs: Any) -> Any:
        found = parse(*args, **kwargs)
        return _awaited(found, note) if inspect.isawaitable(found) else note(found)

    return parse_and_note


async def _awaited(found: Awaitable[Any], note: Callable[[Any], Any]) -> Any:
    return note(await found)
