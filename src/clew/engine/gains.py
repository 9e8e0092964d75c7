"""What Clew has saved over all sessions, by day, project, model or client, in tokens and dollars.

Each session keeps sums by day and model; here they are added up and priced, so that the cost does not grow with what
was said. Sessions of which no prompt was made here and no output made smaller count for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from clew.compaction.prices import Price, known_price
from clew.domain import Json, SessionInfo, Usage
from clew.engine.ledger.ledgers import Ledgers
from clew.engine.ledger.rows import row_value
from clew.errors import UsageError
from clew.history.gain import SHORTENED, UNKNOWN, gain_rows
from clew.history.gain_values import GainRow, GainSums
from clew.history.prompt_usage import PromptUsageProjection

DAY, PROJECT, MODEL, CLIENT = GROUPS = ("day", "project", "model", "client")
#: The row that holds the state of a projection.
_STATE = ""


@dataclass(slots=True)
class Gain:
    """One line of a report. ``dollars`` are those of what was sent, by the counts of providers and their list prices;
    ``would_dollars`` those of what would have been sent, which is estimated. Calls of models whose price is not known
    are ``unpriced`` and add to neither.
    """

    name: str
    sums: GainSums = field(default_factory=GainSums)
    dollars: float = 0.0
    would_dollars: float = 0.0
    unpriced: int = 0

    @property
    def saved_tokens(self) -> int:
        """What was not sent, an estimate; below 0 where more was sent."""
        return self.sums.would_send - self.sums.sent

    @property
    def saved_dollars(self) -> float:
        """What was not paid, an estimate; below 0 where more was paid."""
        return self.would_dollars - self.dollars

    def add(self, row: GainRow, price: Price | None) -> None:
        """Adds the sums of a day and model, at the model's price."""
        self.sums.add(row.sums)
        if price is None:
            self.unpriced += row.sums.calls - row.sums.uncounted
        else:
            self.dollars += _cost(price, row.sums.usage, row.sent_from)
            self.would_dollars += _cost(price, row.sums.would_be_usage, row.would_from)

    def as_json(self) -> Json:
        """The line as an object that says of each figure whether it is measured or estimated."""
        sums = self.sums
        return {
            "name": self.name,
            "calls": sums.calls,
            "uncounted_calls": sums.uncounted,
            "unpriced_calls": self.unpriced,
            "measured": _as_json(sums.usage, self.dollars) | {"output_tokens": sums.output},
            "estimated": _as_json(sums.would_be_usage, self.would_dollars),
            "saved": {
                "estimated_tokens": self.saved_tokens,
                "estimated_share": round(self.saved_tokens / sums.would_send, 4) if sums.would_send else 0.0,
                "estimated_dollars": round(self.saved_dollars, 6),
            },
            "fetched_back": {"calls": sums.fetches, "estimated_tokens": sums.fetched},
            "read_again": {"estimated_tokens": sums.reread},
        }


def _as_json(usage: Usage, dollars: float) -> Json:
    return {
        "input_tokens": usage.input_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "dollars": round(dollars, 6),
    }


@dataclass(frozen=True, slots=True)
class GainReport:
    """All lines ``by`` one of the groups, from a day on, and their sum. ``unpriced`` are models without a known price,
    which the dollars leave out.
    """

    by: str
    since: str
    lines: tuple[Gain, ...]
    total: Gain
    unpriced: tuple[str, ...]

    def as_json(self) -> Json:
        """The report as one object."""
        return {
            "by": self.by,
            "since": self.since,
            "total": {name: value for name, value in self.total.as_json().items() if name != "name"},
            "rows": [line.as_json() for line in self.lines],
            "unpriced_models": list(self.unpriced),
        }


def gain_report(
    ledgers: Ledgers, infos: Iterable[SessionInfo], *, by: str, since: float | None, prices: Mapping[str, Any]
) -> GainReport:
    """Sums up what was saved in these sessions. Raises UsageError for a group that there is not."""
    if by not in GROUPS:
        raise UsageError(f"gains are told by {', '.join(GROUPS)}, not by {by!r}")
    first = _day(since) if since else ""
    lines: dict[str, Gain] = {}
    total, price_of = Gain("total"), dict[str, Price | None]()
    for info in infos:
        for row in _rows(ledgers, info, first):
            if row.model not in price_of:
                price_of[row.model] = known_price(row.model, prices)
            name = _name(by, info, row)
            for line in (lines.setdefault(name, Gain(name)), total):
                line.add(row, price_of[row.model])
    in_order = sorted(lines.values(), key=lambda line: (0 if by == DAY else -line.saved_tokens, line.name))
    unpriced = sorted(model for model, price in price_of.items() if price is None)
    return GainReport(by, first, tuple(in_order), total, tuple(unpriced))


def _name(by: str, info: SessionInfo, row: GainRow) -> str:
    names = {DAY: row.day, PROJECT: info.project or info.cwd, MODEL: row.model, CLIENT: info.client}
    return names[by] or UNKNOWN


def _day(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"since is a time in seconds since 1970, not {seconds}") from None


def _rows(ledgers: Ledgers, info: SessionInfo, since: str) -> Iterator[GainRow]:
    """The sums of a session. One that was only imported is not read: one row tells."""
    raw = ledgers.store.row(info.key, PromptUsageProjection.name, _STATE)
    state: Json = (row_value(raw).get("state") if raw else None) or {}
    is_of_clew = state.get("budget") or state.get("gain", {}).get("kept_out")
    if is_of_clew or ledgers.store.row(info.key, SHORTENED, _STATE) is not None:
        yield from gain_rows(ledgers.ledger(info, is_fixed=True).rows(PromptUsageProjection.name, alone=True), since)


def _cost(price: Price, usage: Usage, at_least: int) -> float:
    """Dollars of many calls, each of so many tokens or more."""
    is_long = bool(price.long_from) and at_least >= price.long_from
    return price._replace(long_from=0.5 if is_long else 0.0).cost(usage)
