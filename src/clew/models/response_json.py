"""Taking an answer's JSON apart when nothing about its shape is certain, and what makes it an answer."""

from __future__ import annotations

from typing import Any

from clew.codecs.jsonio import value_at
from clew.domain import Json, Usage
from clew.errors import ModelBadAnswer
from clew.ports import ModelReply, StopReason


def objects_in(value: Any) -> list[Json]:
    """The objects of a list; none when it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text_at(value: Any, *path: str | int) -> str:
    """The text at the end of the path, or an empty one."""
    found = value_at(value, *path)
    return found if isinstance(found, str) else ""


def count_at(value: Any, *path: str | int) -> int:
    """The number at the end of the path, or 0; never below 0."""
    found = value_at(value, *path)
    return max(found, 0) if isinstance(found, int) and not isinstance(found, bool) else 0


def build_reply(text: str, stop: StopReason, *, calls: list[str], usage: Usage | None, by: str) -> ModelReply:
    """The answer, if it is one: text, a call or a refusal. A call is told as such, whatever reason was given."""
    if calls:
        return ModelReply(text, "calls", tuple(calls), usage)
    if not text.strip() and stop not in ("refusal", "calls"):
        why = "it reached its limit before any text" if stop == "length" else f"it stopped with {stop!r}"
        raise ModelBadAnswer(f"{by} gave an empty answer: {why}")
    return ModelReply(text, stop, (), usage)
