"""Identities of parts: equal for parts that mean the same, whichever channel or format they came by."""

from __future__ import annotations

from typing import Any

import orjson

from clew.domain import Call, Media, Message, Opaque, Output, Part, Reasoning, Text


def identities(message: Message) -> list[bytes]:
    """Returns an identity for each part, in order; equal parts have equal identities."""
    side = b"assistant" if message.role == "assistant" else b"other"
    return [_identity(part, side + b"/" + message.thread.encode()) for part in message.parts]


def _identity(part: Part, side: bytes) -> bytes:
    match part:
        case Text():
            return _join(b"text", side, part.text.strip().encode("utf-8", "replace"))
        case Call():
            return _join(b"call", part.id.encode(), part.name.encode(), _json(part.arguments))
        case Output():
            inner = b"\x01".join(_identity(item, b"") for item in part.content)
            return _join(b"output", part.call_id.encode(), inner)
        case Reasoning():
            return _join(b"reasoning", (part.seal or part.text).encode("utf-8", "replace"))
        case Media():
            return _join(b"media", side, part.media_type.encode(), (part.data or part.url or "").encode())
        case Opaque():
            return _join(b"opaque", side, _json(part.wire.data if part.wire else part.kind))
        case _:
            raise TypeError(f"not a part: {part!r}")


def _join(*pieces: bytes) -> bytes:
    return b"\x00".join(pieces)


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return repr(value).encode("utf-8", "replace")


def overlap(recorded: list[bytes], given: list[bytes]) -> int:
    """Counts how many of the given messages, from the first, are the last ones recorded (linear time)."""
    borders = [0] * len(given)
    for index in range(1, len(given)):
        border = borders[index - 1]
        while border and given[index] != given[border]:
            border = borders[border - 1]
        borders[index] = border + (given[index] == given[border])
    matched = 0
    for item in recorded[-len(given) :] if given else []:
        while matched and (matched == len(given) or item != given[matched]):
            matched = borders[matched - 1]
        matched += item == given[matched]
    return matched
