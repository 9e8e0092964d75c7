"""Items of the Responses API as Codex reads them back: a line of any other shape is silently passed over by it."""

from __future__ import annotations

from typing import Any

from clew.codecs.providers.conversion import write_arguments
from clew.codecs.providers.losses import flat_text, media_placeholder
from clew.codecs.providers.responses_items import read_piece
from clew.domain import Json, Media, Message, Text
from clew.text.vocabulary import words

_KNOWN = words(
    "message reasoning function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call"
    " web_search_call image_generation_call compaction"
)
_PIECES = frozenset({"input_text", "output_text", "input_image"})


def readable_item(item: Json, message: Message) -> Json:
    """Returns an item that says the same as ``item``, which ``message`` was read from, in a shape that Codex knows."""
    if item.get("type", "message") == "message":
        return item | {"type": "message", "content": _pieces(item.get("content"), item.get("role"))}
    if item["type"] == "local_shell_call":
        return {"status": "completed"} | item
    if item["type"] not in _KNOWN and message.calls:
        call = message.calls[0]
        arguments = write_arguments(call.arguments)
        return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}
    if item["type"] not in _KNOWN and message.outputs:
        output = message.outputs[0]
        return {"type": "function_call_output", "call_id": output.call_id, "output": flat_text(output.content)}
    return item | {"output": _pieces(item["output"])} if isinstance(item.get("output"), list) else item


def _pieces(content: Any, role: Any = "user") -> list[Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    pieces = content if isinstance(content, list) else [{"type": kind, "text": content or ""}]
    return [one if one.get("type") in _PIECES else {"type": kind, "text": _piece_text(one)} for one in pieces]


def _piece_text(piece: Json) -> str:
    """What stands for a piece that Codex has no place for."""
    part = read_piece(piece)
    if isinstance(part, Text):
        return part.text
    return media_placeholder(part) if isinstance(part, Media) else f"[{piece.get('type')}: not shown here]"
