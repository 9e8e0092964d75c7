"""The tool usage projection counts which tools were called, how often, how long, with what status and size.

How long is told by whoever ran the tool, or else taken from the times of call and output.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from clew.domain import Call, EntryKind, Output
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rows

Tally = dict[str, Any]


class ToolUsageProjection:
    """Keeps a row of counts for each tool. Its state holds the calls that still wait for their output."""

    name = "tools"
    version = 2
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in new calls and outputs."""
        waiting: dict[str, list[Any]] = state or {}
        for change in changes:
            if isinstance(change, MessageChange):
                for part, tokens in zip(change.message.parts, change.tokens, strict=True):
                    if isinstance(part, Call):
                        waiting[part.id] = [part.name, change.message.at]
                        _add(rows, part.name, calls=1, call_tokens=tokens)
                    elif isinstance(part, Output):
                        _answer(rows, part, tokens, change.message.at, waiting.pop(part.call_id, None))
            elif isinstance(change, LedgerNote) and change.kind is EntryKind.RUN:
                with suppress(KeyError, TypeError, ValueError):  # of another version, or damaged: it changes nothing
                    _add_run(rows, change.about["run"], waiting)
        return waiting


def _add_run(rows: Rows, run: Any, waiting: dict[str, list[Any]]) -> None:
    """A run that was told; the times of its messages do not count then."""
    seconds = max(0.0, run["ended"] - run["started"])
    if asked := waiting.get(run["call"]):
        asked[1] = None
    _add(rows, run["name"], runs=1, seconds=seconds, longest=seconds, output_chars=run["chars"])


def _answer(rows: Rows, output: Output, tokens: int, answered_at: float | None, asked: list[Any] | None) -> None:
    name, since = asked or (output.name or "(unknown)", None)
    seconds = max(0.0, answered_at - since) if answered_at is not None and since is not None else 0.0
    counts = {output.status.value: 1}
    _add(rows, name, output_tokens=tokens, seconds=seconds, longest=seconds, largest=tokens, **counts)


def _add(rows: Rows, name: str, *, largest: int = 0, longest: float = 0.0, **amounts: float) -> None:
    tally: Tally = rows.get(name) or {}
    for what, amount in amounts.items():
        tally[what] = tally.get(what, 0) + amount
    tally["largest"] = max(tally.get("largest", 0), largest)
    tally["longest"] = max(tally.get("longest", 0.0), longest)
    rows.put(name, tally)
