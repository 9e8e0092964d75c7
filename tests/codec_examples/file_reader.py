"""Small session files in memory, and what a codec makes of them."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from clew.codecs import registry
from clew.domain import Message, Record, SkippedRecord
from clew.errors import UsageError
from clew.ports import Codec


def jsonl(*records: Any) -> bytes:
    """One line for each record; bytes are taken as they are, for lines that are broken."""
    return b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in records)


def read_all(codec: Codec, data: bytes) -> tuple[list[Record], list[SkippedRecord]]:
    """All records, and all that was passed over: by the split, or because it could not be read."""
    found: list[Record] = []
    skipped: list[SkippedRecord] = []
    for raw in codec.split(BytesIO(data)):
        if isinstance(raw, SkippedRecord):
            skipped.append(raw)
            continue
        try:
            found.append((registry.codec(raw.format) if raw.format else codec).read(raw.body))
        except (ValueError, UsageError) as error:
            skipped.append(SkippedRecord(raw.line, str(error)))
    return found, skipped


def messages(codec: Codec, data: bytes) -> list[Message]:
    return [record.message for record in read_all(codec, data)[0] if record.message]


def said(codec: Codec, data: bytes) -> list[tuple[str, str, str]]:
    """Role, origin and text of each message."""
    return [(message.role.value, message.origin.value, message.text) for message in messages(codec, data)]


def broken(record: Any) -> list[Any]:
    """The record with each value, at any depth, replaced by one of a wrong type."""
    wrong: list[Any] = [None, 7, "x", [], {}, [None], {"a": 1}, True]
    if not isinstance(record, dict | list):
        return []
    found = []
    for name, value in record.items() if isinstance(record, dict) else enumerate(record):
        for other in [*wrong, *broken(value)]:
            changed = dict(record) if isinstance(record, dict) else list(record)
            changed[name] = other
            found.append(changed)
    return found
