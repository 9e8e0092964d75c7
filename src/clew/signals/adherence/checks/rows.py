"""How a check is declared: a row of a table says how rules ask for something, what is read of such a rule, and which
function then judges a turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.turn import Judged

#: What is handed to the judge for each thing that a rule asks for at a place of its body.
Reader = Callable[[Rule, re.Match[str]], Iterable[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Demand:
    """One thing that a rule asks for. With ``of_reply`` it is asked of answers alone, else of all that is done."""

    judge: Callable[..., Judged]
    wanted: tuple[Any, ...] = ()
    of_reply: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """``asks`` is looked for in a rule's body, or with ``at_head`` at the head of a rule that forbids.

    ``fits`` says which rules it is for. Of the rows of one ``group``, only the first that is asked for counts.
    """

    asks: str
    judge: Callable[..., Judged]
    read: Reader
    fits: Callable[[Rule], bool] = lambda rule: True
    of_reply: bool = False
    at_head: bool = False
    group: str = ""


def demands(rule: Rule, rows: Sequence[Row]) -> Iterator[Demand]:
    """What a rule asks for, by all rows of the tables."""
    groups: set[str] = set()
    for row in rows:
        if row.group in groups or not row.fits(rule):
            continue
        for found in _places(rule, row):
            for wanted in row.read(rule, found):
                groups |= {row.group} - {""}
                yield Demand(row.judge, wanted, row.of_reply)


def _places(rule: Rule, row: Row) -> Iterator[re.Match[str]]:
    if not row.at_head:
        yield from re.finditer(row.asks, rule.body)
    elif rule.forbids and (found := re.match(row.asks, rule.head)):
        yield found
