"""The overview projection keeps a row for each message: its role, time, size and calls.

That is enough to answer most questions without reading the message itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clew.domain import Call, Output, Role, Usage
from clew.history.user_requests import is_request
from clew.ports import LedgerEvent, MessageChange, Rollback, Rows


def row_name(number: int) -> str:
    """Returns the name of a message's row; names sort by number."""
    return f"{number:09d}"


def place_of(number: int, rows: Rows) -> int:
    """Returns the number under which a message was first recorded. A new version keeps the place of the old one."""
    while place := (rows.get(row_name(number)) or {}).get("place"):
        number = place
    return number


def versions_of(number: int, rows: Rows) -> list[int]:
    """Returns a message's number and those of its later versions, oldest first."""
    numbers = [number]
    while (row := rows.get(row_name(numbers[-1]))) and "replaced_by" in row:
        numbers.append(row["replaced_by"])
    return numbers


class OverviewProjection:
    """Keeps a row for each message number. Its state holds the session's totals."""

    name = "messages"
    version = 3
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in new messages and rollbacks, and returns the totals."""
        totals = state or {"tokens": 0, "exchanges": 0, "replies": 0, "usage": [0] * len(Usage.__slots__)}
        for change in changes:
            if isinstance(change, MessageChange):
                _apply(change, totals, rows)
            elif isinstance(change, Rollback):
                _roll_back(change.exchanges, rows)
            elif "report" in change.about:
                _note_report(change.about["report"], totals, rows)
        return totals


def _note_report(report: dict[str, Any], totals: dict[str, Any], rows: Rows) -> None:
    """What a client says of its prompt goes with the newest message: its count, and that it has compacted."""
    name = row_name(totals.get("newest", 0))
    told = {"counted": report.get("used"), "compacted": report.get("compacted")}
    if (row := rows.get(name)) is not None and any(told.values()):
        rows.put(name, row | {key: value for key, value in told.items() if value})
    if spent := report.get("spent"):
        totals["spent"] = [spent.get(field, 0) for field in Usage.__slots__]


def _roll_back(exchanges: int, rows: Rows) -> None:
    """Messages from the first of the last exchanges on are marked as having left the prompt view.

    A new version of a message stands where the first one stood, so places count, not numbers.
    """
    scanned = dict(rows.scan("0"))
    live = [
        (name, row) for name, row in scanned.items() if "place" not in row and not _newest(row, scanned).get("left")
    ]
    asked = [name for name, row in live if _newest(row, scanned).get("request")]
    if not asked:
        return
    first = asked[-min(exchanges, len(asked))]
    for name, row in live:
        while name >= first or "place" in row:
            rows.put(name, row | {"left": True})
            if "replaced_by" not in row:
                break
            name = row_name(row["replaced_by"])
            row = scanned[name]


def _newest(row: dict[str, Any], scanned: dict[str, Any]) -> dict[str, Any]:
    while "replaced_by" in row:
        row = scanned[row_name(row["replaced_by"])]
    return row


def _apply(change: MessageChange, totals: dict[str, Any], rows: Rows) -> None:
    name, message = row_name(change.number), change.message
    totals["newest"] = max(totals.get("newest", 0), 0 if message.thread else change.number)
    row = rows.get(name) if change.grows else None
    if row is None:
        row = {"role": message.role, "origin": message.origin, "tokens": 0}
        row |= {"thread": message.thread} if message.thread else {}
        row |= {"at": message.at} if message.at else {}
        row |= {"request": True} if is_request(message) else {}
        row |= {"place": change.replaces} if change.replaces else {}
        totals["exchanges"] += "request" in row and not change.replaces
        totals["replies"] += message.role is Role.ASSISTANT and not message.thread and not change.replaces
    row["tokens"] += sum(change.tokens)
    totals["tokens"] += 0 if message.thread else sum(change.tokens)
    _add_calls(row, change)
    _add_usage(row, totals, message.usage)
    rows.put(name, row)
    if change.replaces:
        _replace(change, totals, rows)


def _add_calls(row: dict[str, Any], change: MessageChange) -> None:
    """Calls by id and name, outputs by id, status and tokens."""
    parts = list(zip(change.message.parts, change.tokens, strict=True))
    calls = [[part.id, part.name] for part, _ in parts if isinstance(part, Call)]
    outputs = [[part.call_id, part.status, tokens] for part, tokens in parts if isinstance(part, Output)]
    if calls:
        row["calls"] = row.get("calls", []) + calls
    if outputs:
        row["outputs"] = row.get("outputs", []) + outputs


def _add_usage(row: dict[str, Any], totals: dict[str, Any], usage: Usage | None) -> None:
    """Lines of one reply repeat its usage, growing: the last one counts."""
    if usage is None:
        return
    new = [getattr(usage, name) for name in Usage.__slots__]
    old = row.get("usage", [0] * len(new))
    totals["usage"] = [total + after - before for total, after, before in zip(totals["usage"], new, old, strict=True)]
    row["usage"] = new


def _replace(change: MessageChange, totals: dict[str, Any], rows: Rows) -> None:
    old = rows.get(row_name(change.replaces))
    if old is not None:
        rows.put(row_name(change.replaces), old | {"replaced_by": change.number})
        totals["tokens"] -= 0 if old.get("thread") else old["tokens"]
