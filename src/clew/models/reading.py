"""Taking an answer's JSON apart when nothing about its shape is certain, and what makes it an answer."""

from __future__ import annotations

from typing import Any

from clew.domain import Json, Usage
from clew.errors import ModelBadAnswer
from clew.ports import Said, Stop


def dig(value: Any, *path: str | int) -> Any:
    """What lies at the end of the path, or None."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def dicts(value: Any) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text_at(value: Any, *path: str | int) -> str:
    found = dig(value, *path)
    return found if isinstance(found, str) else ""


def count_at(value: Any, *path: str | int) -> int:
    found = dig(value, *path)
    return max(found, 0) if isinstance(found, int) and not isinstance(found, bool) else 0


def said(text: str, stop: Stop, *, calls: list[str], usage: Usage | None, by: str) -> Said:
    """The answer, if it is one: text, a call or a refusal. A call is told as such, whatever reason was given."""
    if calls:
        return Said(text, "calls", tuple(calls), usage)
    if not text.strip() and stop not in ("refusal", "calls"):
        why = "it reached its limit before any text" if stop == "length" else f"it stopped with {stop!r}"
        raise ModelBadAnswer(f"{by} gave an empty answer: {why}")
    return Said(text, stop, (), usage)
