"""Chunks of a LangChain chat model's stream, as ``AIMessageChunk`` dumps them."""

from __future__ import annotations

from typing import Any

from clew.codecs.fields import count_of, list_of, object_of
from clew.codecs.streams.openai_chat import merge_delta
from clew.codecs.streams.pieces import INTERRUPTED, UNFINISHED, join_pieces, parse_object
from clew.domain import Json

_CHUNK = "AIMessageChunk"
#: Members that grow from chunk to chunk.
_GROWING = ("content", "additional_kwargs", "tool_call_chunks")


class LangChainStream:
    """Puts a message together from chunks: texts grow, blocks and calls by their index, and usage adds up."""

    format = "langchain"

    def __init__(self) -> None:
        self._grown: Json = {}
        self._about: Json = {}
        self._usage: Json = {}
        self._id: Any = None
        self.is_complete = False

    @staticmethod
    def tells(event: Json) -> bool:
        """True for a chunk of LangChain."""
        return event.get("type") == _CHUNK and "content" in event

    def feed(self, event: Json) -> None:
        """Takes in one chunk. The last one says that it is."""
        merge_delta(self._grown, {name: event.get(name) for name in _GROWING})
        self._about |= object_of(event, "response_metadata")
        self._usage = _sum(self._usage, object_of(event, "usage_metadata"))
        self._id = self._id or event.get("id")
        self.is_complete = self.is_complete or event.get("chunk_position") == "last"

    def response(self) -> Json | None:
        """The message as a call without streaming returns it; None while there is nothing to record."""
        grown = join_pieces(self._grown)
        chunks = [chunk for chunk in list_of(grown, "tool_call_chunks") if isinstance(chunk, dict)]
        begun = [] if self.is_complete else [chunk for chunk in chunks if parse_object(chunk.get("args")) is None]
        calls = [{name: chunk.get(name) for name in ("name", "args", "id")} for chunk in chunks if chunk not in begun]
        message: Json = {
            "type": "ai",
            "id": self._id,
            "content": grown.get("content") or "",
            "tool_calls": calls,
            "additional_kwargs": object_of(grown, "additional_kwargs"),
            "response_metadata": self._about,
            "usage_metadata": self._usage,
        }
        if self.is_complete:
            return message
        is_empty = not (message["content"] or calls or begun or message["additional_kwargs"])
        return None if is_empty else message | {INTERRUPTED: True} | ({UNFINISHED: begun} if begun else {})


def _sum(counts: Json, more: Json) -> Json:
    """Each chunk counts what it adds."""
    sums = dict(counts)
    for name, value in more.items():
        if isinstance(value, dict):
            sums[name] = _sum(object_of(counts, name), value)
        elif isinstance(value, int):
            sums[name] = count_of(counts, name) + value
    return sums
