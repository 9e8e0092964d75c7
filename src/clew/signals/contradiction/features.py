"""Where two statements may clash, and what speaks for and against it, as numbers that the model weighs.

Three ways to clash: what was done against what was never done, a value against another value, so against not so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from clew.signals.contradiction.experience import experience, witness
from clew.signals.contradiction.pairs import pairs
from clew.signals.contradiction.values import polarity, value
from clew.signals.facts.claims import Claim, ClaimKind, facts_of, spoken
from clew.signals.facts.clauses import Clause, clauses_of

_IS = {False: "yes", True: "no"}


@dataclass(frozen=True, slots=True)
class Bout:
    """One way in which two statements may clash: a clause of each, what they differ in, and the features by name."""

    way: str
    earlier: Clause
    later: Clause
    about: str
    features: Mapping[str, float]


def bouts(earlier: str, later: str) -> Iterator[Bout]:
    """Every way in which the later statement may clash with the earlier one."""
    old, new = facts_of(earlier), facts_of(later)
    before, after = clauses_of(earlier), clauses_of(later)
    # Long statements share words by chance.
    crowd = log2(1 + len(before) * len(after)) / 8
    yield from _experiences(new, before, is_later=True, crowd=crowd)
    yield from _experiences(old, after, is_later=False, crowd=crowd)
    for one, other in pairs(old, new):
        if one.kind is ClaimKind.STATEMENT:
            about = f"{spoken(other.clause, one.subject & other.subject)}: {_IS[one.negated]} / {_IS[other.negated]}"
            yield Bout("polarity", one.clause, other.clause, about, polarity(one, other, crowd))
        else:
            about = spoken(other.clause, one.subject & other.subject) or one.attribute
            about = f"{about}: {one.said} / {other.said}"
            yield Bout("value", one.clause, other.clause, about, value(one, other, crowd))


def _experiences(claims: Sequence[Claim], others: Sequence[Clause], *, is_later: bool, crowd: float) -> Iterator[Bout]:
    for claim in claims if others else ():
        if claim.kind is ClaimKind.EXPERIENCE:
            best = witness(claim, others)
            features = experience(claim, best, others, is_later=is_later, crowd=crowd)
            about = f"never {spoken(claim.clause, claim.subject | {claim.attribute})}"
            sides = (best, claim.clause) if is_later else (claim.clause, best)
            yield Bout("experience", *sides, about, features)
