"""Stream events of the OpenAI Responses API, and those of a run of the OpenAI Agents SDK: several responses, and what
tools gave back between them.
"""

from __future__ import annotations

from typing import Any

from clew.codecs.fields import list_of, object_of, text_of
from clew.codecs.streams.pieces import add_piece, as_interrupted, index_of, join_pieces
from clew.domain import Json

_KINDS = {"raw_response_event", "run_item_stream_event", "agent_updated_stream_event"}
#: Events that carry the whole response, and after which nothing more comes.
_ENDS = {"response.completed", "response.incomplete"}
#: Where the words of a delta belong: the list of the item, the place in it, and the member that grows.
_DELTAS = {
    "response.output_text.delta": ("content", "content_index", "output_text", "text"),
    "response.refusal.delta": ("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text.delta": ("content", "content_index", "reasoning_text", "text"),
    "response.reasoning_summary_text.delta": ("summary", "summary_index", "summary_text", "text"),
}


class OpenAIResponsesStream:
    """Puts a response together from its items. The one that ends the stream is the truth, if it comes."""

    format = "openai-responses"

    def __init__(self) -> None:
        self._response: Json = {}
        self._items: dict[int, Json] = {}
        self._open: set[int] = set()
        self._is_ended = False

    @staticmethod
    def tells(event: Json) -> bool:
        """True for an event of this API."""
        return str(event.get("type", "")).startswith("response.")

    @property
    def is_complete(self) -> bool:
        """True once the API has sent the whole response."""
        return self._is_ended

    def feed(self, event: Json) -> None:
        """Takes in one event; kinds that say nothing of the reply are ignored."""
        kind = str(event.get("type", ""))
        if isinstance(event.get("response"), dict):
            self._response = event["response"]
            self._is_ended = kind in _ENDS
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._set_item(index_of(event, "output_index"), object_of(event, "item"), is_open=kind.endswith("added"))
        elif kind in _DELTAS:
            self._grow(event, *_DELTAS[kind])
        elif kind.endswith(".delta") and isinstance(event.get("delta"), str) and (item := self._open_item(event)):
            add_piece(item, "arguments" if "arguments" in item else "input", event["delta"])

    def _set_item(self, index: int, item: Json, *, is_open: bool) -> None:
        if index < 0 or not item:
            return
        self._items[index] = dict(item)
        (self._open.add if is_open else self._open.discard)(index)

    def _open_item(self, event: Json) -> Json | None:
        index = index_of(event, "output_index")
        return self._items[index] if index in self._open else None

    def _grow(self, event: Json, field: str, index: str, kind: str, member: str) -> None:
        item, position = self._open_item(event), index_of(event, index)
        if item is None or not 0 <= position <= len(list_of(item, field)):
            return
        pieces = item[field] = [*list_of(item, field)]
        if position == len(pieces):
            pieces.append({"type": kind, "annotations": []} if kind == "output_text" else {"type": kind})
        pieces[position] = dict(pieces[position]) if isinstance(pieces[position], dict) else {"type": kind}
        add_piece(pieces[position], member, text_of(event, "delta"))

    def response(self) -> Json | None:
        """The response as a call without streaming returns it; None while there is nothing to record."""
        items = {index: join_pieces(self._items[index]) for index in sorted(self._items)}
        if self.is_complete:
            came = list_of(self._response, "output")
            return self._response if came else self._response | {"output": list(items.values())}
        output = [
            self._as_it_stands(index, item) for index, item in items.items() if self._is_worth_keeping(index, item)
        ]
        begun = [item for index, item in items.items() if not self._is_worth_keeping(index, item)]
        unfinished = [item for item in begun if not _is_blank(item)]
        status = text_of(self._response, "status")
        head = self._response | {"status": status if status == "failed" else "incomplete", "output": output}
        return as_interrupted(head, unfinished, is_empty=not output)

    def _is_worth_keeping(self, index: int, item: Json) -> bool:
        """Words as far as they came, and whole items. Half a call cannot be run, half a thought is not sealed."""
        return index not in self._open or (item.get("type") == "message" and bool(list_of(item, "content")))

    def _as_it_stands(self, at: int, item: Json) -> Json:
        return item | {"status": "incomplete"} if at in self._open else item


def _is_blank(item: Json) -> bool:
    """True for words or a thought of which nothing has come."""
    return item.get("type") in ("message", "reasoning") and not any(item.get(name) for name in ("content", "summary"))


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
