"""Events of a run of the OpenAI Agents SDK: several responses, and what tools gave back between them."""

from __future__ import annotations

from typing import Any

from clew.codecs.fields import object_of
from clew.codecs.streams.openai_responses import OpenAIResponsesStream
from clew.domain import Json

_KINDS = {"raw_response_event", "run_item_stream_event", "agent_updated_stream_event"}


class OpenAIAgentsStream:
    """Puts the responses of a run together, in order, each with the outputs that follow it."""

    format = "openai-responses"

    def __init__(self) -> None:
        self._ended: list[Json] = []
        self._response = OpenAIResponsesStream()
        self._is_under_way = False

    @staticmethod
    def tells(event: Json) -> bool:
        """True for an event of a run."""
        return str(event.get("type")) in _KINDS

    @property
    def is_complete(self) -> bool:
        """True while no response is under way."""
        return not self._is_under_way and bool(self._ended)

    def feed(self, event: Json) -> None:
        """Takes in one event; those that say nothing new are ignored."""
        if event.get("type") == "raw_response_event":
            self._is_under_way = True
            self._response.feed(object_of(event, "data"))
            if self._response.is_complete:
                self._end_response()
        elif event.get("name") == "tool_output":
            self._ended.append(object_of(object_of(event, "item"), "raw_item"))

    def _end_response(self) -> None:
        if (whole := self._response.response()) is not None:
            self._ended.append(whole)
        self._response, self._is_under_way = OpenAIResponsesStream(), False

    def response(self) -> list[Any] | None:
        """The responses and outputs of the run; None while there is nothing to record."""
        last = self._response.response()
        return [*self._ended, *([last] if last else [])] or None
