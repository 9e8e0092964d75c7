"""The labelled sentences and pairs, and which of them no training may see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zlib import crc32

Row = dict[str, Any]

LASTING = ("instruction", "constraint", "preference", "decision", "requirement")
KINDS = (*LASTING, "task", "none")
PAIR_LABELS = ("contradiction", "update", "neutral", "entailment")
#: Authors whose rows measure and never train: whole voices, so that nothing of them is known.
_HELD_BACK = frozenset({"s07", "s12", "s14", "s40", "p03", "p08"})
#: Characters of a message around a sentence.
_BEFORE, _AFTER = 300, 200
#: Of what the agent said before, the end: there it asks.
_QUESTION = 250


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def held_back(row: Row) -> bool:
    if row["author"] == "given":
        return crc32((row.get("family") or row["context"]).encode()) % 5 == 0
    return row["author"] in _HELD_BACK


def window(row: Row) -> str:
    """The part of a message around a sentence, with the agent's last words before it; empty where there is no more."""
    text, before = row["text"], row.get("before", "")[-_QUESTION:]
    context = f"{before}\n{row['context']}" if before else row["context"]
    at = context.find(text, len(before))
    if at < 0 or context.strip() == text.strip():
        return ""
    return context[max(0, at - _BEFORE) : at + len(text) + _AFTER]
