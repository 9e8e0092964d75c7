"""What assistants put around the output of a tool: exit codes, timings, reminders. Only what is inside is reduced."""

from __future__ import annotations

import re
from typing import NamedTuple

import orjson

_CODEX = re.compile(
    r"(?:Chunk ID: [^\n]{0,80}\n)?(?:Exit code: (?P<code>-?\d{1,6})\n)?Wall time: [^\n]{0,80}\n"
    r"(?P<process>Process [^\n]{0,120}\n)?(?:Original token count: \d{1,12}\n)?(?:Total output lines: \d{1,12}\n)?"
    r"Output:\n(?:Total output lines: \d{1,12}\n\s?)?"
)
_EXIT_LINE = re.compile(r"(?:Exit code:? -?\d{1,6}|Error: Exit code \d{1,6})\n")
_CONTENT = re.compile(r"<path>(?P<path>[^<\n]{1,500})</path>\n<type>\w{1,20}</type>\n<(?:content|entries)>\n?")
_LAST_LINE = re.compile(
    r"\n?(?P<end><(?:shellId: [^>\n]{0,80}|exited with exit code -?\d+)>|\[(?:The command completed with exit code|"
    r"Command finished with exit code|exit code:?) ?-?\d+[^\]\n]{0,80}\])\s*\Z"
)
_CLOSING = re.compile(r"\n?</(?:content|entries|file|output)>\s*\Z")
_REMINDER = "<system-reminder>"
_MAX_TAIL = 4_000


class Envelope(NamedTuple):
    """The body of an output, and the lines that stay above and below it."""

    head: str
    body: str
    tail: str = ""


def open_envelope(text: str) -> Envelope:
    """The output itself, apart from what the assistant wrote around it."""
    head, body = _split_head(text)
    body = _without_reminder(body)
    tail = ""
    if end := _LAST_LINE.search(body, max(0, len(body) - 300)):
        body, tail = body[: end.start()], end["end"]
    elif head.startswith("file ") and (end := _CLOSING.search(body, max(0, len(body) - 40))):
        body = body[: end.start()]
    return Envelope(head, body, tail)


def _split_head(text: str) -> tuple[str, str]:
    if match := _CODEX.match(text):
        process = match["process"].strip() if match["process"] else ""
        return (f"Exit code: {match['code']}" if match["code"] else process), text[match.end() :]
    if match := _EXIT_LINE.match(text):
        return match[0].strip(), text[match.end() :]
    if match := _CONTENT.match(text):
        return f"file {match['path']}", text[match.end() :]
    if text.startswith('{"output":'):
        return _unwrap_json(text)
    return "", text


def _unwrap_json(text: str) -> tuple[str, str]:
    """A shell that answers in JSON: the output as a string, the exit code beside it."""
    try:
        value = orjson.loads(text.encode("utf-8", "replace"))
    except ValueError:
        return "", text
    output, meta = value.get("output"), value.get("metadata")
    if not isinstance(output, str) or not value.keys() <= {"output", "metadata"}:
        return "", text
    code = meta.get("exit_code") if isinstance(meta, dict) else None
    return (f"Exit code: {code}" if isinstance(code, int) else ""), output


def _without_reminder(text: str) -> str:
    """Clients append reminders to what tools give back; they are no part of it."""
    if not text[-200:].rstrip().endswith("</system-reminder>"):
        return text
    index = text.rfind("\n" + _REMINDER, max(0, len(text) - _MAX_TAIL))
    return text if index < 0 else text[:index].rstrip("\n")
