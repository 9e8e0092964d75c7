"""A value against another, so against not so: how alike the clauses are otherwise, and how they speak."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import fsum

from clew.signals.contradiction.distinct_subjects import are_of_all
from clew.signals.contradiction.experience import share
from clew.signals.facts import lexicon
from clew.signals.facts.claims import Claim, ClaimKind
from clew.signals.facts.clauses import Clause
from clew.signals.facts.words import PLAIN

#: Words shared that count; a heavier bond counts no more.
_MUCH = 4.0
#: What is chosen for all is one thing, in whatever words.
_BOUND = {"shared": 0.5, "cover earlier": 1.0, "cover later": 1.0, "cover least": 1.0, "apart": 0.0}
_BOUNDS = re.compile(
    r"\b(?:limit(?:s|ed)?|max(?:imum)?|min(?:imum)?|at (?:most|least)|(?:no|not) (?:more|less|fewer) than|up to)\b",
    re.IGNORECASE,
)
_ALWAYS = re.compile(r"\b(?:always|never|every|must|nobody)\b", re.IGNORECASE)


def value(old: Claim, new: Claim, crowd: float) -> dict[str, float]:
    """The features of two values of one attribute."""
    kind = old.kind
    deeds = (old.clause.mood.does, new.clause.mood.does)
    of_all = kind is ClaimKind.CHOICE and are_of_all(old, new)
    return (
        _common(old, new, crowd)
        | (_BOUND if of_all else {})
        | {
            "near": _jaccard(old.subject, new.subject) if kind is ClaimKind.SLOT else _jaccard(old.near, new.near),
            "quantity": float(kind is ClaimKind.QUANTITY),
            "number": float(old.attribute == "number"),
            "choice": float(kind is ClaimKind.CHOICE),
            "pole": float(kind is ClaimKind.POLE),
            "slot": float(kind is ClaimKind.SLOT),
            "name": float(old.attribute == "name"),
            "deeds": float(any(deeds)),
            "both deeds": float(all(deeds)),
            "denied": float(kind is not ClaimKind.QUANTITY and old.negated != new.negated),
            "measure": float(kind is ClaimKind.QUANTITY and bool((old.subject | new.subject) & lexicon.MEASURES)),
            "bounds": float(bool(_BOUNDS.search(old.clause.text) and _BOUNDS.search(new.clause.text))),
            "bare": float(not of_all and not old.subject & new.subject),
        }
    )


def polarity(old: Claim, new: Claim, crowd: float) -> dict[str, float]:
    """The features of a statement and its denial."""
    one, other = old.clause, new.clause
    denying, saying = (old, new) if old.negated else (new, old)
    return _common(old, new, crowd) | {
        "state": float(bool(old.subject & new.subject & lexicon.STATES)),
        "always": float(bool(_ALWAYS.search(one.text) or _ALWAYS.search(other.text))),
        "earlier denies": float(old.negated),
        "earlier denies a state": float(old.negated and (one.mood.passing or other.mood.passing)),
        "said of denied": share(denying.clause.denied, saying.subject),
        "same words": float(_say_the_same(old, new)),
        "short": float(min(len(old.subject), len(new.subject)) < 3),
        "choices apart": float(_flat(one.choices) != _flat(other.choices)),
        "knowing": float(bool((old.subject | new.subject) & lexicon.KNOWING)),
    }


def _common(old: Claim, new: Claim, crowd: float) -> dict[str, float]:
    one, other = old.clause, new.clause
    shared = fsum(min(one.core[word], other.core[word]) for word in old.subject & new.subject)
    ours, theirs = fsum(one.core[word] for word in old.subject), fsum(other.core[word] for word in new.subject)
    covers = (shared / (ours or 1.0), shared / (theirs or 1.0))
    apart = min(len((one.names & old.subject) - new.subject), len((other.names & new.subject) - old.subject))
    return {
        "bias": 1.0,
        "shared": min(shared, _MUCH) / _MUCH,
        "cover earlier": covers[0],
        "cover later": covers[1],
        "cover least": min(covers),
        "names": min(len(one.names & other.names), 2) / 2,
        "names apart": min(apart, 2) / 2,
        "apart": min(min(ours, theirs) - shared, _MUCH) / _MUCH,
        "modifiers apart": float(_modifiers_differ(old, new)),
        "scope": float(_scopes_differ(one, other)),
        "deed": float(bool(one.stems & other.stems & lexicon.DEEDS.keys())),
        **_speech(one, other),
        "crowd": crowd,
    }


def _speech(one: Clause, other: Clause) -> dict[str, float]:
    ours, theirs = one.mood, other.mood
    return {
        "supposed": float(ours.supposes or theirs.supposes),
        "ordered": float(ours.orders or theirs.orders),
        "both ordered": float(ours.orders and theirs.orders),
        "norm": float(ours.norm or theirs.norm),
        "both norm": float(ours.norm and theirs.norm),
        # What must be so does not pass, be it a state.
        "passing": float((ours.passing or theirs.passing) and not (ours.norm and theirs.norm)),
    }


def _modifiers_differ(old: Claim, new: Claim) -> bool:
    """The free plan and the team plan: one word for both, and another one before it, which is not the value."""
    ours, theirs = old.clause.modified, new.clause.modified
    either, both = old.subject | new.subject, old.subject & new.subject
    before = ({ours[word], theirs[word]} for word in ours.keys() & theirs.keys() if ours[word] != theirs[word])
    return any(words <= either and not words <= both for words in before)


def _scopes_differ(one: Clause, other: Clause) -> bool:
    """Each says of which of several things it speaks, and they are not the same."""
    return any(one.scopes[name] != other.scopes[name] for name in one.scopes.keys() & other.scopes.keys())


def _say_the_same(old: Claim, new: Claim) -> bool:
    """All words of weight are the same, and nothing is told of a time, a deed or an order."""
    if any(one.passing or one.orders or one.does or one.supposes for one in (old.clause.mood, new.clause.mood)):
        return False
    return _heavy(old) == _heavy(new)


def _heavy(claim: Claim) -> frozenset[str]:
    return frozenset(word for word in claim.subject if claim.clause.core[word] >= PLAIN)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _flat(table: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*table.values())
