"""Instant summaries: a client's own request to sum its conversation up, answered here and at once, from the record.

The answer has the form that the client expects of its model, whole or as a stream. No model is asked, and its usage
says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.codecs import jsonio
from clew.domain import Json

#: A stream says its text in pieces of so many characters.
_PIECE_CHARS = 2_000
_NO_USE = {"input_tokens": 0, "output_tokens": 0}


def summary_reply(format: str, text: str, model: str, *, number: int) -> Json | None:
    """Returns the reply that says a summary; None for an API whose clients ask for none."""
    if format == "anthropic":
        content = f"<analysis>\nTaken from the record of the session.\n</analysis>\n\n<summary>\n{text}\n</summary>"
        return _message(content, model, number)
    return _response(text, model, number) if format == "openai-responses" else None


def summary_events(format: str, reply: Json) -> bytes:
    """Returns the same reply as the stream of its API."""
    events = _message_events(reply) if format == "anthropic" else _response_events(reply)
    return b"".join(b"event: %s\ndata: %s\n\n" % (one["type"].encode(), jsonio.dumps(one)) for one in events)


def _message(text: str, model: str, number: int) -> Json:
    return {
        "id": f"msg_clew_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": dict(_NO_USE),
    }


def _message_events(reply: Json) -> Iterator[Json]:
    yield {"type": "message_start", "message": reply | {"content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for piece in _pieces(reply["content"][0]["text"]):
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 0}}
    yield {"type": "message_stop"}


def _response(text: str, model: str, number: int) -> Json:
    said = {"type": "output_text", "text": text, "annotations": []}
    item = {
        "type": "message",
        "id": f"msg_clew_{number}",
        "role": "assistant",
        "status": "completed",
        "content": [said],
    }
    about = {"id": f"resp_clew_{number}", "object": "response", "created_at": 0, "model": model, "error": None}
    counts = {**_NO_USE, "total_tokens": 0, "input_tokens_details": {"cached_tokens": 0}}
    counts["output_tokens_details"] = {"reasoning_tokens": 0}
    return about | {"status": "completed", "output": [item], "usage": counts}


def _response_events(reply: Json) -> Iterator[Json]:
    item, text = reply["output"][0], reply["output"][0]["content"][0]["text"]
    place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    begun = reply | {"status": "in_progress", "output": [], "usage": None}
    events: list[Json] = [
        {"type": "response.created", "response": begun},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": item | {"status": "in_progress", "content": []},
        },
        {
            "type": "response.content_part.added",
            **place,
            "part": {"type": "output_text", "text": "", "annotations": []},
        },
        *({"type": "response.output_text.delta", **place, "delta": piece} for piece in _pieces(text)),
        {"type": "response.output_text.done", **place, "text": text},
        {"type": "response.content_part.done", **place, "part": item["content"][0]},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": reply},
    ]
    yield from ({"sequence_number": at} | one for at, one in enumerate(events))


def _pieces(text: str) -> Iterator[str]:
    return (text[at : at + _PIECE_CHARS] for at in range(0, len(text), _PIECE_CHARS))
