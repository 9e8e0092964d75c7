"""The end of a transcript of Claude Code, from its newest summary on: what hooks have added there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

_SUMMARY = (b'"isCompactSummary":true', b'"isCompactSummary": true')


def has_added(path: Path, beginnings: Sequence[str]) -> bool:
    """Returns True where a text that begins so was added since the newest summary, and a reply has followed it: then
    it is part of the conversation. Before that, Claude Code leaves it out of a session that is resumed.
    """
    data = path.read_bytes()
    start = max(data.rfind(mark) for mark in _SUMMARY)
    wanted, is_added = [beginning.encode() for beginning in beginnings], False
    for line in data[max(start, 0) :].splitlines():
        if b"hook_additional_context" in line and any(text in line for text in wanted):
            is_added = is_added or _is_addition(line)
        elif is_added and b'"assistant"' in line and _kind(line) == "assistant":
            return True
    return False


def _is_addition(line: bytes) -> bool:
    """True for what a hook added; the same words may be quoted by anybody."""
    return _kind(line) == "attachment"


def _kind(line: bytes) -> str:
    try:
        record = json.loads(line)
    except ValueError:
        return ""
    return str(record.get("type", "")) if isinstance(record, dict) else ""
