"""Decodes what callers hand in: messages of a known format, whole responses, a system prompt and tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clew.codecs import jsonio, registry
from clew.codecs.clew_format import NAME, message_to_json
from clew.codecs.providers.detection import format_of_response
from clew.domain import Message, Origin, Record, Role, Text
from clew.engine.ledger.records import DecodedRecord
from clew.errors import UnreadableSource, UsageError

#: What a bare list in a reply stands for: the content of one message, in all formats but that of items.
_CONTENT = {
    "anthropic": ("assistant", "content"),
    "openai-chat": ("assistant", "content"),
    "gemini": ("model", "parts"),
}


def decode_messages(
    messages: list[Any], format: str | None, *, system: Any = None, tools: Sequence[Any] | None = None
) -> list[DecodedRecord]:
    """Returns records of what a caller gives, system prompt and tools first. Without ``format`` it is detected.

    Raises UsageError for a message that is no JSON or not of the format.
    """
    for at, message in enumerate(messages):
        if not isinstance(message, dict | Message):
            kind = type(message).__name__
            raise UsageError(f"message {at} is a {kind}; give dicts of a known format, or clew.Message")
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


def decode_reply(reply: Any, format: str | None) -> list[DecodedRecord]:
    """Returns records of a model's reply: a text, a message, a whole response, its content, or a list of its items.

    Raises UsageError for anything in which no message of the assistant is found.
    """
    if isinstance(reply, str):
        return [decode_message(Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=(Text(text=reply),)))]
    records = decode_messages(_messages_of_reply(reply, format), format)
    roles = {one.record.message.role if one.record.message else None for one in records}
    if Role.ASSISTANT not in roles or not roles <= {Role.ASSISTANT, Role.TOOL}:
        found = ", ".join(sorted(role or "no message" for role in roles)) or "nothing"
        raise UsageError(f"the reply holds no message of the assistant but {found}; give others to record")
    return records


def _messages_of_reply(reply: Any, format: str | None) -> list[Any]:
    if not isinstance(reply, list):
        return [reply]
    is_content = all(isinstance(one, str) or (isinstance(one, dict) and "role" not in one) for one in reply)
    if format not in _CONTENT or not is_content:
        return reply
    role, name = _CONTENT[format]
    return [{"role": role, name: reply}] if reply else []


def decode_message(message: Message) -> DecodedRecord:
    """Returns the record of a ``Message`` value."""
    record = Record(key="", message=replace(message, id=""), at=message.at)
    assert record.message is not None
    return DecodedRecord(NAME, jsonio.dumps_exact({"message": message_to_json(record.message)}), record)


def _decode_dict(message: dict[str, Any], format: str, at: int) -> DecodedRecord:
    try:
        body = jsonio.dumps_exact(message)
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
    if response := next(filter(None, map(format_of_response, dicts)), None):
        return response
    given: dict[str, Any] = {"messages": dicts} if system is None else {"system": system, "messages": dicts}
    try:
        return registry.detect(jsonio.dumps(given)[:65536]).name
    except UnreadableSource:
        known = ", ".join(registry.FORMATS)
        raise UsageError(f"the messages are in no format known here; name it as format=, one of {known}") from None
