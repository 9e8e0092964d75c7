"""What sessions cost in dollars, by day, project and model: by the counts of providers and their list prices.

A model whose price is not known is named with its tokens and adds nothing: no price is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from clew.audit.values import SessionFigures
from clew.compaction.prices import known_price
from clew.domain import Usage
from clew.text.plurals import pluralise

DAY, PROJECT, MODEL = "day", "project", "model"
UNKNOWN = "(unknown)"


@dataclass(slots=True)
class Spent:
    """A sum: dollars of the requests whose price is known, and tokens of all, sent and answered; of those sent, what a
    cache served, and what was written to it. ``unpriced_tokens`` are those of models without a known price.
    """

    dollars: float = 0.0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    unpriced_tokens: int = 0

    @property
    def display_text(self) -> str:
        """The dollars for people, a plus behind them where something has no known price; a question mark where that is
        all there is."""
        if self.unpriced_tokens and not self.dollars:
            return "?"
        return f"${self.dollars:,.2f}{'+' if self.unpriced_tokens else ''}"


@dataclass(slots=True)
class Spending:
    """All sums: ``total``, and by day, by project and by model. ``unpriced`` names models without a known price,
    ``uncounted_sessions`` are those whose files do not say what their requests took.
    """

    total: Spent = field(default_factory=Spent)
    tables: dict[str, dict[str, Spent]] = field(default_factory=lambda: {DAY: {}, PROJECT: {}, MODEL: {}})
    unpriced: list[str] = field(default_factory=list)
    uncounted_sessions: int = 0


def spending(sessions: Iterable[SessionFigures], own: Mapping[str, Mapping[str, float]]) -> Spending:
    """Sums up what sessions cost. ``own`` are the user's prices."""
    spending = Spending()
    for session in sessions:
        spending.uncounted_sessions += not session.requests
        for request in session.requests:
            price = known_price(request.model, own)
            model = request.model or UNKNOWN
            if price is None and model not in spending.unpriced:
                spending.unpriced.append(model)
            names = {DAY: _day(request.at), PROJECT: session.folder or UNKNOWN, MODEL: model}
            cost = price.cost(request.usage) if price else None
            for place in (
                spending.total,
                *(spending.tables[kind].setdefault(name, Spent()) for kind, name in names.items()),
            ):
                _add(place, cost, request.usage)
    for kind, table in spending.tables.items():
        by = (lambda pair: pair[0]) if kind == DAY else (lambda pair: (-pair[1].dollars, pair[0]))
        spending.tables[kind] = dict(sorted(table.items(), key=by))
    return spending


def left_out(spent: Spending, sessions: int) -> list[str]:
    """Returns what the dollars do not hold, a phrase each."""
    reasons = []
    if spent.unpriced:
        reasons.append(f"no price is known of {', '.join(spent.unpriced)}")
    if spent.uncounted_sessions:
        reasons.append(
            f"what requests took is not said by {spent.uncounted_sessions} of {pluralise(sessions, 'session')}"
        )
    return reasons


def _add(place: Spent, cost: float | None, usage: Usage) -> None:
    place.dollars += cost or 0.0
    place.requests += 1
    place.input_tokens += usage.input_tokens
    place.output_tokens += usage.output_tokens
    place.cache_read_tokens += usage.cache_read_tokens
    place.cache_write_tokens += usage.cache_write_tokens
    place.unpriced_tokens += usage.input_tokens + usage.output_tokens if cost is None else 0


def _day(time: float | None) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d") if time else UNKNOWN
