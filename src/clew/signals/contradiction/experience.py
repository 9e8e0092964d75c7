"""What was done against what was never done: how much of the claim the other statement tells, and how."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from clew.signals.facts import lexicon
from clew.signals.facts.claims import Claim
from clew.signals.facts.clauses import Clause
from clew.signals.facts.words import PLAIN, weight_of

#: Words shared that count; a heavier bond counts no more.
_MUCH = 4.0
_MANY = 8


def witness(claim: Claim, others: Sequence[Clause]) -> Clause:
    """The clause that tells most of what was never done."""
    things = _weights(claim)
    return max(others, key=lambda one: (_covered(things, one.stems), one.mood.done, not one.asks))


def experience(
    claim: Claim, best: Clause, others: Sequence[Clause], *, is_later: bool, crowd: float
) -> dict[str, float]:
    """The features of a claim against the statement that ``best`` stands in."""
    things, deed = _weights(claim), claim.attribute
    total = sum(things.values())
    near = [one for one in others if one.sentence == best.sentence]
    beside = frozenset().union(*(one.stems for one in near))
    everywhere = frozenset().union(*(one.stems for one in others))
    covered = _covered(things, best.stems) / total
    is_done = any(one.mood.done and not one.mood.supposes for one in near)
    return {
        "bias": 1.0,
        "clause": covered,
        "sentence": _covered(things, beside) / total,
        "turn": _covered(things, everywhere) / total,
        "amount": min(_covered(things, beside), _MUCH) / _MUCH,
        "all": float(covered > 0.99),
        "head": share(claim.value, beside),
        "head in turn": share(claim.value, everywhere),
        **_names(claim, things, everywhere),
        **_deeds(deed, best, beside, covered),
        **_speech(best),
        "done": float(is_done),
        "done and covered": float(is_done) * covered,
        "tried and covered": float(best.mood.tries) * covered,
        "passing": float(claim.clause.mood.passing),
        "supposed": float(claim.clause.mood.supposes),
        "earlier": float(not is_later),
        "long": min(len(things), _MANY) / _MANY,
        "crowd": crowd,
    }


def _weights(claim: Claim) -> dict[str, float]:
    return {one: claim.clause.core.get(one, PLAIN) for one in sorted(claim.subject)}


def _names(claim: Claim, things: Mapping[str, float], everywhere: frozenset[str]) -> dict[str, float]:
    heavy = max(things.values())
    names = [one for one in things if one in claim.clause.names]
    found = share(names, everywhere)
    return {
        "top": share([one for one, weight in things.items() if weight == heavy], everywhere),
        "names": found,
        "names missing": 1.0 - found if names else 0.0,
    }


def _deeds(deed: str, best: Clause, beside: frozenset[str], covered: float) -> dict[str, float]:
    is_like = _is_like(deed, best.stems)
    is_missing = bool(deed) and not _is_like(deed, beside)
    return {
        "deed": float(deed in beside),
        "like deed": float(is_like),
        "other deed": float(is_missing),
        "telling deed missing": float(is_missing and weight_of(deed) >= PLAIN),
        "deed and covered": float(is_like) * covered,
    }


def _speech(best: Clause) -> dict[str, float]:
    return {
        "own": float(best.mood.first_person),
        "tried": float(best.mood.tries),
        "planned": float(best.mood.supposes),
        "asked": float(best.asks),
        "denied": float(best.mood.negated),
        "told to do": float(best.mood.orders or (best.mood.norm and not best.mood.done)),
        "dated": float(any(one.dimension in _DATED for one in best.quantities)),
    }


_DATED = frozenset({"date", "number", "money", "clock", "share"})


def share(wanted: Collection[str], found: Collection[str]) -> float:
    """How much of what is wanted is found."""
    return sum(one in found for one in wanted) / len(wanted) if wanted else 0.0


def _covered(things: Mapping[str, float], found: frozenset[str]) -> float:
    return sum(weight for one, weight in things.items() if one in found)


def _is_like(deed: str, others: frozenset[str]) -> bool:
    """The deed itself, or another that may tell of it; what may tell of anything does not."""
    groups = lexicon.DEEDS.get(deed, frozenset())
    return deed in others or any(
        groups & lexicon.DEEDS[one] for one in others & lexicon.DEEDS.keys() if one not in lexicon.ANY_DEED
    )
