"""How the prompt of a session grew, as points of a line, and where it was compacted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clew.domain import Origin
from clew.engine.ledger.session_ledger import SessionLedger
from clew.history.overview import OverviewProjection
from clew.history.prompt_usage import PromptUsageProjection, packed_entries


@dataclass(frozen=True, slots=True)
class SizePoint:
    """The prompt at a message: what the provider counted, None where it did not, and what the record holds so far."""

    number: int
    at: float | None
    counted: int | None
    recorded: int


@dataclass(frozen=True, slots=True)
class CompactionPoint:
    """A compaction after a message, by the client or by Clew, and the tokens that it left, 0 where nobody says."""

    number: int
    by: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class SizeHistory:
    """How the prompt grew, and where it was compacted."""

    points: tuple[SizePoint, ...]
    compactions: tuple[CompactionPoint, ...]


def size_history(ledger: SessionLedger, *, points: int) -> SizeHistory:
    """Returns how the prompt of a session grew, thinned to about so many points."""
    line, compactions, recorded, is_told = [], list(_own_compactions(ledger)), 0, False
    for name, row in ledger.rows(OverviewProjection.name, alone=True).scan("0"):
        if row.get("thread"):
            continue
        recorded += row["tokens"]
        usage = row.get("usage")
        counted = usage[0] + usage[1] if usage else row.get("counted")
        line.append(SizePoint(int(name), row.get("at"), counted, recorded))
        is_summary = row["origin"] == Origin.SUMMARY and not is_told  # a client may say so, and write a summary next
        is_told = bool(row.get("compacted"))
        if is_summary or is_told:
            compactions.append(CompactionPoint(int(name), "client"))
    counted = [point for point in line if point.counted is not None]
    shown = counted if len(counted) > 1 else line
    step = max(len(shown) // max(points, 2), 1)
    drawn = shown[::step] + (shown[-1:] if shown and (len(shown) - 1) % step else [])
    return SizeHistory(tuple(drawn), tuple(sorted(compactions, key=lambda compaction: compaction.number)))


def _own_compactions(ledger: SessionLedger) -> Iterator[CompactionPoint]:
    """Epochs of Clew's own that left something out; streams of several targets may begin one at the same message."""
    seen = set()
    for seq in packed_entries(ledger.rows(PromptUsageProjection.name, alone=True)):
        epoch = ledger.body(seq).get("epoch") or {}
        if epoch.get("snapshot") and epoch["at"] not in seen:
            seen.add(epoch["at"])
            yield CompactionPoint(epoch["at"], "clew", epoch.get("after", 0))
