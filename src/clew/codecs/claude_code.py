"""Claude Code session files: one JSON line for each event.

A reply is spread over several lines with the same message id, and parallel results hang off each of
them, so lines are grouped by message id and never by parent. Everything that is not said to or by the
model (snapshots, progress, titles, queue) is bookkeeping.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from clew.codecs import anthropic, jsonio
from clew.codecs.common import seconds
from clew.domain import Facts, Json, Message, Origin, Output, Part, Record, Role, Skipped, Status
from clew.ports import RawRecord
from clew.text.wrappers import is_injected

NAME = "claude-code"
_MARKS = (b'"sessionId"', b'"isSidechain"', b'"file-history-snapshot"', b'"leafUuid"', b'"parentUuid"')


class ClaudeCode:
    name = NAME

    def sniff(self, head: bytes) -> bool:
        return head.lstrip()[:1] == b"{" and any(mark in head for mark in _MARKS)

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | Skipped]:
        return jsonio.lines(stream)

    def read(self, body: bytes) -> Record:
        line = jsonio.loads_object(body)
        message = _message(line)
        uuid = line.get("uuid")
        return Record(
            key=uuid if isinstance(uuid, str) else "",
            group=_group(line) if message else "",
            message=message,
            at=seconds(line.get("timestamp")),
            facts=_facts(line, message),
        )


def _group(line: Json) -> str:
    identity = line["message"].get("id") if line.get("type") == "assistant" else None
    return identity if isinstance(identity, str) else ""


def _facts(line: Json, message: Message | None) -> Facts:
    def text(name: str) -> str:
        value = line.get(name)
        return value if isinstance(value, str) else ""

    title = text("customTitle") or text("summary") if message is None else ""
    model = message.model or "" if message and not message.thread else ""
    return Facts(session=text("sessionId"), title=title, client=NAME, cwd=text("cwd"), model=model)


def _message(line: Json) -> Message | None:
    kind, body = line.get("type"), line.get("message")
    if kind not in {"user", "assistant"} or not isinstance(body, dict):
        return None
    parts = anthropic.read_content(body.get("content"))
    model = body.get("model")
    return Message(
        role=Role(kind),
        parts=_with_status(parts, line.get("toolUseResult")),
        origin=_origin(line, parts),
        at=seconds(line.get("timestamp")),
        model=model if isinstance(model, str) and model != "<synthetic>" else None,
        usage=anthropic.read_usage(body.get("usage")),
        thread=_thread(line),
    )


def _thread(line: Json) -> str:
    if not line.get("isSidechain"):
        return ""
    agent = line.get("agentId")
    return agent if isinstance(agent, str) else "subagent"


def _origin(line: Json, parts: tuple[Part, ...]) -> Origin:
    if line.get("isCompactSummary"):
        return Origin.SUMMARY
    if line["type"] == "assistant":
        return Origin.CLIENT if line["message"].get("model") == "<synthetic>" else Origin.MODEL
    origin = anthropic.origin_of(Role.USER, parts)
    if origin is Origin.PERSON and (line.get("isMeta") or is_injected(parts)):
        return Origin.CLIENT
    return origin


def _with_status(parts: tuple[Part, ...], result: Any) -> tuple[Part, ...]:
    """The client says beside the output whether the user stopped the tool; the API's block does not."""
    if not isinstance(result, dict) or not result.get("interrupted"):
        return parts
    return tuple(replace(part, status=Status.INTERRUPTED) if isinstance(part, Output) else part for part in parts)
