"""Contents and parts of the Gemini API, read.

Calls and responses often have no id here and are paired by name and order: they get derived ids.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

from clew.codecs import jsonio
from clew.codecs.documents import system_of
from clew.codecs.fields import count_of, expect_text, object_of, text_or_none
from clew.codecs.origins import origin_of
from clew.codecs.providers.conversion import derived_id, is_derived, read_status_line
from clew.codecs.streams.pieces import is_interrupted
from clew.domain.messages import Message, Origin, Role, Usage
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire

NAME = "gemini"
#: What the SDK calls the calls and results that it made by itself, in a response.
CALLS_MADE = "automaticFunctionCallingHistory"
_ROLES = {"user": Role.USER, "model": Role.ASSISTANT, "system": Role.SYSTEM}
#: Roles under which clients send what functions gave back; the API has it in the user's place.
_TOOLS = {"function", "tool"}


def field(data: Json, name: str) -> Any:
    """The API takes every name in both spellings: inlineData and inline_data."""
    return data[name] if name in data else data.get(snake(name))


@cache  # of the few names of the API
def snake(name: str) -> str:
    """A name in the API's other spelling."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def read_part(data: Any) -> Part:
    """One part; what is not modelled stays opaque and whole."""
    wire = Wire(NAME, data)
    if isinstance(data, str):
        return Text(text=data, wire=wire)
    if not isinstance(data, dict):
        return Opaque(kind=type(data).__name__, wire=wire)
    try:
        part = _read_known(data)
    except (KeyError, TypeError, AttributeError):
        part = None
    return replace(part, wire=wire) if part else Opaque(kind=next(iter(data), ""), wire=wire)


def is_malformed(data: Any) -> bool:
    """True for what is no part at all, and for one of a kind that is read here which lacks what such a part has.

    Parts have no type: what has a member that is an object may be one that a later version of the API knows.
    """
    if not isinstance(data, dict):
        return True
    try:
        return _read_known(data) is None and not any(isinstance(member, dict) for member in data.values())
    except (KeyError, TypeError, AttributeError):
        return True


def _read_known(data: Json) -> Part | None:
    if (call := field(data, "functionCall")) is not None:
        name = expect_text(call["name"])
        arguments = {} if call.get("args") is None else call["args"]
        return Call(id=text_or_none(call.get("id")) or derived_id(name, 0), name=name, arguments=arguments)
    if (response := field(data, "functionResponse")) is not None:
        return _read_response(response)
    if (inline := field(data, "inlineData")) is not None:
        shown = text_or_none(field(inline, "displayName"))
        return Media(media_type=expect_text(field(inline, "mimeType")), data=expect_text(inline["data"]), name=shown)
    if (file := field(data, "fileData")) is not None:
        kind = text_or_none(field(file, "mimeType")) or "application/octet-stream"
        return Media(media_type=kind, url=expect_text(field(file, "fileUri")))
    if "text" not in data:
        return None
    text, signature = expect_text(data["text"]), text_or_none(field(data, "thoughtSignature"))
    if data.get("thought") or (signature and not text):  # streams end with the signature of thoughts that nobody saw
        return Reasoning(text=text, seal=signature)
    return Text(text=text)


def _read_response(data: Json) -> Output:
    name = expect_text(data["name"])
    text, status = _response_text(data.get("response"))
    content = [Text(text=text)] if text is not None else []
    media = [read_part(part) for part in data.get("parts") or []]
    unmarked, marked_as = read_status_line([*content, *media])
    return Output(
        call_id=text_or_none(data.get("id")) or derived_id(name, 0),
        content=unmarked,
        status=status if marked_as is Status.SUCCESS else marked_as,
        name=name,
    )


def _response_text(response: Any) -> tuple[str | None, Status]:
    """The text of a response: under the names that the API suggests, else all of it as JSON."""
    if not response:
        return None, Status.SUCCESS
    if not isinstance(response, dict):
        return jsonio.dumps(response).decode("utf-8"), Status.SUCCESS
    status = Status.FAILED if response.get("error") or response == {"error": ""} else Status.SUCCESS
    if len(response) == 1:
        (name, value), *_ = response.items()
        if name in {"output", "error", "result", "content"} and isinstance(value, str):
            return value, status
    return jsonio.dumps(response).decode("utf-8"), status


def read_content(data: Json) -> tuple[Part, ...]:
    """The parts, with derived ids counted by name, so that parallel calls and responses pair in order."""
    parts = data.get("parts")
    counts: Counter[tuple[type, str]] = Counter()
    return tuple(_with_derived_id(read_part(part), counts) for part in (parts if isinstance(parts, list) else []))


def _with_derived_id(part: Part, counts: Counter[tuple[type, str]]) -> Part:
    if not isinstance(part, Call | Output) or not is_derived(id_of(part)):
        return part
    name = part.name or ""
    nth = counts[type(part), name]
    counts[type(part), name] += 1
    return with_id(part, derived_id(name, nth))


def id_of(part: Call | Output) -> str:
    """The id that pairs a call with its output."""
    return part.id if isinstance(part, Call) else part.call_id


def with_id(part: Call | Output, id: str) -> Part:
    """The call or output under another id."""
    return replace(part, id=id) if isinstance(part, Call) else replace(part, call_id=id)


def read_message(data: Json) -> Message:
    """A content, or the system instruction as a request has it: beside the contents."""
    system = system_of(data)
    named = str(data.get("role", "user"))
    role = Role.SYSTEM if system is not None else Role.USER if named in _TOOLS else _ROLES.get(named)
    if role is None or (system is None and "parts" not in data and "content" not in data):
        raise ValueError(f"no content of the Gemini API: role {data.get('role')!r}")
    parts = read_content(as_content(data.get("content") if system is None and "content" in data else system or data))
    # A function speaks in the user's place, and may do so in plain text.
    origin = Origin.TOOL if named in _TOOLS else origin_of(role, parts)
    return Message(role=role, parts=parts, origin=origin, wire=Wire(NAME, data))


def calls_made(response: Json) -> list[Json]:
    """The contents that the SDK adds to a response of what it did by itself: the model's calls and their results.

    It lists them behind all that it was asked with; what follows the user's last words is new.
    """
    history = field(response, CALLS_MADE)
    contents = [element for element in history if isinstance(element, dict)] if isinstance(history, list) else []
    asked = [
        index for index, content in enumerate(contents) if content.get("role") != "model" and not _is_result(content)
    ]
    return contents[asked[-1] + 1 if asked else 0 :]


def _is_result(content: Json) -> bool:
    return any(isinstance(part, Output) for part in read_content(content))


def read_response(data: Json) -> Message:
    """The reply in a whole response: its first candidate, which may be empty where the API stopped it."""
    candidate = next((candidate for candidate in data["candidates"] if isinstance(candidate, dict)), None)
    if candidate is None:
        raise ValueError("a response of the Gemini API without a candidate")
    content = object_of(candidate, "content")
    message = read_message({"role": "model", "parts": []} | content)
    return replace(
        message,
        model=text_or_none(field(data, "modelVersion")),
        usage=_usage(field(data, "usageMetadata")),
        interrupted=is_interrupted(data),
        stop_reason=text_or_none(field(candidate, "finishReason")),
    )


def _usage(counts: Any) -> Usage | None:
    """Tokens of thoughts are counted beside those of the answer; both are output."""
    if not isinstance(counts, dict) or not isinstance(field(counts, "promptTokenCount"), int):
        return None
    output = _count(counts, "candidatesTokenCount") + _count(counts, "thoughtsTokenCount")
    return Usage(_count(counts, "promptTokenCount"), output, _count(counts, "cachedContentTokenCount"))


def _count(counts: Json, name: str) -> int:
    return count_of({name: field(counts, name)}, name)


def as_content(value: Any) -> Json:
    """A system instruction may be a content, a part, or no more than its text."""
    if isinstance(value, dict) and "parts" in value:
        return value
    return {"parts": value if isinstance(value, list) else [value]}
