"""What callers hand in, as records of a known format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clew.codecs import jsonio, registry
from clew.codecs.clew_format import message_to_json
from clew.domain import Message, Record
from clew.engine.ledger import Incoming
from clew.errors import UsageError

#: The format of entries that Clew writes of its own accord.
OWN = "clew"


def own_body(record: Record) -> bytes:
    assert record.message is not None
    return jsonio.dumps({"message": message_to_json(record.message)})


def incoming(messages: list[Any], format: str | None, system: Any, tools: Sequence[Any] | None) -> list[Incoming]:
    dicts = [message for message in messages if not isinstance(message, Message)]
    name = format or _detected(dicts, system)
    codec = registry.codec(name)
    out: list[Incoming] = []
    if system is not None:
        out.append(_system(name, system))
    if tools is not None:
        body = jsonio.dumps({"tools": list(tools)})
        out.append(Incoming(name, body, codec.read(body)))
    for at, message in enumerate(messages):
        out.append(one(message, name, at))
    return out


def one(message: Any, format: str, at: int) -> Incoming:
    if isinstance(message, Message):
        record = Record(key="", message=replace(message, id=""), at=message.at)
        return Incoming(OWN, own_body(record), record)
    if not isinstance(message, dict):
        raise UsageError(f"message {at} is a {type(message).__name__}; give dicts of a known format, or clew.Message")
    try:
        body = jsonio.dumps(message)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"message {at} is no JSON: {error}") from None
    try:
        return Incoming(format, body, registry.codec(format).read(body))
    except ValueError as error:
        raise UsageError(f"message {at} is not {format}: {error}") from None


def _system(format: str, system: Any) -> Incoming:
    """A system prompt that changes is a new version of the same message."""
    provider = format if format in registry.PROVIDERS else "anthropic"
    encoder = registry.encoder(provider)
    body = encoder.system_body(system)
    record = registry.codec(provider).read(body)
    return Incoming(provider, body, replace(record, group="clew:system", revises=True))


def _detected(dicts: list[Any], system: Any) -> str:
    if not dicts:
        return "anthropic"
    given: dict[str, Any] = {"messages": dicts} if system is None else {"system": system, "messages": dicts}
    return registry.detect(jsonio.dumps(given)[:65536]).name
