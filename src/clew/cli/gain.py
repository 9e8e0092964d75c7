"""The command gain: what was saved by sending packs instead of whole conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from clew.cli.options import AsJson, StoreUrl
from clew.cli.output import print_json, say, size
from clew.cli.sources import opened_to_read
from clew.cli.table import table
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.engine.gains import Gain, GainReport

_COLUMNS = ("calls", "sent", "~whole", "~saved", "paid", "~whole $", "~saved $")
_LEGEND = (
    "sent, paid: as providers counted it, at list prices, what their caches wrote and read included.",
    "~ is estimated: whole is what would have been sent without Clew, with a cache that works as well.",
)


def gain(
    by: Annotated[str, typer.Option("--by", metavar="GROUP", help="day, project, model or client.")] = "day",
    since: Annotated[str, typer.Option("--since", metavar="T", help="From this day on: 2031-05-04, 12h, 7d, 2w.")] = "",
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Show what was saved, in tokens and dollars: by the gateway, hooks, wrapped clients and packs.

    What was sent is measured, by the counts of providers. What would have been sent is estimated, and marked so.
    """
    from clew.retrieval.times import since_time

    with opened_to_read(store) as engine:
        report = engine.gain(by=by, since=since_time(since))
    if as_json:
        print_json(report.as_json())
    elif report.total.sums.calls:
        _say(report)
    else:
        when = f" since {report.since}" if report.since else ""
        say(f"Nothing is recorded yet{when}: no call of a model went through the gateway, a wrapped client or a pack,")
        say("and no hook made an output smaller. `clew serve` and `clew wrap CLIENT --gateway` begin that.")


def _say(report: GainReport) -> None:
    lines = [*report.lines, *([report.total] if len(report.lines) > 1 else [])]
    rows = [[line.name, *_cells(line)] for line in lines]
    for line in table((report.by, *_COLUMNS), rows, right=_COLUMNS, cut=report.by):
        say(line)
    for note in (*_notes(report), *_LEGEND):
        say(note)


def _cells(line: Gain) -> list[str]:
    sums, is_priced = line.sums, line.unpriced < line.sums.calls - line.sums.uncounted
    dollars = [line.dollars, line.would_dollars, line.saved_dollars]
    return [
        f"{sums.calls:,}",
        size(sums.sent),
        size(sums.would_send),
        _signed_size(line.saved_tokens),
        *(_money(dollar) if is_priced else "?" for dollar in dollars),
    ]


def _signed_size(tokens: int) -> str:
    return f"-{size(-tokens)}" if tokens < 0 else size(tokens)


def _money(dollars: float) -> str:
    return f"{'-' if round(dollars, 2) < 0 else ''}${abs(dollars):,.2f}"


def _notes(report: GainReport) -> list[str]:
    """What had to be fetched back, and what the figures leave out."""
    sums, notes = report.total.sums, []
    if sums.fetches or sums.reread:
        fetched = f"{pluralise(sums.fetches, 'call')} fetched back ~{size(sums.fetched)} tokens"
        notes.append(f"{fetched}; ~{size(sums.reread)} were read again after a compaction. Both are in what was sent.")
    if sums.uncounted:
        notes.append(f"In none of the sums: {pluralise(sums.uncounted, 'call')} of which the provider gave no count.")
    if report.unpriced:
        notes.append(f"No price is known of {', '.join(report.unpriced)}: dollars leave them out.")
    return notes
