"""Claude Code session files: one JSON line for each event.

A reply is spread over several lines with the same message id, and parallel results hang off each of
them, so lines are grouped by message id and never by parent. What a person types while the assistant
works is delivered without a line of its own: it is found in the log of the queue, which
``claude_code_queue.py`` reads. A compaction is reported by a line that says how large the prompt was.
Everything else that is not said to or by the model (snapshots, progress, titles) is bookkeeping.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.fields import count_of, object_of, parse_timestamp, text_of
from clew.codecs.origins import CONTINUATION_START, origin_of
from clew.codecs.providers import anthropic_blocks
from clew.codecs.transcripts.claude_code_queue import WAITING, PromptQueue, is_client_command
from clew.codecs.transcripts.claude_code_writer import session_lines
from clew.codecs.transcripts.jsonl import content_key, head_objects, records
from clew.domain.messages import Message, Origin, Role
from clew.domain.parts import Json, Output, Part, Status, texts
from clew.domain.records import ContextReport, Record, SessionFacts
from clew.domain.reports import SkippedRecord
from clew.ports import RawRecord

NAME = "claude-code"
#: Types of lines that no other client writes.
_OWN_TYPES = {"file-history-snapshot", "queue-operation", "custom-title", "ai-title", "last-prompt", "pr-link"}
_REFUSED = "The user doesn't want to "
_SAID = "the user said:\n"
_TIMEOUT = re.compile(r"(?:Exit code \d+\n)?Command timed out after ")
_EXIT_CODE = re.compile(r"Exit code (\d+)(?:\n|$)")


class ClaudeCode:
    """Codec of Claude Code's session files."""

    name = NAME
    provider = "anthropic"
    session_lines = staticmethod(session_lines)

    def sniff(self, head: bytes) -> bool:
        return any(_is_line(data) for data in head_objects(head))

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        queue = PromptQueue()
        last: RawRecord | SkippedRecord | None = None
        for raw in records(stream):
            if last is not None:
                yield last
            last = queue.follow(raw) if isinstance(raw, RawRecord) else raw
        waiting = list(queue.waiting())
        ending = [last] if last is not None else []
        # A torn last line stays the last: it is read again when it is whole.
        yield from (*waiting, *ending) if waiting and _is_torn(last) else (*ending, *waiting)

    def read(self, body: bytes) -> Record:
        line = jsonio.loads_object(body)
        at = parse_timestamp(line.get("timestamp"))
        message = _message(line, at)
        return Record(
            key=text_of(line, "uuid") or content_key(body),
            group=_group(line, message) if message else "",
            revises=message is not None and _is_queued(line) and not line.get(WAITING),
            message=message,
            report=_report(line),
            at=at,
            facts=_facts(line, message),
        )


def _is_line(data: Json) -> bool:
    kind = data.get("type")
    return isinstance(kind, str) and (kind in _OWN_TYPES or "isSidechain" in data or "leafUuid" in data)


def _is_torn(raw: RawRecord | SkippedRecord | None) -> bool:
    try:
        return isinstance(raw, RawRecord) and not jsonio.loads_exact(raw.body)
    except ValueError:
        return True


def _is_queued(line: Json) -> bool:
    """Words typed while the assistant worked. Newer files tell of them twice: the group makes them one."""
    return line.get("type") in ("attachment", "queue-operation")


def _group(line: Json, message: Message) -> str:
    if line.get(WAITING):
        return ""
    if _is_queued(line):
        return "queued:" + content_key(message.text.encode())
    return text_of(line["message"], "id") if line["type"] == "assistant" else ""


def _facts(line: Json, message: Message | None) -> SessionFacts:
    titles = ("customTitle", "aiTitle", "summary") if message is None else ()
    return SessionFacts(
        session=text_of(line, "sessionId"),
        title=next(filter(None, (text_of(line, name) for name in titles)), ""),
        client=NAME,
        cwd=text_of(line, "cwd"),
        model=message.model or "" if message and not message.thread else "",
        branch=text_of(line, "gitBranch"),
    )


def _report(line: Json) -> ContextReport | None:
    """A compaction of the main conversation, by the client itself or because the user asked for it."""
    if line.get("subtype") != "compact_boundary" or _thread(line):
        return None
    about = object_of(line, "compactMetadata")
    return ContextReport(
        compacted=True, automatic=text_of(about, "trigger") == "auto", before=count_of(about, "preTokens")
    )


def _message(line: Json, at: float | None) -> Message | None:
    kind, body = line.get("type"), line.get("message")
    if _is_queued(line):
        return _queued_message(line, at)
    if kind not in ("user", "assistant") or not isinstance(body, dict):
        return None
    parts = anthropic_blocks.read_content(body.get("content"))
    model = text_of(body, "model")
    return Message(
        role=Role(kind),
        parts=_with_status(parts, line.get("toolUseResult")),
        origin=_origin(line, parts),
        at=at,
        model=model if model not in {"", "<synthetic>"} else None,
        usage=anthropic_blocks.read_usage(body.get("usage")),
        thread=_thread(line),
    )


def _queued_message(line: Json, at: float | None) -> Message | None:
    attachment = object_of(line, "attachment")
    if attachment.get("type") == "queued_command":
        parts = anthropic_blocks.read_content(attachment.get("prompt"))
    elif _is_delivered(line) or line.get(WAITING):
        parts = anthropic_blocks.read_content(text_of(line, "content") or None)
    else:
        return None
    foreign = not _is_human(attachment) or not _is_prompt(attachment) or bool(_thread(line))
    origin = Origin.CLIENT if foreign else origin_of(Role.USER, parts)
    return Message(role=Role.USER, parts=parts, origin=origin, at=at, thread=_thread(line)) if parts else None


def _is_delivered(line: Json) -> bool:
    """Words that were handed to the model in mid-turn."""
    is_removed = line.get("operation") == "remove" and line.get("reason", "absorbed_mid_turn") == "absorbed_mid_turn"
    return is_removed and not is_client_command(text_of(line, "content"))


def _thread(line: Json) -> str:
    return (text_of(line, "agentId") or "subagent") if line.get("isSidechain") else ""


def _is_human(data: Json) -> bool:
    """Newer files say who sent a prompt: a person, a finished task, another session."""
    return (text_of(object_of(data, "origin"), "kind") or "human") == "human"


def _is_prompt(attachment: Json) -> bool:
    """What waits in the queue may be a notice of a finished task."""
    return (text_of(attachment, "commandMode") or "prompt") == "prompt"


def _origin(line: Json, parts: tuple[Part, ...]) -> Origin:
    if line["type"] == "assistant":
        return Origin.CLIENT if line["message"].get("model") == "<synthetic>" else Origin.MODEL
    if line.get("isCompactSummary") or any(text.startswith(CONTINUATION_START) for text in texts(parts)):
        return Origin.SUMMARY
    origin = origin_of(Role.USER, parts)
    # A subagent's user is the model that gave it its task.
    foreign = line.get("isMeta") or not _is_human(line) or _thread(line) or "sourceToolUseID" in line
    return Origin.CLIENT if origin is Origin.PERSON and foreign else origin


def _with_status(parts: tuple[Part, ...], result: Any) -> tuple[Part, ...]:
    """How calls ended: the API's block says only failed or not, the client says it in words or beside it."""
    if not any(isinstance(part, Output) for part in parts):
        return parts
    interrupted = isinstance(result, dict) and bool(result.get("interrupted"))
    return tuple(_with_outcome(part, interrupted=interrupted) if isinstance(part, Output) else part for part in parts)


def _with_outcome(output: Output, *, interrupted: bool) -> Output:
    if interrupted:
        return replace(output, status=Status.INTERRUPTED)
    if output.status is Status.SUCCESS:
        return output
    text = output.text
    if text.startswith(_REFUSED):
        reason = text.partition(_SAID)[2].strip()
        return replace(output, status=Status.CANCELED, reason=reason or None)
    if "[Request interrupted by user" in text[:200]:
        return replace(output, status=Status.INTERRUPTED)
    if _TIMEOUT.match(text):
        return replace(output, status=Status.TIMEOUT)
    if text.startswith(("<tool_use_error>Sibling tool call errored", "Cancelled: parallel tool call ")):
        return replace(output, status=Status.ABORTED)
    code = _EXIT_CODE.match(text)
    return replace(output, reason=f"exit code {code[1]}") if code else output
