"""Messages of Gemini CLI's recordings: what was typed, and a reply with its thoughts, calls and their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from clew.codecs.fields import count_of, list_of, object_of, parse_timestamp, text_of
from clew.codecs.origins import origin_of
from clew.codecs.providers.gemini_parts import read_content
from clew.domain.messages import Message, Origin, Role, Usage
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire
from clew.text.injected_text import as_reminder

_WIRE = "gemini-cli"
#: Notices for the screen; the model never sees them.
_NOTICES = {"info", "error", "warning"}
_STATUS = {"success": Status.SUCCESS, "error": Status.FAILED, "cancelled": Status.CANCELED}
#: How the client begins what it says in the user's name: the setting of the work, and what it made of older messages.
_SETTINGS = ("This is the Gemini CLI.", "<session_context>")
_SUMMARY = "<state_snapshot>"
_FILES = "--- Content from referenced files ---"


def read_message(data: Json) -> Message | None:
    """The message of a record; None for a notice. A record of a kind that is not known is kept as an opaque part."""
    kind = text_of(data, "type")
    if kind in _NOTICES:
        return None
    if kind not in ("user", "gemini"):
        parts: tuple[Part, ...] = (Opaque(kind=kind or "message", wire=Wire(_WIRE, data)),)
        return Message(role=Role.USER, origin=Origin.CLIENT, parts=parts, at=parse_timestamp(data.get("timestamp")))
    parts = tuple(_typed_parts(data)) if kind == "user" else tuple(_reply(data))
    message = Message(
        role=Role.USER if kind == "user" else Role.ASSISTANT,
        parts=parts,
        at=parse_timestamp(data.get("timestamp")),
        model=text_of(data, "model") or None,
        usage=_usage(object_of(data, "tokens")),
    )
    return replace(message, origin=origin(message))


def is_persons(data: Json) -> bool:
    """True for a record that begins an exchange."""
    message = read_message(data)
    return message is not None and message.origin is Origin.PERSON


def origin(message: Message) -> Origin:
    """Whose words a message holds: the client speaks in the user's name as well."""
    if message.role is Role.USER and message.text.lstrip().startswith(_SETTINGS):
        return Origin.CLIENT
    if message.role is Role.USER and message.text.lstrip().startswith(_SUMMARY):
        return Origin.SUMMARY
    return origin_of(message.role, message.parts)


def starts_checkpoint(found: Any) -> bool:
    """Is this a list of contents, bare or as a history, that begins as the client begins a chat?"""
    contents = list_of(found, "history") if isinstance(found, dict) else found
    first = contents[0] if isinstance(contents, list) and contents else None
    if not isinstance(first, dict) or not isinstance(first.get("parts"), list):
        return False
    texts = [text_of(part, "text") for part in first["parts"] if isinstance(part, dict)]
    return any(text.lstrip().startswith(_SETTINGS) for text in texts)


def _content(value: Any) -> tuple[Part, ...]:
    """Content as the API's library takes it: a text, a part, or a list of both."""
    if value is None or value == "":
        return ()
    return read_content({"parts": value if isinstance(value, list) else [value]})


def _typed_parts(data: Json) -> Iterator[Part]:
    """What was typed. Files that it names are read by the client: their content gives no orders."""
    is_file = False
    for part in _content(data.get("content")):
        is_file = is_file or (isinstance(part, Text) and part.text.strip().startswith(_FILES))
        is_given = is_file and isinstance(part, Text) and bool(part.text.strip())
        yield replace(part, text=as_reminder(part.text)) if isinstance(part, Text) and is_given else part


def _reply(data: Json) -> Iterator[Part]:
    yield from (_thought(one) for one in list_of(data, "thoughts"))
    said = _content(data.get("content"))
    yield from said
    for one in list_of(data, "toolCalls"):
        yield from _call(one, said)


def _thought(one: Any) -> Part:
    if not isinstance(one, dict):
        return Opaque(kind="thought", wire=Wire(_WIRE, one))
    return Reasoning(text="\n".join(filter(None, (text_of(one, "subject"), text_of(one, "description")))))


def _call(one: Any, said: tuple[Part, ...]) -> Iterator[Part]:
    """A call and what came of it. A message that was made from the API's history says the call in its content too."""
    if not isinstance(one, dict) or not text_of(one, "name"):
        yield Opaque(kind="toolCall", wire=Wire(_WIRE, one))
        return
    call = Call(id=text_of(one, "id") or f"call-{one['name']}", name=one["name"], arguments=one.get("args") or {})
    same = (
        part for part in said if isinstance(part, Call) and (part.name, part.arguments) == (call.name, call.arguments)
    )
    known = next(same, None)
    if known is None:
        yield call
    if text_of(one, "status") in _STATUS:
        yield _output(one, (known or call).id)


def _output(one: Json, call_id: str) -> Output:
    parts = _content(one.get("result"))
    given = [inner for part in parts for inner in (part.content if isinstance(part, Output) else (part,))]
    shown = one.get("resultDisplay")
    if not given and isinstance(shown, str) and shown:
        given = [Text(text=shown)]
    said = next((part.status for part in parts if isinstance(part, Output)), Status.SUCCESS)
    status = _STATUS[one["status"]]
    return Output(
        call_id=call_id,
        content=tuple(map(_inner, given)),
        status=said if status is Status.SUCCESS else status,
        name=one["name"],
    )


def _inner(part: Part) -> Part:
    """Outputs hold no calls or reasoning of their own."""
    return part if isinstance(part, Text | Media | Opaque) else Opaque(kind="part", wire=part.wire)


def _usage(tokens: Json) -> Usage | None:
    """Tokens of thoughts are counted beside those of the answer; both are output."""
    total = count_of(tokens, "input") + count_of(tokens, "output")
    output = count_of(tokens, "output") + count_of(tokens, "thoughts")
    return Usage(count_of(tokens, "input"), output, count_of(tokens, "cached")) if total else None
