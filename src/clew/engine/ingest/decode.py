"""Decodes what callers hand in: messages of a known format, a system prompt and tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clew.codecs import jsonio, registry
from clew.codecs.clew_format import NAME, message_to_json
from clew.domain import Message, Record
from clew.engine.ledger.records import DecodedRecord
from clew.errors import UsageError


def decode_messages(
    messages: list[Any], format: str | None, *, system: Any = None, tools: Sequence[Any] | None = None
) -> list[DecodedRecord]:
    """Returns records of what a caller gives, system prompt and tools first. Without ``format`` it is detected.

    Raises UsageError for a message that is no JSON or not of the format.
    """
    dicts = [message for message in messages if not isinstance(message, Message)]
    name = format or _detected(dicts, system)
    out: list[DecodedRecord] = []
    if system is not None:
        out.append(_decode_system(name, system))
    if tools is not None:
        body = jsonio.dumps({"tools": list(tools)})
        out.append(DecodedRecord(name, body, registry.codec(name).read(body)))
    for at, message in enumerate(messages):
        out.append(decode_message(message) if isinstance(message, Message) else _decode_dict(message, name, at))
    return out


def decode_message(message: Message) -> DecodedRecord:
    """Returns the record of a ``Message`` value."""
    record = Record(key="", message=replace(message, id=""), at=message.at)
    assert record.message is not None
    return DecodedRecord(NAME, jsonio.dumps({"message": message_to_json(record.message)}), record)


def _decode_dict(message: Any, format: str, at: int) -> DecodedRecord:
    if not isinstance(message, dict):
        raise UsageError(f"message {at} is a {type(message).__name__}; give dicts of a known format, or clew.Message")
    try:
        body = jsonio.dumps(message)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"message {at} is no JSON: {error}") from None
    try:
        return DecodedRecord(format, body, registry.codec(format).read(body))
    except ValueError as error:
        raise UsageError(f"message {at} is not {format}: {error}") from None


def _decode_system(format: str, system: Any) -> DecodedRecord:
    """A system prompt that changes is a new version of the same message."""
    provider = format if format in registry.PROVIDERS else "anthropic"
    body = registry.encoder(provider).system_body(system)
    record = registry.codec(provider).read(body)
    return DecodedRecord(provider, body, replace(record, group="clew:system", revises=True))


def _detected(dicts: list[Any], system: Any) -> str:
    if not dicts:
        return "anthropic"
    given: dict[str, Any] = {"messages": dicts} if system is None else {"system": system, "messages": dicts}
    return registry.detect(jsonio.dumps(given)[:65536]).name
