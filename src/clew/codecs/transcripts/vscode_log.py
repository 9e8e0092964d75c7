"""The document behind a VS Code chat session that is kept as a log of changes.

A log begins with the document and goes on with changes: a value set at a path, values pushed to an array
(after cutting it, when an index is given), a member deleted. What does not fit the document is reported
and passed over.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.transcripts.jsonl import head_objects
from clew.domain import Json, SkippedRecord

INITIAL, SET, PUSH, DELETE = range(4)


def is_log(head: bytes) -> bool:
    """Does it begin with a line that holds the first state of a document?"""
    first = next(head_objects(head), {})
    return first.get("kind") == INITIAL and not isinstance(first.get("kind"), bool) and _is_start(head)


def _is_start(head: bytes) -> bool:
    return b'"v"' in head[:200]


def replay(stream: BinaryIO) -> tuple[Json, list[SkippedRecord]]:
    """The document as it stands at the end of a log, and what could not be read of it.

    The document is built up in memory. A log that goes beyond the limit of a record is read up to there.
    """
    state: Any = None
    skipped = []
    for raw in jsonio.lines(stream):
        if isinstance(raw, SkippedRecord):
            skipped.append(raw)
            continue
        if raw.end > jsonio.MAX_RECORD_BYTES:
            limit = f"{jsonio.MAX_RECORD_BYTES >> 20} MB"
            skipped.append(SkippedRecord(raw.line, f"the log goes beyond {limit} here; it is read up to this line"))
            break
        try:
            state = _apply_change(state, jsonio.loads_exact(raw.body))
        except (ValueError, TypeError, LookupError) as error:
            skipped.append(SkippedRecord(raw.line, f"a change that does not fit the document: {error}"))
    return (state if isinstance(state, dict) else {}), skipped


def _apply_change(state: Any, entry: Any) -> Any:
    if not isinstance(entry, dict):
        raise ValueError(f"expected a JSON object, found {type(entry).__name__}")
    kind, path = entry.get("kind"), entry.get("k")
    if kind == INITIAL:
        return entry.get("v")
    if not isinstance(path, list) or not path or kind not in {SET, PUSH, DELETE}:
        raise ValueError(f"kind {kind!r} at {path!r}")
    holder = _value_at(state, path[:-1])
    if kind == SET:
        _set(holder, path[-1], entry.get("v"))
    elif kind == DELETE:
        _delete(holder, path[-1])
    else:
        _push(holder, path[-1], entry)
    return state


def _value_at(state: Any, path: list[Any]) -> Any:
    for name in path:
        state = state[name]
    return state


def _set(holder: Any, name: Any, value: Any) -> None:
    if isinstance(holder, list) and name == len(holder):
        holder.append(value)
    else:
        holder[name] = value


def _delete(holder: Any, name: Any) -> None:
    if isinstance(holder, dict):
        holder.pop(name, None)
    else:
        holder[name] = None


def _push(holder: Any, name: Any, entry: Json) -> None:
    found = holder.get(name) if isinstance(holder, dict) else holder[name]
    values, index = entry.get("v"), entry.get("i")
    array = found if isinstance(found, list) else []
    if isinstance(index, int):
        del array[max(index, 0) :]
    array.extend(values if isinstance(values, list) else [])
    holder[name] = array
