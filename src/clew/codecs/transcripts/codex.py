"""Codex rollouts: JSON lines of a kind and a payload, of which response items are the conversation.

A reply is a run of items (reasoning, text, calls) that join into one message. Events retell the items for the
screen, and are bookkeeping but for rollbacks, and for what they say of the size of the prompt. The first
rollouts were bare items without an envelope.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from clew.codecs import jsonio
from clew.codecs.fields import count_of, list_of, object_of, parse_timestamp, text_of
from clew.codecs.origins import origin_of
from clew.codecs.providers.responses_items import read_item
from clew.codecs.transcripts.codex_writer import session_lines
from clew.codecs.transcripts.jsonl import content_key, head_objects, records
from clew.domain.messages import Message, Origin, Role, Usage
from clew.domain.parts import Json, Output, Status, Text
from clew.domain.records import ContextReport, Record, SessionFacts
from clew.domain.reports import SkippedRecord
from clew.ports import RawRecord

NAME = "codex"
_KINDS = {"session_meta", "response_item", "compacted", "turn_context", "event_msg"}
_BARE_ITEMS = {"message", "reasoning"}
#: Items that are the client's own: snapshots of the work tree.
_OWN_ITEMS = {"", "ghost_snapshot", "other"}
_HEADER = re.compile(
    r"(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?(?:Process exited with code|Exit code:) (-?\d+)(?:\n|$)"
)
_TIMED_OUT = "command timed out after "
_NEVER_RAN = ("exec command rejected by user", "patch rejected by user", "rejected by user")
_FAILED = ("apply_patch verification failed", "exec_command failed", "execution error", "unsupported call")
#: What tells how a command ended stands before its output.
_HEADER_CHARS = 400


class Codex:
    """Codec of Codex rollouts."""

    name = NAME
    provider = "openai-responses"
    session_lines = staticmethod(session_lines)

    def sniff(self, head: bytes) -> bool:
        return any(map(_is_line, head_objects(head)))

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        return records(stream)

    def read(self, body: bytes) -> Record:
        line = jsonio.loads_object(body)
        message = _message(line)
        of_session = line.get("type") == "session_meta"
        return Record(
            key=content_key(body),
            group=f"{NAME}:instructions" if message and of_session else "",
            revises=of_session and message is not None,
            joins=message is not None and message.role is Role.ASSISTANT,
            message=message,
            rollback=_rollback(line),
            report=_report(line),
            at=parse_timestamp(line.get("timestamp")),
            facts=_facts(line),
        )


def _is_line(data: Json) -> bool:
    if text_of(data, "type") in _KINDS and "timestamp" in data:
        return True
    first_rollouts = "type" not in data and {"id", "timestamp", "instructions"} <= data.keys()
    return first_rollouts or data.get("record_type") == "state"


def _facts(line: Json) -> SessionFacts:
    kind, payload = line.get("type"), object_of(line, "payload")
    if kind is None and "record_type" not in line:
        return SessionFacts(session=text_of(line, "id"), client=NAME)
    if kind == "session_meta":
        session, model = text_of(payload, "id"), text_of(payload, "model")
        return SessionFacts(session=session, client=NAME, cwd=text_of(payload, "cwd"), model=model)
    if kind == "turn_context":
        return SessionFacts(client=NAME, cwd=text_of(payload, "cwd"), model=text_of(payload, "model"))
    if kind == "event_msg" and payload.get("type") == "thread_name_updated":
        return SessionFacts(client=NAME, title=text_of(payload, "thread_name"))
    return SessionFacts(client=NAME)


def _rollback(line: Json) -> int:
    payload = object_of(line, "payload")
    if line.get("type") != "event_msg" or payload.get("type") != "thread_rolled_back":
        return 0
    return count_of(payload, "num_turns")


def _report(line: Json) -> ContextReport | None:
    """What Codex says of its prompt: its window, which leaves room for the answer already, and the last count."""
    kind, payload = line.get("type"), object_of(line, "payload")
    if kind == "compacted":
        return ContextReport(compacted=True)
    info = object_of(payload, "info") if payload.get("type") == "token_count" else payload
    if kind != "event_msg" or "model_context_window" not in info:
        return None
    used = count_of(object_of(info, "last_token_usage"), "total_tokens")
    window = count_of(info, "model_context_window")
    return ContextReport(used=used, window=window, spent=_spent(object_of(info, "total_token_usage")))


def _spent(counts: Json) -> Usage | None:
    """All that the session's requests took so far; what the cache served is counted as sent."""
    names = ("input_tokens", "output_tokens", "cached_input_tokens")
    return Usage(*(count_of(counts, name) for name in names)) if counts else None


def _message(line: Json) -> Message | None:
    kind, payload = text_of(line, "type"), object_of(line, "payload")
    time = parse_timestamp(line.get("timestamp"))
    if kind == "session_meta":
        text = text_of(object_of(payload, "base_instructions"), "text")
        return _text_message(text, role=Role.SYSTEM, origin=Origin.SYSTEM, at=time)
    if kind == "compacted":
        return _text_message(text_of(payload, "message"), role=Role.USER, origin=Origin.SUMMARY, at=time)
    if kind == "response_item":
        return _item(payload, time)
    is_bare = "payload" not in line and (kind in _BARE_ITEMS or kind.endswith(("_call", "_output")))
    return _item(line, time) if is_bare else None


def _text_message(text: str, *, role: Role, origin: Origin, at: float | None) -> Message | None:
    return Message(role=role, parts=(Text(text=text),), origin=origin, at=at) if text else None


def _item(item: Json, at: float | None) -> Message | None:
    """An item of the API. One of a kind that is not known is an opaque part of the reply."""
    if text_of(item, "type") in _OWN_ITEMS:
        return None
    message = read_item(item)
    if message.role is Role.USER:
        origin = Origin.CLIENT if _is_of_client(item) else origin_of(Role.USER, message.parts)
        message = replace(message, origin=origin)
    elif message.role is Role.SYSTEM:  # hooks, permissions and skills: only the base instructions are the caller's
        message = replace(message, origin=Origin.CLIENT)
    parts = tuple(_with_status(part) if isinstance(part, Output) else part for part in message.parts)
    return replace(message, parts=parts, at=at)


def _is_of_client(item: Json) -> bool:
    """Newer rollouts say who gave each piece of a message: the user, or the client and its hooks."""
    about = list_of(object_of(item, "internal_chat_message_metadata_passthrough"), "content_item_metadata")
    kinds = {text_of(object_of(entry, "provenance"), "type") for entry in about if isinstance(entry, dict)}
    return kinds == {"harness"}


def _with_status(output: Output) -> Output:
    """How a call ended: the item does not say, the head of its text does."""
    if output.status is not Status.SUCCESS:
        return output
    text = output.text
    if text.startswith("aborted by user"):
        return replace(output, status=Status.INTERRUPTED)
    if text.startswith(_NEVER_RAN):
        return replace(output, status=Status.CANCELED)
    if text.startswith(_FAILED):
        return replace(output, status=Status.FAILED)
    code = _exit_code(text)
    if not code:
        return output
    timed_out = code == 124 and _TIMED_OUT in text[:_HEADER_CHARS]
    return replace(output, status=Status.TIMEOUT if timed_out else Status.FAILED, reason=f"exit code {code}")


def _exit_code(text: str) -> int:
    if header := _HEADER.match(text[:_HEADER_CHARS]):
        return int(header[1])
    if not text.startswith("{") or '"exit_code"' not in text:
        return 0
    try:
        code = object_of(jsonio.loads_object(text.encode()), "metadata").get("exit_code")
    except ValueError:
        return 0
    return code if isinstance(code, int) else 0
