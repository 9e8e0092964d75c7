"""The tool usage projection counts which tools were called, how often, how long, with what status and size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clew.domain import Call, Output
from clew.ports import LedgerEvent, MessageChange, Rows

Tally = dict[str, Any]


class ToolUsageProjection:
    """Keeps a row of counts for each tool. Its state holds the calls that still wait for their output."""

    name = "tools"
    version = 1
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
        return waiting


def _answer(rows: Rows, output: Output, tokens: int, at: float | None, asked: list[Any] | None) -> None:
    name, since = asked or (output.name or "(unknown)", None)
    seconds = max(0.0, at - since) if at is not None and since is not None else 0.0
    _add(rows, name, output_tokens=tokens, seconds=seconds, largest=tokens, **{output.status.value: 1})


def _add(rows: Rows, name: str, *, largest: int = 0, **amounts: float) -> None:
    tally: Tally = rows.get(name) or {}
    for what, amount in amounts.items():
        tally[what] = tally.get(what, 0) + amount
    tally["largest"] = max(tally.get("largest", 0), largest)
    rows.put(name, tally)
