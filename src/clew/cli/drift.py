"""The command drift: shows rules, contradictions and the distance from the topic."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from clew.cli.options import AsJson, FileFormat, Source, StoreUrl
from clew.cli.output import print_json, say, short_line
from clew.cli.sources import AUTO, session_of

if TYPE_CHECKING:
    from clew.domain import Drift, Requirement

_MARKS = {"kept": "✓", "broken": "✗", "not_applicable": "·", "unknown": "?"}
#: What marks mean that do not say it themselves.
_LEGEND = {"not_applicable": "did not apply yet", "unknown": "no program can tell"}
#: Contradictions less sure than this are in the JSON, and not shown to people.
_SURE = 0.6


def drift(
    source: Source,
    topic: Annotated[str, typer.Option("--topic", metavar="TEXT", help="What the work should be about.")] = "",
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Show broken rules, contradictions and topic drift."""
    with session_of(source, store, format=format) as session:
        drift = session.drift(topic or None)
    if as_json:
        print_json(asdict(drift))
    else:
        show_drift(drift)


def show_drift(found: Drift) -> None:
    """Prints rules with ticks and crosses and where they were broken, contradictions, and reminders."""
    say(f"drift {found.drift_score:.2f}, topic drift {found.topic_drift:.2f}")
    if not (found.requirements or found.contradictions):
        say("  no rules to keep, and nothing contradicts itself")
    states = {str(rule.state) for rule in found.requirements}
    for rule in found.requirements:
        where = f" ({rule.evidence}: {rule.quote})" if rule.state == "broken" else _mended(rule)
        say(f"  {_MARKS[rule.state]} {rule.id:<4} {short_line(rule.text)}{where}")
    if meant := [f"{_MARKS[state]} {words}" for state, words in _LEGEND.items() if state in states]:
        say(f"  {', '.join(meant)}")
    for clash in found.contradictions:
        if clash.score >= _SURE:
            say(f"  ✗ {clash.later} contradicts {clash.earlier} ({clash.speaker}): {short_line(clash.about)}")
    for reminder in found.reminders:
        say(f"  → {short_line(reminder)}")


def _mended(rule: Requirement) -> str:
    """Where a rule was broken that is not broken now."""
    return f" (broken in {rule.broken}: {rule.breach}; not since)" if rule.broken else ""
