"""Keyed facts: of what a statement says what, so that two statements can be held against each other.

A claim is one value that one clause gives: a quantity, a choice among alternatives, one of two opposites, what a thing
is or is called, what somebody has never done, or simply that something is so or is not so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from clew.signals import facts_lexicon as lexicon
from clew.signals.facts_clauses import Clause, clauses_of
from clew.signals.facts_values import Quantity
from clew.signals.facts_words import Word, is_past
from clew.text.sentences import Span
from clew.text.vocabulary import words

#: Claims beyond this many say no more about whether a statement clashes.
MAX_CLAIMS = 96
#: A complement of more words is a description, not a value.
_MAX_COMPLEMENT = 4

_NEVER = re.compile(
    r"\b(?:(?:i|we|he|she|they|team|nobody|\w+['’]ve|have|has|had)\s(?:\w+\s){0,2}?never|never (?:actually |really |even )?(?:been\b|\w+(?:ed|en)\b)"
    r"|(?:have|has|had)(?:n['’]t| not| yet to)|did(?:n['’]t| not)|(?:no|any|zero|little) (?:prior |previous |real )?experience"
    r"|(?:am|['’]m|completely|totally|brand|kinda|quite|still) new to|my first time|first time (?:i|we)|have no idea|not once|i never|we never)\b",
    re.IGNORECASE,
)
_BESIDE = words("or and nor like")
STRONG = re.compile(
    r"\b(?:never|ever|experience|before|at all|first time|new to|any|anyone|anything|anybody|anywhere|once|yet to)\b",
    re.IGNORECASE,
)
_CHECKS = re.compile(r"\b(?:make|making|be) sure\b|\bensur|\bverify|\bcheck (?:if|that|whether)", re.IGNORECASE)
_PERFECT = re.compile(r"\b(?:have|has|had|\w+['’](?:ve|s|d))\b", re.IGNORECASE)
_ADVERBS = words("actually really even ever once personally")
_OWNED = re.compile(r"\b(?:i|we|my|our|i['’]\w+|we['’]\w+|team)\b", re.IGNORECASE)


class ClaimKind(StrEnum):
    """What kind of value a claim gives."""

    EXPERIENCE = "experience"  # never done, not done
    QUANTITY = "quantity"
    CHOICE = "choice"
    POLE = "pole"
    SLOT = "slot"  # what something is, is called, where it lives
    STATEMENT = "statement"  # so, or not so


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One fact: ``subject`` the stems that say what it is about, ``attribute`` what is told of it (a unit, a class of
    alternatives, a verb), ``value`` what that is, ``said`` as it was written; with the clause it was drawn from."""

    kind: ClaimKind
    subject: frozenset[str]
    attribute: str
    value: frozenset[str]
    negated: bool
    clause: Clause
    near: frozenset[str] = frozenset()
    said: str = ""

    @property
    def span(self) -> Span:
        return self.clause.span

    @property
    def sentence(self) -> str:
        return " ".join(self.clause.text.split())


@lru_cache(maxsize=2_048)
def facts_of(text: str) -> tuple[Claim, ...]:
    """The claims of a statement in order; questions claim nothing."""
    found: list[Claim] = []
    for clause in clauses_of(text):
        found.extend(_claims(clause))
        if len(found) >= MAX_CLAIMS:
            break
    return tuple(found[:MAX_CLAIMS])


def _claims(clause: Clause) -> Iterator[Claim]:
    never = _NEVER.search(clause.text)
    if never and _is_own(clause, never) and not _is_habit(clause, never):
        yield from () if clause.asks else _experience(clause, never.end())
    elif clause.has_verb and not clause.asks:
        yield from _quantities(clause)
        yield from _alternatives(clause)
        yield from _slot(clause)
        yield from _statement(clause)


def _statement(clause: Clause) -> Iterator[Claim]:
    if clause.core:
        yield Claim(
            kind=ClaimKind.STATEMENT,
            subject=frozenset(clause.core),
            attribute="",
            value=frozenset(),
            negated=clause.negated,
            clause=clause,
        )


def _is_own(clause: Clause, never: re.Match[str]) -> bool:
    """Somebody tells of themselves and of all time: "I haven't checked" is said of today."""
    told = _OWNED.search(clause.text) or (never.start() < 3 and is_past(never[0].rsplit(" ", 1)[-1]))
    return bool(told and not _CHECKS.search(clause.text) and STRONG.search(clause.text, never.start()))


def _is_habit(clause: Clause, never: re.Match[str]) -> bool:
    """ "We never deploy on Fridays" tells a rule; "we've never deployed" tells the past."""
    if not never[0].lower().endswith("never") or _PERFECT.search(never[0]):
        return False
    start = clause.span[0] + never.end()
    verb = next((word.raw for word in clause.words if word.start >= start and word.raw.lower() not in _ADVERBS), "")
    return not is_past(verb)


def _experience(clause: Clause, after: int) -> Iterator[Claim]:
    """What was never done: the words after the denial, and each part of them that stands beside an "or"."""
    start = clause.span[0] + after
    told = [word for word in clause.words if word.start >= start]
    deed = next((word.stem for word in told[:3] if is_past(word.raw) or word.stem in lexicon.DEEDS), "")
    deed = "go" if deed == "be" else deed
    whole = _things(told, deed)
    parts = [part for part in map(lambda part: _things(part, deed), _beside(told)) if part < whole]
    for things in (whole, *(part for part in parts if sum(clause.core[one] for one in part) >= 1.0)):
        if things:
            yield Claim(
                kind=ClaimKind.EXPERIENCE,
                subject=things,
                attribute=deed,
                value=_heads(told, things),
                negated=True,
                clause=clause,
            )


def _things(told: list[Word], deed: str) -> frozenset[str]:
    things = frozenset(word.stem for word in told if word.weight)
    return things - {deed} or things


def _heads(told: list[Word], things: frozenset[str]) -> frozenset[str]:
    """The last word of each run of telling words: what was never met is the parents in "Laura's parents"."""
    kept = [word if word.stem in things else None for word in told]
    pairs = zip(kept, [*kept[1:], None], strict=True)
    return frozenset(word.stem for word, after in pairs if word and after is None)


def _beside(told: list[Word]) -> Iterator[list[Word]]:
    part: list[Word] = []
    for word in told:
        if word.stem in _BESIDE:
            yield part
            part = []
        else:
            part.append(word)
    yield part


def _quantities(clause: Clause) -> Iterator[Claim]:
    for one in clause.quantities:
        if _is_old(clause, one) or _is_name(clause, one):
            continue
        near = frozenset(_around(clause, one))
        yield Claim(
            kind=ClaimKind.QUANTITY,
            subject=frozenset(clause.core),
            attribute=one.dimension,
            value=frozenset({str(one.amount)}),
            negated=clause.negated,
            clause=clause,
            near=near,
            said=clause.text[one.start - clause.span[0] : one.end - clause.span[0]],
        )


def _is_old(clause: Clause, one: Quantity) -> bool:
    """The first of "from 10 to 20"."""
    before = clause.text[: one.start - clause.span[0]].rstrip().lower()
    after = clause.text[one.end - clause.span[0] :].lstrip().lower()
    return before.endswith(" from") and " to " in f" {after[:60]} "


def _is_name(clause: Clause, one: Quantity) -> bool:
    """The number of a step or a line, or a year."""
    before = next((word for word in reversed(clause.words) if word.end <= one.start), None)
    is_numbered = before is not None and before.stem in lexicon.NUMBERED and one.start - before.end <= 2
    is_year = isinstance(one.amount, float) and 1900 <= one.amount <= 2100
    return one.dimension == "number" and (is_numbered or is_year)


def _around(clause: Clause, one: Quantity) -> Iterator[str]:
    """What is counted, where the next word says it; else the nearest word before, which it is the number of."""
    after = next((word for word in clause.words if word.start >= one.end), None)
    if after and after.weight and after.start - one.end <= 1:
        yield after.stem
        return
    before = [word.stem for word in clause.words if word.end <= one.start and word.weight]
    yield from before[-1:]


def _alternatives(clause: Clause) -> Iterator[Claim]:
    for kind, table in ((ClaimKind.CHOICE, clause.choices), (ClaimKind.POLE, clause.poles)):
        for name, members in table.items():
            subject = frozenset(one for one in clause.core if lexicon.SAME.get(one, one) not in members)
            for chosen, negated in ((members - clause.rejected, False), (members & clause.rejected, True)):
                if chosen:
                    yield Claim(
                        kind=kind,
                        subject=subject,
                        attribute=name,
                        value=chosen,
                        negated=negated,
                        clause=clause,
                        said=("not " if negated else "") + spoken(clause, chosen),
                    )


def _slot(clause: Clause) -> Iterator[Claim]:
    """What a thing is: words before a verb that tells it, and the few after."""
    at = next((at for at, word in enumerate(clause.words) if word.stem in lexicon.SLOTS and at), None)
    if at is None or clause.negated or clause.supposes:
        return
    before = frozenset(word.stem for word in clause.words[:at] if word.weight)
    after = frozenset(word.stem for word in clause.words[at + 1 :] if word.weight)
    if before and 0 < len(after) <= _MAX_COMPLEMENT:
        verb = lexicon.SLOTS[clause.words[at].stem]
        yield Claim(
            kind=ClaimKind.SLOT,
            subject=before,
            attribute=verb,
            value=after,
            negated=False,
            clause=clause,
            said=spoken(clause, after),
        )


def spoken(clause: Clause, stems: Collection[str], *, limit: int = 5) -> str:
    """The words of a clause that have these stems, as written, each once."""
    found: dict[str, str] = {}
    for word in clause.words:
        if word.stem in stems or lexicon.SAME.get(word.stem) in stems:
            found.setdefault(word.stem, word.raw)
    return " ".join(list(found.values())[:limit])
