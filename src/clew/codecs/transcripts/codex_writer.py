"""Lines of a Codex rollout, from items of the Responses API: the client resumes the session from them.

Codex rebuilds its history from the items, and silently passes over a line of any other shape than its own. A summary
that everything begins with is a compaction of what came before. What people and the model said is told again as events,
which is what the client shows on the screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clew.codecs.fields import timestamp
from clew.codecs.providers.conversion import write_arguments
from clew.codecs.providers.losses import flat_text, media_placeholder
from clew.codecs.providers.responses_items import read_piece
from clew.domain import Json, Media, Message, Origin, Role, Text
from clew.ports import SessionHead
from clew.text.injected_text import person_words_of
from clew.text.vocabulary import words

_KNOWN = words(
    "message reasoning function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call"
    " web_search_call image_generation_call compaction"
)
_PIECES = frozenset({"input_text", "output_text", "input_image"})
#: Codex cuts outputs anew when it resumes, unless the line says how many tokens they may have.
_UNCUT: Json = {"metadata": {"client_authored": False, "fallback_token_limit_override": 1_000_000}}
_EVENTS = {Role.USER: "user_message", Role.ASSISTANT: "agent_message"}


def session_lines(items: Iterable[tuple[Json, Message]], head: SessionHead) -> Iterator[Json]:
    """Yields the lines of a rollout: what the session is, and its items with their events. Lines are numbered, so that
    no two of them are equal.
    """
    for ordinal, (time, line) in enumerate(_lines(items, head)):
        yield {"timestamp": timestamp(time), "ordinal": ordinal} | line


def _lines(items: Iterable[tuple[Json, Message]], head: SessionHead) -> Iterator[tuple[float, Json]]:
    yield head.at, {"type": "session_meta", "payload": _about(head)}
    for place, (item, message) in enumerate(items):
        time = message.at or head.at
        if place == 0 and message.origin is Origin.SUMMARY:
            yield time, {"type": "compacted", "payload": {"message": message.text}}
            continue
        uncut = _UNCUT if message.outputs else {}
        yield (
            time,
            {"type": "response_item", "payload": _with_provenance(readable_item(item, message), message)} | uncut,
        )
        if shown := _shown_text(message):
            yield time, {"type": "event_msg", "payload": {"type": _EVENTS[message.role], "message": shown}}


def _shown_text(message: Message) -> str:
    """What the screen shows of a message: what a person typed, or what the model said."""
    if message.origin is Origin.PERSON and message.role is Role.USER:
        return person_words_of(message.parts)
    return message.text if message.role is Role.ASSISTANT else ""


def _about(head: SessionHead) -> Json:
    about: Json = {
        "id": head.id,
        "timestamp": timestamp(head.at),
        "cwd": head.cwd,
        "originator": "clew",
        "cli_version": head.version,
        "source": "cli",
    }
    return about | ({"base_instructions": {"text": head.instructions}} if head.instructions else {})


def _with_provenance(item: Json, message: Message) -> Json:
    """The item, and where no person wrote what stands in the user's name, a note that the client gave it."""
    if message.role is not Role.USER or message.outputs or message.origin is Origin.PERSON:
        return item
    provenance = [{"provenance": {"type": "harness", "hook": False}} for _ in message.parts]
    return item | {"internal_chat_message_metadata_passthrough": {"content_item_metadata": provenance}}


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
    return [piece if piece.get("type") in _PIECES else {"type": kind, "text": _piece_text(piece)} for piece in pieces]


def _piece_text(piece: Json) -> str:
    """What stands for a piece that Codex has no place for."""
    part = read_piece(piece)
    if isinstance(part, Text):
        return part.text
    return media_placeholder(part) if isinstance(part, Media) else f"[{piece.get('type')}: not shown here]"
