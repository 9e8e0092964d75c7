"""Chunks of LangChain messages, as a model streams them, put together into the messages that they are pieces of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clew.errors import UsageError

_CHUNK = "MessageChunk"


def merged_chunks(values: Iterable[Any]) -> Iterator[Any]:
    """Yields the values, with each run of chunks of one message added up as LangChain itself adds them.

    Raises UsageError for dumps of chunks: only the objects can be added.
    """
    run: list[Any] = []
    for at, value in enumerate(values):
        if run and _continues(run[-1], value):
            if isinstance(value, dict):
                raise UsageError(f"message {at} is the dump of a chunk that goes on with the last; dump their sum")
            run.append(value)
            continue
        yield from _sum(run)
        run = [value]
    yield from _sum(run)


def _sum(run: list[Any]) -> Iterator[Any]:
    if len(run) < 2:
        yield from run
    elif type(run[0]).__name__.startswith("AI"):
        yield run[0] + run[1:]  # all at once: one by one takes the square of the time
    else:
        total = run[0]
        for chunk in run[1:]:
            total = total + chunk
        yield total


def _continues(chunk: Any, value: Any) -> bool:
    """True for two chunks of one message: of one kind, and with the same id as far as they have one."""
    if _kind(chunk) is None or _kind(chunk) != _kind(value) or _field(chunk, "chunk_position") == "last":
        return False
    if _field(chunk, "tool_call_id") != _field(value, "tool_call_id"):
        return False
    ids = {_field(chunk, "id"), _field(value, "id")} - {None}
    return len(ids) < 2


def _kind(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, dict) else type(value).__name__
    return kind if isinstance(kind, str) and kind.endswith(_CHUNK) else None


def _field(value: Any, name: str) -> Any:
    found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
    return found if isinstance(found, str) else None
