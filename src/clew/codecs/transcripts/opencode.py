"""opencode sessions as ``opencode export`` writes them: one JSON document with all messages and their parts.

A part of kind "tool" carries a call and what came of it, so a message holds both. A message that is exported
again after it grew has the same id: it takes the place of what was known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.documents import document_records
from clew.codecs.fields import expect_text, list_of, object_of, parse_timestamp, text_of, text_or_none
from clew.codecs.transcripts.jsonl import content_key
from clew.domain.messages import Message, Origin, Role, Usage
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire
from clew.domain.records import Record, SessionFacts
from clew.domain.reports import SkippedRecord
from clew.ports import RawRecord
from clew.text.injected_text import as_reminder, person_words

NAME = "opencode"
#: What the client keeps for itself: borders of steps, snapshots of the files, retries.
_BOOKKEEPING = {"step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction"}
_SESSION = re.compile(rb'\{\s*"info"\s*:\s*\{')
_FIRST_MESSAGE = re.compile(rb'"messages"\s*:\s*\[\s*\{\s*"(info"\s*:\s*\{|parts"\s*:\s*\[)')


class OpenCode:
    """Codec of opencode's exports."""

    name = NAME

    def sniff(self, head: bytes) -> bool:
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if _SESSION.match(start) and (b'"projectID"' in head or b'"directory"' in head):
            return True
        return start.startswith(b"{") and b'"info"' in head and _FIRST_MESSAGE.search(head) is not None

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        return document_records(stream, ("messages",))

    def read(self, body: bytes) -> Record:
        data = jsonio.loads_object(body)
        info = object_of(data, "info")
        if "parts" not in data:
            return Record(key=content_key(body), facts=_session_facts(info))
        message = _message(info, list_of(data, "parts"))
        facts = SessionFacts(
            session=text_of(info, "sessionID"),
            client=NAME,
            cwd=text_of(object_of(info, "path"), "cwd"),
            model=message.model or "" if message else "",
        )
        group = text_of(info, "id") if message else ""
        time = parse_timestamp(object_of(info, "time").get("created"))
        return Record(key=content_key(body), group=group, revises=bool(group), message=message, at=time, facts=facts)


def _session_facts(info: Json) -> SessionFacts:
    if not info:
        return SessionFacts()
    title, cwd = text_of(info, "title"), text_of(info, "directory")
    return SessionFacts(session=text_of(info, "id"), title=title, client=NAME, cwd=cwd)


def _message(info: Json, blocks: list[Any]) -> Message | None:
    role = info.get("role")
    if role not in ("user", "assistant"):
        raise ValueError(f"no role of an opencode message: {role!r}")
    parts = tuple(part for block in blocks for part in read_part(block))
    if not parts:
        return None
    origin = _origin(info, blocks)
    return Message(
        role=Role(role),
        parts=tuple(map(_as_reminder, parts)) if origin is Origin.PERSON else parts,
        origin=origin,
        at=parse_timestamp(object_of(info, "time").get("created")),
        model=(text_of(info, "modelID") or text_of(object_of(info, "model"), "modelID") or None)
        if role == "assistant"
        else None,
        usage=_usage(object_of(info, "tokens")),
    )


def _origin(info: Json, blocks: list[Any]) -> Origin:
    if info["role"] == "assistant":
        return Origin.SUMMARY if info.get("summary") is True else Origin.MODEL
    return Origin.PERSON if any(map(_is_own, blocks)) else Origin.CLIENT


def _is_own(block: Any) -> bool:
    """Words that were typed, or media that were given; what the client made of them is its own."""
    if not isinstance(block, dict) or block.get("synthetic") or block.get("ignored"):
        return False
    return block.get("type") == "file" or (block.get("type") == "text" and bool(person_words(text_of(block, "text"))))


def _as_reminder(part: Part) -> Part:
    """The client's words beside a person's, marked as what they are: a file that it read gives no orders."""
    data = part.wire.data if part.wire else {}
    if not isinstance(part, Text) or not (data.get("synthetic") or data.get("type") == "subtask"):
        return part
    return replace(part, text=as_reminder(part.text))


def read_part(block: Any) -> tuple[Part, ...]:
    """What one part says: nothing for bookkeeping, a call and its output for a tool."""
    if not isinstance(block, dict):
        return (Opaque(kind=type(block).__name__, wire=Wire(NAME, block)),)
    kind = block.get("type")
    if not isinstance(kind, str):
        return (_opaque(block),)
    if kind in _BOOKKEEPING or block.get("ignored"):
        return ()
    try:
        return _READERS[kind](block)
    except (KeyError, TypeError):
        return (_opaque(block),)


def _opaque(block: Json) -> Part:
    return Opaque(kind=str(block.get("type", "")), wire=Wire(NAME, block))


def _text(block: Json) -> tuple[Part, ...]:
    text = expect_text(block["text"])
    return (Text(text=text, wire=Wire(NAME, block)),) if text.strip() else ()


def _subtask(block: Json) -> tuple[Part, ...]:
    return (Text(text=expect_text(block["prompt"]), wire=Wire(NAME, block)),)


def _reasoning(block: Json) -> tuple[Part, ...]:
    return (Reasoning(text=expect_text(block["text"]), wire=Wire(NAME, block)),)


def _file(block: Json) -> tuple[Part, ...]:
    mime, url = expect_text(block["mime"]), expect_text(block["url"])
    inline = url.startswith("data:") and "," in url
    return (
        Media(
            media_type=mime,
            data=url.partition(",")[2] if inline else None,
            url=None if inline else url,
            name=text_or_none(block.get("filename")),
            wire=Wire(NAME, block),
        ),
    )


def _tool(block: Json) -> tuple[Part, ...]:
    state = block["state"]
    if not isinstance(state, dict):
        raise TypeError("expected an object")
    id, name = expect_text(block["callID"]), expect_text(block["tool"])
    call = Call(id=id, name=name, arguments=state.get("input") or {}, wire=Wire(NAME, block))
    status = state.get("status") or next((name for name in ("error", "output") if name in state), "")
    ended = _ENDINGS.get(str(status))
    return (call, ended(id, name, state)) if ended else (call,)


def _completed_output(id: str, name: str, state: Json) -> Output:
    attached = tuple(part for block in list_of(state, "attachments") for part in read_part(block))
    return Output(call_id=id, content=(*_text_content(text_of(state, "output")), *attached), name=name)


def _failed_output(id: str, name: str, state: Json) -> Output:
    about, error = object_of(state, "metadata"), text_of(state, "error")
    text = text_of(about, "output") or error
    return Output(
        call_id=id, content=_text_content(text), status=_status(about, error), reason=error or None, name=name
    )


def _status(about: Json, error: str) -> Status:
    if about.get("interrupted") is True or error.startswith("Tool execution aborted"):
        return Status.INTERRUPTED
    return Status.CANCELED if error.startswith("The user rejected permission") else Status.FAILED


def _text_content(text: str) -> tuple[Part, ...]:
    return (Text(text=text),) if text else ()


_ENDINGS = {"completed": _completed_output, "output": _completed_output, "error": _failed_output}
_READERS: dict[str, Callable[[Json], tuple[Part, ...]]] = {
    "text": _text,
    "reasoning": _reasoning,
    "file": _file,
    "tool": _tool,
    "subtask": _subtask,
}


def _usage(tokens: Json) -> Usage | None:
    """The client counts what the cache served beside the input; it fills the window all the same."""
    cache = object_of(tokens, "cache")
    counts = [tokens.get("input"), tokens.get("output"), cache.get("read", 0), cache.get("write", 0)]
    if not all(isinstance(count, int | float) for count in counts):
        return None
    input_tokens, output_tokens, read, write = (int(count) for count in counts if count is not None)
    total = input_tokens + read + write
    return Usage(total, output_tokens, read, write) if total + output_tokens else None
