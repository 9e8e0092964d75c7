"""Stream events of the Anthropic Messages API."""

from __future__ import annotations

from typing import Any

from clew.codecs.fields import list_of, object_of
from clew.codecs.streams.pieces import add_piece, as_interrupted, index_of, join_pieces, parse_object
from clew.domain import Json
from clew.text.vocabulary import words

_KINDS = words("message_start content_block_start content_block_delta content_block_stop message_delta message_stop")
#: Where the arguments of a call grow as a text, until they are parsed.
_ARGUMENTS = "partial_json"


class AnthropicStream:
    """Puts a message together from its blocks."""

    format = "anthropic"

    def __init__(self) -> None:
        self._message: Json = {}
        self._blocks: dict[int, Json] = {}
        self._open: set[int] = set()
        self._is_stopped = False

    @staticmethod
    def tells(event: Json) -> bool:
        """True for an event that only this API sends."""
        return str(event.get("type")) in _KINDS

    @property
    def is_complete(self) -> bool:
        """True once the whole reply has come."""
        return self._is_stopped or self._message.get("stop_reason") is not None

    def feed(self, event: Json) -> None:
        """Takes in one event; kinds that say nothing of the reply are ignored."""
        index = index_of(event)
        match event.get("type"):
            case "message_start":
                self._start(object_of(event, "message"))
            case "content_block_start" if index >= 0:
                self._blocks[index] = dict(object_of(event, "content_block"))
                self._open.add(index)
            case "content_block_delta" if index in self._blocks:
                self._grow(self._blocks[index], object_of(event, "delta"))
            case "content_block_stop":
                self._open.discard(index)
            case "message_delta":
                self._message |= object_of(event, "delta")
                counts = {name: count for name, count in object_of(event, "usage").items() if count is not None}
                self._message["usage"] = object_of(self._message, "usage") | counts
            case "message_stop":
                self._is_stopped = True

    def _start(self, message: Json) -> None:
        """A second start begins anew: the client has asked once more."""
        self._message, self._open = dict(message), set()
        self._blocks = {
            index: block for index, block in enumerate(list_of(message, "content")) if isinstance(block, dict)
        }

    def _grow(self, block: Json, delta: Json) -> None:
        """Each delta names the member that grows, whatever its kind is called."""
        for name, value in delta.items():
            if name == "citation":
                block["citations"] = [*list_of(block, "citations"), value]
            elif name != "type" and isinstance(value, str):
                add_piece(block, name, value)

    def response(self) -> Json | None:
        """The message as a call without streaming returns it; None while there is nothing to record."""
        blocks = {index: _finish_block(block) for index, block in sorted(self._blocks.items())}
        head: Json = {"type": "message", "role": "assistant"} | self._message
        if self.is_complete:
            return head | {"content": list(blocks.values())} if self._message else None
        content = [block for index, block in blocks.items() if self._is_worth_keeping(index, block)]
        begun = [block for index, block in blocks.items() if index in self._open and block not in content]
        unfinished = [block for block in begun if not _is_blank(block)]
        return as_interrupted(head | {"content": content, "stop_reason": None}, unfinished, is_empty=not content)

    def _is_worth_keeping(self, index: int, block: Json) -> bool:
        """Words as far as they came, and whole blocks. Half a call cannot be run, half a thought is not signed."""
        if block.get("type") == "text":
            return bool(str(block.get("text", "")).strip())
        return index not in self._open and not self._is_unanswered(block)

    def _is_unanswered(self, block: Json) -> bool:
        """True for a call of the provider's own tools whose result, which stands in the same message, never came."""
        if block.get("type") not in ("server_tool_use", "mcp_tool_use"):
            return False
        answers = (other.get("tool_use_id") for place, other in self._blocks.items() if place not in self._open)
        return block.get("id") not in answers


def _is_blank(block: Json) -> bool:
    """True for words or a thought of which nothing has come."""
    kind = block.get("type")
    return kind in ("text", "thinking") and not str(block.get(str(kind), "")).strip()


def _finish_block(block: Json) -> Any:
    """The block with its texts joined and its arguments parsed. Arguments that are no JSON are kept in an object, under
    the name that the API's documentation suggests."""
    whole: Json = join_pieces(block)
    text = whole.pop(_ARGUMENTS, "")
    if text:
        parsed = parse_object(text)
        whole["input"] = parsed if parsed is not None else {"INVALID_JSON": text}
    return whole
