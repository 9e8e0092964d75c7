"""How a check is declared: a row of a table says how rules ask for something, what is read of such a rule, and which
function judges a turn by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clew.signals.adherence.checks.rule import RuleSentence
from clew.signals.adherence.checks.turn import Judgement

#: What is handed to the judge behind the turn, for each thing that a rule asks for at a place of its body.
Reader = Callable[[RuleSentence, re.Match[str]], Iterable[tuple[Any, ...]]]


def of_answers(rule: RuleSentence) -> bool:
    """Rules on what is said."""
    return rule.is_about_reply and not rule.is_about_code


def of_work(rule: RuleSentence) -> bool:
    """Rules on what is done."""
    return not rule.is_question


@dataclass(frozen=True, slots=True)
class Demand:
    """One thing that a rule asks for. With ``of_reply`` it is asked of answers alone, else of all that is done."""

    judge: Callable[..., Judgement]
    wanted: tuple[Any, ...] = ()
    of_reply: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """``asks`` is looked for in a rule's body, or with ``at_head`` at the head of a rule that forbids.

    ``signs`` says whether it may be wanted (+) or forbidden (-) there; a judge that ``is_told`` gets to know which.
    ``fits`` says which rules it is for. Of the rows of one ``group``, only the first that is asked for counts.
    """

    asks: str
    judge: Callable[..., Judgement]
    read: Reader
    fits: Callable[[RuleSentence], bool]
    signs: str = "+"
    is_told: bool = False
    of_reply: bool = False
    at_head: bool = False
    group: str = ""

    def places(self, rule: RuleSentence) -> Iterator[tuple[re.Match[str], bool]]:
        """Where a rule asks for it, and whether it forbids it there."""
        if self.at_head:
            match = re.match(self.asks, rule.head) if rule.forbids else None
            yield from [(match, True)] if match else []
            return
        for match in re.finditer(self.asks, rule.body):
            forbidden = rule.forbids_at(match.end())
            if ("-" if forbidden else "+") in self.signs:
                yield match, forbidden


def demands(rule: RuleSentence, rows: Sequence[Row]) -> Iterator[Demand]:
    """What a rule asks for, by all rows of the tables."""
    groups: set[str] = set()
    for row in rows:
        if row.group in groups or not row.fits(rule):
            continue
        for match, forbidden in row.places(rule):
            for wanted in row.read(rule, match):
                groups |= {row.group} - {""}
                yield Demand(row.judge, (forbidden, *wanted) if row.is_told else wanted, row.of_reply)
