"""What callers hand in, taken apart into messages of ours and JSON objects, each with the format it is in.

Contents as ``generate_content`` of Google's SDK takes them: parts and uploaded files without a speaker, and texts
among them, are what the user says.

Chunks of LangChain messages, as a model streams them, put together into the messages that they are pieces of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from clew.codecs import jsonio, registry
from clew.codecs.frameworks import langchain, pydantic_ai
from clew.codecs.frameworks.unread_content import unread_content
from clew.codecs.providers.detection import format_of_message, format_of_response, is_message
from clew.codecs.providers.gemini_parts import CALLS_MADE, calls_made, snake
from clew.codecs.sdk_objects import has_fields, plain, without_nulls
from clew.codecs.sources import HEAD_BYTES
from clew.domain import Json, Message, Part
from clew.errors import UnreadableSource, UsageError

_CHUNK = "MessageChunk"
KNOWN = (
    "give objects or dicts of the Anthropic, OpenAI or Gemini SDK, of LangChain, Pydantic AI or the OpenAI Agents SDK, "
    'or messages made by clew.user("…") and clew.assistant("…")'
)
_CALLS_MADE = (CALLS_MADE, snake(CALLS_MADE))
_MOST_FIELDS, _MOST_CHARACTERS = 5, 40
#: What messages of a role and a text are taken for.
_PLAIN_FORMAT = "openai-chat"
_PLAIN_KEYS, _PLAIN_ROLES = {"role", "content"}, ("user", "assistant", "system", "developer")


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """Instructions that came inside a message; they hold from there on."""

    text: str


@dataclass(frozen=True, slots=True)
class WireMessage:
    """A message or response as an API has it; ``at`` is its place among what was handed in."""

    data: Json
    format: str
    at: int


Item = Message | SystemPrompt | WireMessage


@dataclass(frozen=True, slots=True)
class _Unnamed:
    """An object of an API whose format is not known yet, and the value that it was made of."""

    data: Json
    value: Any
    at: int


def items_of(given: Any, format: str | None, system: Any = None, *, is_sent: bool = False) -> list[Item]:
    """Returns the items of whatever was handed in: one thing or many, of one kind or of several.

    Dicts are taken to be in ``format``; without one it is found for each. They may be dumps, whose nulls say nothing,
    unless the caller has written them to be sent. Raises UsageError for what is not understood.
    """
    items: list[Item | _Unnamed] = []
    for index, value in enumerate(_values(given)):
        items.extend(_open_value(value, index, format))
    unnamed = [item.data for item in items if isinstance(item, _Unnamed)]
    common = format or (_common_format(unnamed, system) if unnamed else "")
    about = {"is_given": bool(format), "is_sent": is_sent}
    return [_wire_message(item, common, **about) if isinstance(item, _Unnamed) else item for item in items]


def format_of(items: Iterable[Item], format: str | None) -> str:
    """Returns the format that a system prompt and tools beside these items are in."""
    named = (item.format for item in items if isinstance(item, WireMessage))
    return format or next(named, "anthropic")


def describe_value(value: Any) -> str:
    """Returns what a value is, for an error: its type, and the first of its fields or the value itself."""
    kind = type(value)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    if isinstance(value, str | int | float | list | tuple | None):
        return f"of type {name}: {_short(repr(value))}"
    try:
        fields = plain(value)
    except (ValueError, RecursionError):
        fields = {}
    shown = islice(fields.items(), _MOST_FIELDS) if isinstance(fields, dict) else ()
    names = [_short(f"role {one!r}" if name == "role" else str(name)) for name, one in shown]
    return f"of type {name} with {', '.join(names)}" if names else f"of type {name}, without fields"


def _short(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


# ── one thing or many ────────────────────────────────────────────────────────────────────────────────


def _values(given: Any) -> Iterator[Any]:
    """The values that were handed in. Objects of Pydantic and mappings can be iterated, too, and are one."""
    is_many = isinstance(given, Iterable) and not isinstance(given, Mapping | str | bytes | Message | Part)
    if is_many and not has_fields(given):
        for value in with_user_contents(merged_chunks(given)):
            yield from _unwrap_run(value)
    else:
        for value in with_user_contents([given]):
            yield from _unwrap_run(value)


def _unwrap_run(value: Any) -> Iterator[Any]:
    """The messages of an agent's run, or the one that an item of it wraps."""
    if hasattr(value, "new_items") and hasattr(value, "raw_responses"):  # a result of the OpenAI Agents SDK
        asked = value.input
        yield from [{"role": "user", "content": asked}] if isinstance(asked, str) else _values(asked)
        yield from _values(value.new_items)
    elif callable(getattr(value, "all_messages", None)):  # a result of Pydantic AI
        yield from value.all_messages()
    elif hasattr(value, "raw_item"):  # an item of such a run; one that waits for approval repeats its call
        if getattr(value, "type", "") != "tool_approval_item":
            yield value.raw_item
    else:
        yield value


def _open_value(value: Any, at: int, format: str | None) -> Iterator[Item | _Unnamed]:
    """What a value says: messages of ours, or one object of an API."""
    if isinstance(value, Message):
        yield value
        return
    if isinstance(value, Part | str):
        raise _unknown(value, at)
    try:
        data = plain(value)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"message {at} cannot be read: {error}") from None
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise _unknown(value, at)
    framework = None if format and isinstance(value, dict) else list(_of_framework(data, at))
    if framework:
        yield from framework
    else:
        yield from (_Unnamed(one, value, at) for one in calls_made(data))
        yield _Unnamed({name: data[name] for name in data if name not in _CALLS_MADE}, value, at)


def _of_framework(data: Json, at: int) -> Iterator[Item]:
    try:
        if (fields := langchain.message_fields(data)) is not None:
            yield _understood(langchain.read_message(fields))
        elif pydantic_ai.is_message(data):
            if (text := pydantic_ai.instructions(data)) is not None:
                yield SystemPrompt(text)
            yield from pydantic_ai.read_messages(data)
    except ValueError as error:
        raise UsageError(f"message {at} cannot be read: {error}") from None


def _understood(message: Message) -> Message:
    if (fault := unread_content(message)) is not None:
        raise ValueError(fault)
    return message


def _unknown(value: Any, at: int) -> UsageError:
    if isinstance(value, str):
        return UsageError(f"message {at} is a text, which does not say who speaks; give clew.user({value[:20]!r})")
    if isinstance(value, Part):
        return UsageError(f"message {at} is a part; give clew.user(…) or clew.assistant(…) of it")
    return UsageError(f"message {at} is {describe_value(value)}; no message known here is like it; {KNOWN}")


# ── formats ──────────────────────────────────────────────────────────────────────────────────────────


def _wire_message(unnamed: _Unnamed, common: str, *, is_given: bool, is_sent: bool) -> WireMessage:
    if common not in registry.PROVIDERS:  # a line of a transcript
        return WireMessage(unnamed.data, common, unnamed.at)
    data = unnamed.data if is_sent else without_nulls(unnamed.data)
    own = common if is_given else _own_format(data)
    if own is None and not is_message(data):
        raise _unknown(unnamed.value, unnamed.at)
    shared = "openai-chat" if common == "gemini" else common  # that API alone has other names for role and content
    return WireMessage(_as_response(data), own or shared, unnamed.at)


def _own_format(data: Json) -> str | None:
    return format_of_response(_as_response(data)) or format_of_message(data)


def _as_response(data: Json) -> Json:
    """A choice or a candidate by itself is a response of one."""
    if "role" in data or "type" in data:
        return data
    if isinstance(data.get("message"), dict) and "finish_reason" in data:
        return {"choices": [data]}
    if isinstance(data.get("content"), dict) and "parts" in data["content"]:
        return {"candidates": [data]}
    return data


def _common_format(dicts: list[Json], system: Any) -> str:
    """The format of dicts that show no sign of one: what all together look like, else that of another among them."""
    if system is None and all(map(_is_plain, dicts)):
        return _PLAIN_FORMAT  # what looking closely would say as well
    given: Json = {} if system is None else {"system": system}
    try:
        head = jsonio.dumps(given | {"messages": list(_first(dicts))})
        return registry.detect(head[:HEAD_BYTES]).name
    except (UnreadableSource, TypeError, ValueError, RecursionError):
        return next(filter(None, map(_own_format, dicts)), _PLAIN_FORMAT)


def _is_plain(data: Json) -> bool:
    """A role and a text, in which no format differs from another."""
    return data.keys() == _PLAIN_KEYS and data["role"] in _PLAIN_ROLES and isinstance(data["content"], str)


def _first(dicts: list[Json]) -> Iterator[Json]:
    """As many of the dicts as a file is judged by."""
    size = 0
    for data in dicts:
        yield data
        size += len(jsonio.dumps(data))
        if size > HEAD_BYTES:
            return


def with_user_contents(values: Iterable[Any]) -> Iterator[Any]:
    """Yields the values, with one content of the user in place of parts and files in a row and the texts among them.

    Texts alone stay as they are, since they may be anybody's.
    """
    for is_piece, run in groupby(values, key=_is_piece):
        found = list(run)
        if is_piece and any(not isinstance(one, str) for one in found):
            yield {"role": "user", "parts": [_as_part(one) for one in found]}
        else:
            yield from found


def _is_piece(value: Any) -> bool:
    return isinstance(value, str) or _is_part(value) or _is_file(value)


def _is_part(value: Any) -> bool:
    return has_fields(value) and hasattr(value, "inline_data") and hasattr(value, "function_call")


def _is_file(value: Any) -> bool:
    return has_fields(value) and isinstance(getattr(value, "uri", None), str) and hasattr(value, "mime_type")


def _as_part(value: Any) -> Any:
    if isinstance(value, str):
        return {"text": value}
    if _is_part(value):
        return value
    kind: Json = {} if value.mime_type is None else {"mimeType": value.mime_type}
    return {"fileData": {"fileUri": value.uri} | kind}


def merged_chunks(values: Iterable[Any]) -> Iterator[Any]:
    """Yields the values, with each run of chunks of one message added up as LangChain itself adds them.

    Raises UsageError for dumps of chunks: only the objects can be added.
    """
    run: list[Any] = []
    for index, value in enumerate(values):
        if run and _continues(run[-1], value):
            if isinstance(value, dict):
                raise UsageError(f"message {index} is the dump of a chunk that goes on with the last; dump their sum")
            run.append(value)
            continue
        yield from _sum(run)
        run = [value]
    yield from _sum(run)


def _sum(run: list[Any]) -> Iterator[Any]:
    if len(run) < 2:
        yield from run
    elif type(run[0]).__name__.startswith("AI"):
        yield run[0] + run[1:]  # all at once: one by one takes the square of the time
    else:
        total = run[0]
        for chunk in run[1:]:
            total = total + chunk
        yield total


def _continues(chunk: Any, value: Any) -> bool:
    """True for two chunks of one message: of one kind, and with the same id as far as they have one."""
    if _kind(chunk) is None or _kind(chunk) != _kind(value) or _field(chunk, "chunk_position") == "last":
        return False
    if _field(chunk, "tool_call_id") != _field(value, "tool_call_id"):
        return False
    ids = {_field(chunk, "id"), _field(value, "id")} - {None}
    return len(ids) < 2


def _kind(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, dict) else type(value).__name__
    return kind if isinstance(kind, str) and kind.endswith(_CHUNK) else None


def _field(value: Any, name: str) -> Any:
    found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
    return found if isinstance(found, str) else None
