"""Puts the reply of any provider's stream together; the format is found from the first event that tells.

The words for the user in one event of a stream.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from clew.codecs.formats import PROVIDERS
from clew.codecs.jsonio import value_at
from clew.codecs.streams.anthropic import AnthropicStream
from clew.codecs.streams.gemini import GeminiStream
from clew.codecs.streams.langchain import LangChainStream
from clew.codecs.streams.openai_chat import OpenAIChatStream
from clew.codecs.streams.openai_responses import OpenAIAgentsStream, OpenAIResponsesStream
from clew.domain import Json
from clew.errors import UsageError


class ProviderStream(Protocol):
    """The events of one API's stream, put together."""

    @property
    def format(self) -> str: ...

    @property
    def is_complete(self) -> bool: ...

    def feed(self, event: Json) -> None: ...

    def response(self) -> Json | list[Any] | None: ...


_STREAMS = (AnthropicStream, OpenAIAgentsStream, OpenAIResponsesStream, OpenAIChatStream, GeminiStream, LangChainStream)


@dataclass(frozen=True, slots=True)
class StreamedReply:
    """A whole response as its API would have returned it at once, or the responses and outputs of an agent's run;
    ``is_complete`` is False for one that broke off.
    ``format`` is None for a message of a framework, which says itself what it is.
    """

    format: str | None
    response: Json | list[Any]
    is_complete: bool


class ReplyAssembler:
    """Takes in events as plain dicts, of any API. It raises for none of them and changes none."""

    def __init__(self, format: str | None = None) -> None:
        """``format`` names the API where the events are not to tell. Raises UsageError for one without streams."""
        known = {stream.format: stream for stream in _STREAMS}
        if format is not None and format not in known:
            raise UsageError(f"no streams of {format!r} are known; there are {', '.join(known)}")
        self._stream: ProviderStream | None = known[format]() if format else None
        #: Events that were taken in.
        self.events = 0

    @property
    def is_recognized(self) -> bool:
        """True once an event has told whose stream this is."""
        return self._stream is not None

    @property
    def is_complete(self) -> bool:
        """True once the whole reply has come."""
        return self._stream is not None and self._stream.is_complete

    def feed(self, event: Any) -> None:
        """Takes in one event; what no API here sends is ignored."""
        self.events += 1
        if not isinstance(event, dict):
            return
        is_wrapped = event.get("type") == "chunk" and isinstance(event.get("chunk"), dict)
        data = event["chunk"] if is_wrapped else event  # as helpers of OpenAI's SDK wrap it
        if self._stream is None:
            self._stream = next((stream() for stream in _STREAMS if stream.tells(data)), None)
        if self._stream is not None:
            self._stream.feed(data)

    def reply(self) -> StreamedReply | None:
        """What has come so far; None if that is nothing to record."""
        response = self._stream.response() if self._stream else None
        if self._stream is None or response is None:
            return None
        format = self._stream.format if self._stream.format in PROVIDERS else None
        return StreamedReply(format, response, self._stream.is_complete)


def text_delta(event: Json, format: str) -> str:
    """Returns the text that an event adds to the answer; empty for events that add none, such as thoughts and calls."""
    if format == "anthropic":
        delta = value_at(event, "delta")
        return _text(delta) if value_at(delta, "type") == "text_delta" else ""
    if format == "openai-chat":
        content = value_at(event, "choices", 0, "delta", "content")
        return content if isinstance(content, str) else ""
    parts = value_at(event, "candidates", 0, "content", "parts")
    shown = [part for part in parts if value_at(part, "thought") is not True] if isinstance(parts, list) else []
    return "".join(map(_text, shown))


def begins_part(event: Json, format: str) -> bool:
    """Returns whether an event ends the text so far: a new part of the reply begins, or a call stands in it."""
    if format == "anthropic":
        return bool(value_at(event, "type") == "content_block_start")
    if format == "openai-chat":
        return bool(value_at(event, "choices", 0, "delta", "tool_calls"))
    parts = value_at(event, "candidates", 0, "content", "parts")
    return isinstance(parts, list) and any(value_at(part, "functionCall") is not None for part in parts)


def _text(value: Any) -> str:
    found = value_at(value, "text")
    return found if isinstance(found, str) else ""
