"""Session files of the Copilot command line: one JSON event a line, with what it is about in ``data``.

A user's message is kept as typed, without the date and reminders that the client adds on its way to the
model. The system prompt is told anew at every turn, and counts as one message that may change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.fields import list_of, object_of, parse_timestamp, text_of
from clew.codecs.origins import origin_of
from clew.codecs.providers.conversion import read_arguments
from clew.codecs.transcripts.jsonl import content_key, head_objects, records
from clew.domain.messages import Message, Origin, Role
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire
from clew.domain.records import Record, SessionFacts
from clew.domain.reports import SkippedRecord
from clew.ports import RawRecord

NAME = "copilot"
_FAMILIES = {"session", "user", "assistant", "tool", "system", "hook", "permission", "subagent", "skill", "abort"}
#: How the answer to a question begins: typed, or picked from the choices.
_RESPONDED = re.compile(r"\AUser (?:responded|selected): ")
_EXIT_CODE = re.compile(r"exit code (\d+)>\s*\Z")
#: The last line of a command's output tells its exit code; no need to look through all of it.
_EXIT_CODE_CHARS = 200


class Copilot:
    """Codec of the session files of the Copilot command line."""

    name = NAME

    def sniff(self, head: bytes) -> bool:
        return any(_is_event(data) for data in head_objects(head))

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        return records(stream)

    def read(self, body: bytes) -> Record:
        event = jsonio.loads_object(body)
        kind, data = text_of(event, "type"), object_of(event, "data")
        reader = _READERS.get(kind)
        message = reader(event, data) if reader else None
        return Record(
            key=text_of(event, "id") or content_key(body),
            group=f"{NAME}:{data.get('role')}" if message and kind == "system.message" else "",
            revises=message is not None and kind == "system.message",
            message=message,
            at=parse_timestamp(event.get("timestamp")),
            facts=_facts(kind, data),
        )


def _is_event(data: Json) -> bool:
    family = text_of(data, "type").partition(".")[0]
    return family in _FAMILIES and "data" in data and "parentId" in data and "timestamp" in data


def _facts(kind: str, data: Json) -> SessionFacts:
    is_start = kind in {"session.start", "session.resume"}
    context = data if kind == "session.context_changed" else object_of(data, "context") if is_start else {}
    model = text_of(data, "newModel") if kind == "session.model_change" else text_of(data, "selectedModel")
    return SessionFacts(
        session=text_of(data, "sessionId") if is_start else "",
        title=text_of(data, "title") if kind == "session.title_changed" else "",
        client=NAME,
        cwd=text_of(context, "cwd"),
        model=model if is_start or kind == "session.model_change" else "",
    )


def _thread(event: Json, data: Json) -> str:
    """A subagent is known by its own id, or by the call that started it."""
    return text_of(event, "agentId") or text_of(data, "parentToolCallId")


def _user(event: Json, data: Json) -> Message | None:
    parts: tuple[Part, ...] = tuple(_texts(data))
    parts += tuple(filter(None, map(_attached_media, list_of(data, "attachments"))))
    if not parts:
        return None
    origin = origin_of(Role.USER, parts)
    foreign = (
        text_of(data, "source") not in {"", "user"} or data.get("isAutopilotContinuation") or "inputOrigin" in data
    )
    return Message(
        role=Role.USER,
        parts=parts,
        origin=Origin.CLIENT if origin is Origin.PERSON and (foreign or _thread(event, data)) else origin,
        at=parse_timestamp(event.get("timestamp")),
        thread=_thread(event, data),
    )


def _attached_media(attachment: Any) -> Media | None:
    """Files are named by path and read by the model itself; only what is inside the event has content."""
    if not isinstance(attachment, dict) or not text_of(attachment, "data"):
        return None
    name = text_of(attachment, "displayName") or None
    return Media(media_type=text_of(attachment, "mimeType"), data=attachment["data"], name=name)


def _assistant(event: Json, data: Json) -> Message | None:
    parts = [*_reasoning(data), *_texts(data), *_calls(data)]
    if not parts:
        return None
    return Message(
        role=Role.ASSISTANT,
        parts=tuple(parts),
        origin=Origin.MODEL,
        at=parse_timestamp(event.get("timestamp")),
        model=text_of(data, "model") or None,
        thread=_thread(event, data),
    )


def _reasoning(data: Json) -> Iterator[Part]:
    text = text_of(data, "reasoningText")
    seal = text_of(data, "reasoningOpaque") or text_of(data, "encryptedContent")
    if text or seal:
        yield Reasoning(text=text, seal=seal or None)


def _texts(data: Json) -> Iterator[Part]:
    content = data.get("content")
    if isinstance(content, str) and content:
        yield Text(text=content)
    elif content:
        yield Opaque(kind="content", wire=Wire(NAME, content))


def _calls(data: Json) -> Iterator[Part]:
    for request in list_of(data, "toolRequests"):
        if isinstance(request, dict) and text_of(request, "toolCallId"):
            arguments = read_arguments(request.get("arguments"))
            yield Call(id=request["toolCallId"], name=text_of(request, "name"), arguments=arguments)
        else:
            yield Opaque(kind="toolRequest", wire=Wire(NAME, request))


def _output(event: Json, data: Json) -> Message | None:
    call_id = text_of(data, "toolCallId")
    if not call_id:
        return None
    status, reason = _ending(data)
    return Message(
        role=Role.TOOL,
        parts=(Output(call_id=call_id, content=_content(data), status=status, reason=reason),),
        origin=Origin.TOOL,
        at=parse_timestamp(event.get("timestamp")),
        thread=_thread(event, data),
    )


def _content(data: Json) -> tuple[Part, ...]:
    result = object_of(data, "result")
    text = text_of(result, "content") or text_of(object_of(data, "error"), "message")
    media = (_attached_media(item) for item in list_of(result, "contents"))
    return (*((Text(text=text),) if text else ()), *filter(None, media))


def _ending(data: Json) -> tuple[Status, str | None]:
    """How a call ended, and why; of a question that a person answered, what they said."""
    if data.get("success") is False:
        error = object_of(data, "error")
        refused = text_of(error, "code") in {"denied", "rejected"}
        return Status.CANCELED if refused else Status.FAILED, text_of(error, "message") or None
    content = text_of(object_of(data, "result"), "content")
    if text_of(object_of(object_of(data, "toolTelemetry"), "properties"), "outcome") == "answered":
        return Status.SUCCESS, _RESPONDED.sub("", content, count=1).strip() or None
    code = _EXIT_CODE.search(content[-_EXIT_CODE_CHARS:])
    if code and code[1] != "0":
        return Status.FAILED, f"exit code {code[1]}"
    return Status.SUCCESS, None


def _system(event: Json, data: Json) -> Message | None:
    return _text_message(event, data.get("content"), role=Role.SYSTEM, origin=Origin.SYSTEM)


def _notification(event: Json, data: Json) -> Message | None:
    return _text_message(event, data.get("content"), role=Role.USER, origin=Origin.CLIENT)


def _summary(event: Json, data: Json) -> Message | None:
    return _text_message(event, data.get("summaryContent"), role=Role.USER, origin=Origin.SUMMARY)


def _text_message(event: Json, text: Any, *, role: Role, origin: Origin) -> Message | None:
    if not isinstance(text, str) or not text:
        return None
    time, thread = parse_timestamp(event.get("timestamp")), text_of(event, "agentId")
    return Message(role=role, parts=(Text(text=text),), origin=origin, at=time, thread=thread)


_READERS: dict[str, Callable[[Json, Json], Message | None]] = {
    "user.message": _user,
    "assistant.message": _assistant,
    "tool.execution_complete": _output,
    "system.message": _system,
    "system.notification": _notification,
    "session.compaction_complete": _summary,
}
