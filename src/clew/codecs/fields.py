"""Fields of wire records, read without trusting their shape: what is of another kind counts as missing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from clew.domain import Json


def expect_text(value: Any) -> str:
    """The value, when it is text; a TypeError tells a reader to leave the block opaque."""
    if not isinstance(value, str):
        raise TypeError("expected text")
    return value


def text_or_none(value: Any) -> str | None:
    """The value, when it is text."""
    return value if isinstance(value, str) else None


def text_of(data: Json, name: str) -> str:
    """A member that should be text, or nothing."""
    value = data.get(name)
    return value if isinstance(value, str) else ""


def object_of(data: Json, name: str) -> Json:
    """A member that should be an object, or an empty one."""
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def list_of(data: Json, name: str) -> list[Any]:
    """A member that should be a list, or an empty one."""
    value = data.get(name)
    return value if isinstance(value, list) else []


def count_of(data: Json, name: str) -> int:
    """A member that should be a number of 0 or more, or 0."""
    value = data.get(name)
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0


def timestamp(seconds: float) -> str:
    """Seconds since 1970 as ISO 8601 text, in UTC and to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_timestamp(value: Any) -> float | None:
    """ISO 8601 text, or milliseconds or seconds since 1970; None for anything else."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return value / 1000 if value > 1e11 else float(value)
    return None
