"""Arguments that several tools take, and checks that say what to do instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from mcp.types import ToolAnnotations
from pydantic import Field

from clew.errors import UsageError
from clew.replies.values import MAX_ITEMS
from clew.text.plurals import pluralise

SessionName = Annotated[
    str | None,
    Field(description="Id of a session, or the start of one; without it, the newest of your working folder."),
]
Cursor = Annotated[str | None, Field(description="next_cursor of the answer before, for the next page.")]

#: The arguments that name a run of a part's characters.
CharacterRange = tuple[float | None, float | None]
_RANGE, _MOST_CHARS = ("offset", "limit"), 10**9

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
REPEATS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def ensure_short(text: str, *, name: str, most: int, instead: str) -> None:
    """Raises UsageError for a text that is longer than it may be."""
    if len(text) > most:
        raise UsageError(f"{name} has {pluralise(len(text), 'character')}, and at most {most:,} are taken; {instead}")


def ensure_few(ids: Sequence[str]) -> None:
    """Raises UsageError for more ids than one answer is about."""
    if len(ids) > MAX_ITEMS:
        raise UsageError(f"conversation_ids has {len(ids)} ids, and at most {MAX_ITEMS} are taken; ask in turns")


def character_range(ids: Sequence[str], given: CharacterRange) -> tuple[int, int]:
    """Returns the first character of a part that is to be read and the most of them, 0 for all. Raises UsageError for
    a range of several parts.
    """
    offset, limit = (whole_number(one, name=name, most=_MOST_CHARS) for one, name in zip(given, _RANGE, strict=True))
    if (offset or limit) and len(ids) != 1:
        raise UsageError("offset and limit are of one part; name one id")
    return offset or 0, limit or 0


def whole_number(value: float | None, *, name: str, most: int) -> int | None:
    """Returns a number as it is used: whole, and no larger than makes sense. Raises UsageError for one below zero."""
    if value is None:
        return None
    if value < 0 or value != value // 1:
        raise UsageError(f"{name} must be a whole number of 0 or more, not {value:g}")
    return int(min(value, most))
