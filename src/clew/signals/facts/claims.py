"""Keyed facts: of what a statement says what, so that two statements can be held against each other.

A claim is one value that one clause gives: a quantity, a choice among alternatives, one of two opposites, what a thing
is called, what somebody has never done, or simply that something is so or is not so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from clew.signals.facts import lexicon
from clew.signals.facts.clauses import Clause, clauses_of
from clew.signals.facts.experience import undone
from clew.signals.facts.places import place_of
from clew.signals.facts.values import Quantity
from clew.text.memo import remember
from clew.text.sentences import Span
from clew.text.vocabulary import words

#: Claims beyond this many say no more about whether a statement clashes.
MAX_CLAIMS = 96
#: A name of more words is a description.
_MAX_NAME = 4
#: Words before a number that may say what it is the number of.
_BEFORE = 3
#: Marks, among the words near a number, the one that says what is counted.
COUNTED = "#"
_NAMED = words("called named titled")


class ClaimKind(StrEnum):
    """What kind of value a claim gives."""

    EXPERIENCE = "experience"  # what was never done
    QUANTITY = "quantity"
    CHOICE = "choice"
    POLE = "pole"  # one of two opposites
    SLOT = "slot"  # what something is called
    STATEMENT = "statement"  # so, or not so


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One fact: ``subject`` the stems that say what it is about, ``attribute`` what is told of it (a unit, a class of
    alternatives, a deed), ``value`` what that is, ``said`` as it was written, ``near`` the words next to a number; with
    the clause it was drawn from."""

    kind: ClaimKind
    subject: frozenset[str]
    attribute: str = ""
    value: frozenset[str] = frozenset()
    negated: bool = False
    near: frozenset[str] = frozenset()
    said: str = ""
    clause: Clause

    @property
    def span(self) -> Span:
        return self.clause.span

    @property
    def sentence(self) -> str:
        return " ".join(self.clause.text.split())


@remember(2_048)
def facts_of(text: str) -> tuple[Claim, ...]:
    """The claims of a statement in order; questions claim nothing."""
    found: list[Claim] = []
    for clause in clauses_of(text):
        found.extend(_claims(clause))
        if len(found) >= MAX_CLAIMS:
            break
    return tuple(found[:MAX_CLAIMS])


def _claims(clause: Clause) -> Iterator[Claim]:
    if clause.asks:
        return
    never = list(_experiences(clause))
    yield from never
    if clause.is_sentence and not never:
        yield from values_of(clause)
        yield from _name(clause)
        yield from _place(clause)
        yield from _statement(clause)


def values_of(clause: Clause) -> Iterator[Claim]:
    """The quantities, choices and opposites of a clause, be it a sentence or only "at most 3 retries"."""
    yield from _quantities(clause)
    yield from _alternatives(clause)


def _experiences(clause: Clause) -> Iterator[Claim]:
    for one in undone(clause):
        yield Claim(
            kind=ClaimKind.EXPERIENCE,
            subject=one.things,
            attribute=one.deed,
            value=one.heads,
            negated=True,
            clause=clause,
        )


def _statement(clause: Clause) -> Iterator[Claim]:
    if clause.core:
        subject = frozenset(clause.core)
        yield Claim(kind=ClaimKind.STATEMENT, subject=subject, negated=clause.mood.negated, clause=clause)


def _quantities(clause: Clause) -> Iterator[Claim]:
    for one in clause.quantities:
        if not _is_old(clause, one) and not _is_name(clause, one):
            yield Claim(
                kind=ClaimKind.QUANTITY,
                subject=frozenset(clause.core),
                attribute=one.dimension,
                value=frozenset({str(one.amount)}),
                negated=clause.mood.negated,
                near=frozenset(_around(clause, one)),
                said=clause.text[one.start - clause.span[0] : one.end - clause.span[0]],
                clause=clause,
            )


def _is_old(clause: Clause, one: Quantity) -> bool:
    """The first of "from 10 to 20"."""
    before = clause.text[: one.start - clause.span[0]].rstrip().lower()
    after = clause.text[one.end - clause.span[0] :].lstrip().lower()
    return before.endswith(" from") and " to " in f" {after[:60]} "


def _is_name(clause: Clause, one: Quantity) -> bool:
    """The number of a step or a line, or a year."""
    if one.dimension != "number":
        return False
    before = next((word for word in reversed(clause.words) if word.end <= one.start), None)
    is_numbered = before is not None and before.stem in lexicon.NUMBERED and one.start - before.end <= 2
    return is_numbered or (isinstance(one.amount, float) and 1900 <= one.amount <= 2100)


def _around(clause: Clause, one: Quantity) -> Iterator[str]:
    """What is counted, where the next word says it, marked as such; and the nearest words before."""
    after = next((word for word in clause.words if word.start >= one.end), None)
    if after and after.weight and after.start - one.end <= 1:
        yield f"{COUNTED}{after.stem}"
    before = [word.stem for word in clause.words if word.end <= one.start and word.weight]
    yield from before[-_BEFORE:]


def _alternatives(clause: Clause) -> Iterator[Claim]:
    for kind, table in ((ClaimKind.CHOICE, clause.choices), (ClaimKind.POLE, clause.poles)):
        for name, members in table.items():
            if name == "branch" and name not in clause.stems:
                continue  # "main" and "dev" are words of every kind
            subject = frozenset(one for one in clause.core if lexicon.SAME.get(one, one) not in members)
            for chosen, negated in ((members - clause.rejected, False), (members & clause.rejected, True)):
                if chosen:
                    yield Claim(
                        kind=kind,
                        subject=subject,
                        attribute=name,
                        value=chosen,
                        negated=negated,
                        said=("not " if negated else "") + spoken(clause, chosen),
                        clause=clause,
                    )


def _name(clause: Clause) -> Iterator[Claim]:
    """What a thing is called: it has one name, while it may be many things at once."""
    pairs = enumerate(pairwise(clause.words), 1)
    at = next((at for at, (one, word) in pairs if one.stem == "be" and word.raw.lower() in _NAMED), None)
    if at is None or clause.mood.negated or clause.mood.supposes or not _goes_on(clause, at):
        return
    before = frozenset(word.stem for word in clause.words[:at] if word.weight)
    after = frozenset(word.stem for word in clause.words[at + 1 :] if word.weight)
    if before and 0 < len(after) <= _MAX_NAME:
        said = spoken(clause, after)
        yield Claim(kind=ClaimKind.SLOT, subject=before, attribute="named", value=after, said=said, clause=clause)


def _place(clause: Clause) -> Iterator[Claim]:
    """Where a thing goes."""
    if place := place_of(clause):
        yield Claim(
            kind=ClaimKind.SLOT,
            subject=place.thing,
            attribute="place",
            value=place.where,
            said=place.said,
            clause=clause,
        )


def _goes_on(clause: Clause, at: int) -> bool:
    """The name follows at once: "is called by the hook" names nothing."""
    return at + 1 < len(clause.words) and clause.words[at + 1].weight > 0


def spoken(clause: Clause, stems: Collection[str], *, limit: int = 5) -> str:
    """The words of a clause that have these stems, as written, each once."""
    found: dict[str, str] = {}
    for word in clause.words:
        if word.stem in stems or lexicon.SAME.get(word.stem) in stems:
            found.setdefault(word.stem, word.raw)
    return " ".join(list(found.values())[:limit])
