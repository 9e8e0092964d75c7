"""Decodes what callers hand in: messages of a known format, whole responses, a system prompt and tools."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from clew.codecs import jsonio, registry
from clew.codecs.clew_format import NAME
from clew.codecs.clew_values import dump_value
from clew.codecs.frameworks.input_items import (
    KNOWN,
    Item,
    SystemPrompt,
    WireMessage,
    describe_value,
    format_of,
    items_of,
)
from clew.codecs.frameworks.unread_content import unread_content
from clew.codecs.providers.detection import format_of_content
from clew.codecs.providers.tool_definitions import definition_of
from clew.codecs.sdk_objects import plain
from clew.domain import Json, Message, Record, Role, assistant
from clew.engine.ledger.entries import read_shared
from clew.engine.ledger.records import DecodedRecord
from clew.errors import UsageError

#: What a bare list in a reply stands for: the content of one message, in all formats but that of items.
_CONTENT = {
    "anthropic": ("assistant", "content"),
    "openai-chat": ("assistant", "content"),
    "gemini": ("model", "parts"),
}
#: What callers are told to give as tools.
_TOOLS = "give a list of definitions as Anthropic, OpenAI, Gemini or MCP have them, or as your framework does"


def decode_messages(
    messages: Any,
    format: str | None,
    *,
    system: Any = None,
    tools: Sequence[Any] | None = None,
    is_sent: bool = False,
) -> list[DecodedRecord]:
    """Returns records of what a caller gives, system prompt and tools first. Without ``format`` it is found by content.

    Messages are dicts or objects of a provider's SDK or of a framework, or ours, one or many. Nulls in dicts say
    nothing, unless they are those of a request that is sent.
    Raises UsageError for what is none of these.
    """
    _ensure_format(format)
    system = _plain_value(system, "system")
    items = items_of(messages, format, system, is_sent=is_sent)
    name = format_of(items, format)
    out: list[DecodedRecord] = []
    if system is not None:
        out.append(_decode_system(name, system))
    if tools is not None:
        out.append(_decode_tools(tools, name, known=bool(format or items)))
    return out + [_decode_item(item) for item in items]


def decode_reply(reply: Any, format: str | None) -> list[DecodedRecord]:
    """Returns records of a model's reply: a text, a message, a whole response, its content, or a list of its items.

    Raises UsageError for anything in which no message of the assistant is found.
    """
    _ensure_format(format)
    if isinstance(reply, str):
        return [decode_message(assistant(reply))]
    records = decode_messages(_messages_of_reply(reply, format), format)
    roles = {_role(record.record.message) for record in records}
    if Role.ASSISTANT not in roles or not roles <= {Role.ASSISTANT, Role.TOOL}:
        others = ", ".join(sorted(role or "no message" for role in roles)) or "nothing"
        raise UsageError(f"the reply holds no message of the assistant but {others}; give others to record")
    return records


def _ensure_format(format: str | None) -> None:
    if format is not None:
        registry.codec(format)


def _role(message: Message | None) -> Role | None:
    """Who speaks; in some formats tools do in the user's name."""
    is_tool = message is not None and bool(message.parts) and len(message.outputs) == len(message.parts)
    return Role.TOOL if is_tool else message.role if message else None


def _messages_of_reply(reply: Any, format: str | None) -> Any:
    """What a reply consists of; a list without roles is the content of one message."""
    if not isinstance(reply, list | tuple) or not reply:
        return reply
    pieces = [piece if isinstance(piece, str) else _plain_value(piece, "the reply") for piece in reply]
    is_content = all(isinstance(piece, str) or (isinstance(piece, dict) and "role" not in piece) for piece in pieces)
    name = format or (format_of_content(pieces) if is_content else None)
    if name not in _CONTENT or not is_content:
        return reply
    role, member = _CONTENT[name]
    return {"role": role, member: pieces}


def decode_message(message: Message) -> DecodedRecord:
    """Returns the record of a ``Message`` value."""
    record = Record(key="", message=replace(message, id=""), at=message.at)
    assert record.message is not None
    return DecodedRecord(NAME, _dump_json({"message": dump_value(record.message)}, "a message"), record)


def _decode_item(item: Item) -> DecodedRecord:
    if isinstance(item, Message):
        return decode_message(item)
    if isinstance(item, SystemPrompt):
        return _decode_system("anthropic", item.text)
    body = _dump_json(item.data, f"message {item.at}")
    try:
        record = read_shared(item.format, body)
    except ValueError as error:
        raise _not_understood(item, str(error)) from None
    if record.message is not None and (fault := unread_content(record.message)) is not None:
        raise _not_understood(item, fault)
    return DecodedRecord(item.format, body, record)


def _not_understood(item: WireMessage, fault: str) -> UsageError:
    is_api = item.format in registry.PROVIDERS
    named = f'name the format that the messages have, as in format="{_other_format(item.format)}", or {KNOWN}'
    next_step = named if is_api else f"give records as {item.format} has them, or import its file"
    return UsageError(f"message {item.at}, {describe_value(item.data)}, is not {item.format}: {fault}; {next_step}")


def _plain_value(value: Any, what: str) -> Any:
    """What a caller gives beside messages, as JSON values."""
    try:
        return plain(value)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{what} cannot be read: {error}") from None


def _dump_json(value: Any, what: str) -> bytes:
    try:
        return jsonio.dumps_exact(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{what} is no JSON: {error}") from None


def _decode_tools(tools: Sequence[Any], format: str, *, known: bool) -> DecodedRecord:
    """Definitions in one format stay as they are; of several, each is read by itself. The ``format`` is that of the
    messages, where it is ``known``.
    """
    listed = _plain_value(
        tools if isinstance(tools, str | dict) or not isinstance(tools, Iterable) else list(tools), "tools"
    )
    if not isinstance(listed, list):
        raise UsageError(f"tools is {describe_value(listed)}; {_TOOLS}")
    defined = [_definition(tool, index, format if known else "") for index, tool in enumerate(listed)]
    kinds = {kind for kind, _ in defined}
    if len(kinds) > 1:
        read = [
            tool for kind, definition in defined for tool in _read_definitions(kind, [definition]).record.tools or ()
        ]
        body = _dump_json({"tools": [dump_value(tool) for tool in read]}, "tools")
        return DecodedRecord(NAME, body, _read(NAME, body, "tools"))
    return _read_definitions(next(iter(kinds), format), [definition for _, definition in defined])


def _definition(tool: Any, at: int, format: str) -> tuple[str, Json]:
    definition = definition_of(tool, format)
    if definition is None:
        raise UsageError(f"tool {at} is {describe_value(tool)}, which defines no tool that Clew knows; {_TOOLS}")
    return definition


def _read_definitions(format: str, tools: list[Json]) -> DecodedRecord:
    body = _dump_json({"tools": tools}, "tools")
    return DecodedRecord(format, body, _read(format, body, "tools"))


def _decode_system(format: str, system: Any) -> DecodedRecord:
    """A system prompt that changes is a new version of the same message."""
    provider = format if format in registry.PROVIDERS else "anthropic"
    if not isinstance(system, str | list | dict):
        raise UsageError(f"system is {describe_value(system)}; give a text, or blocks as {provider} has them")
    _dump_json(system, "system")
    body = registry.encoder(provider).system_body(system)
    return DecodedRecord(provider, body, replace(_read(provider, body, "system"), group="clew:system", revises=True))


def _read(format: str, body: bytes, what: str) -> Record:
    try:
        return registry.codec(format).read(body)
    except ValueError as error:
        raise UsageError(f"{what} is not as {format} has it: {error}") from None


def _other_format(format: str) -> str:
    return "anthropic" if format == "openai-chat" else "openai-chat"
