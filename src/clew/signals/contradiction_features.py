"""Where two statements may clash, and what speaks for and against it, as numbers that the model weighs.

Three ways to clash: what was done against what was never done, a value against another value, so against not so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2

from clew.signals import facts_lexicon as lexicon
from clew.signals.facts import Claim, ClaimKind, facts_of, spoken
from clew.signals.facts_clauses import Clause, clauses_of
from clew.signals.facts_words import PLAIN, weight_of

#: Pairs of claims looked at, of two statements; the first ones are the likeliest.
MAX_PAIRS = 400
#: Words shared that count; a heavier bond counts no more.
_MUCH = 4.0
_IS = {False: "yes", True: "no"}
_ALWAYS = re.compile(r"\b(?:always|never|every|must|nobody)\b", re.IGNORECASE)
#: A clause of more words tells more than what one thing is.
_MANY = 8
_DATED = {"date", "number", "money", "clock", "share"}


@dataclass(frozen=True, slots=True)
class Bout:
    """A claim of each side, and the features by name."""

    way: str
    earlier: Clause
    later: Clause
    about: str
    features: Mapping[str, float]


def bouts(earlier: str, later: str) -> Iterator[Bout]:
    """Every way in which the later statement may clash with the earlier one."""
    old, new = facts_of(earlier), facts_of(later)
    crowd = log2(1 + len(clauses_of(earlier)) * len(clauses_of(later))) / 8
    yield from _experiences(new, clauses_of(earlier), is_later=True, crowd=crowd)
    yield from _experiences(old, clauses_of(later), is_later=False, crowd=crowd)
    for count, (one, other) in enumerate(_comparable(old, new)):
        if count >= MAX_PAIRS:
            return
        if one.kind is not ClaimKind.STATEMENT:
            if not _agrees(one, other, old, new):
                yield _value(one, other, crowd)
        elif one.negated != other.negated:
            if _is_denied(one, other):
                yield _polarity(one, other, crowd)
        elif swapped := _swapped(one, other):
            yield _value(*swapped, crowd)


def _comparable(old: Sequence[Claim], new: Sequence[Claim]) -> Iterator[tuple[Claim, Claim]]:
    by_key: dict[tuple[ClaimKind, str], list[Claim]] = {}
    for claim in old:
        if claim.clause.is_open:
            continue
        by_key.setdefault((claim.kind, claim.attribute), []).append(claim)
    for claim in new:
        if claim.clause.is_open:
            continue
        for other in by_key.get((claim.kind, claim.attribute), ()):
            if _is_comparable(other, claim):
                yield other, claim


def _is_comparable(old: Claim, new: Claim) -> bool:
    if old.kind is ClaimKind.EXPERIENCE:
        return False
    if old.kind is ClaimKind.STATEMENT:
        return _is_bound(old, new)
    if old.kind is ClaimKind.QUANTITY:
        return old.value != new.value and _same_measure(old, new)
    if old.kind is ClaimKind.SLOT:
        return not old.value & new.value and bool(old.subject & new.subject)
    if old.negated and new.negated:
        return False
    return bool(old.value & new.value) == (old.negated != new.negated)


def _same_measure(old: Claim, new: Claim) -> bool:
    """Both tell of what is, and a number without a unit counts the same thing; dates are of things that have one."""
    if old.clause.tries or new.clause.tries:
        return False
    if old.attribute in {"date", "clock"}:
        return not (old.clause.supposes or new.clause.supposes or old.clause.does or new.clause.does)
    return old.attribute != "number" or bool(old.near & new.near)


def _is_bound(old: Claim, new: Claim) -> bool:
    """Enough of the same words that the two may say the same, or its opposite; of what is only supposed, more."""
    shared = old.subject & new.subject
    if not shared:
        return False
    weight = sum(old.clause.core[word] for word in shared)
    most = max(sum(old.clause.core.values()), sum(new.clause.core.values()))
    least = 3 * PLAIN if old.clause.supposes or new.clause.supposes else PLAIN
    return weight >= least and weight >= most / 3


def _is_denied(old: Claim, new: Claim) -> bool:
    """What one side denies is what the other says."""
    denying, saying = (old, new) if old.negated else (new, old)
    denied = denying.clause.denied
    weight = sum(denying.clause.core.get(word, 0.0) for word in denied)
    said = sum(denying.clause.core.get(word, 0.0) for word in denied & saying.subject)
    least = sum(saying.clause.core.values()) * 0.8
    return said >= weight / 2 and (
        said >= PLAIN or sum(denying.clause.core[w] for w in old.subject & new.subject) >= least
    )


def _swapped(old: Claim, new: Claim) -> tuple[Claim, Claim] | None:
    """The same said with another name: each side has one word of weight that the other has not."""
    if old.negated or new.negated or not (_tells(old.clause) and _tells(new.clause)):
        return None
    one, other = old.clause.core, new.clause.core
    ours = [word for word, weight in one.items() if weight >= PLAIN and word not in other]
    theirs = [word for word, weight in other.items() if weight >= PLAIN and word not in one]
    if len(ours) != 1 or len(theirs) != 1 or not (_is_named(old.clause, ours[0]) and _is_named(new.clause, theirs[0])):
        return None
    if _is_first(old.clause, ours[0]) and _is_first(new.clause, theirs[0]):
        return None
    if {ours[0], theirs[0]} & lexicon.VALUES or sum(one[word] for word in one.keys() & other.keys()) < PLAIN:
        return None
    return (
        replace(
            old,
            kind=ClaimKind.SLOT,
            attribute="name",
            value=frozenset(ours),
            subject=old.subject - set(ours),
            said=spoken(old.clause, ours),
        ),
        replace(
            new,
            kind=ClaimKind.SLOT,
            attribute="name",
            value=frozenset(theirs),
            subject=new.subject - set(theirs),
            said=spoken(new.clause, theirs),
        ),
    )


def _is_named(clause: Clause, word: str) -> bool:
    return word in clause.names or (clause.words[0].stem == word and clause.words[0].raw[0].isupper())


def _tells(clause: Clause) -> bool:
    """It says what something is, not what was done or is to be done."""
    if clause.supposes or clause.orders or len(clause.core) > _MANY:
        return False
    return any(word.stem in lexicon.SLOTS for word in clause.words)


def _is_first(clause: Clause, word: str) -> bool:
    """It stands before the verb: another word there is another thing, of which something else may hold."""
    verb = next(at for at, one in enumerate(clause.words) if one.stem in lexicon.SLOTS)
    return any(one.stem == word for one in clause.words[:verb])


# ── what was never done ──────────────────────────────────────────────────────────────────────────────


def _experiences(claims: Sequence[Claim], others: Sequence[Clause], *, is_later: bool, crowd: float) -> Iterator[Bout]:
    for claim in claims:
        if claim.kind is ClaimKind.EXPERIENCE and others:
            yield _experience(claim, others, is_later=is_later, crowd=crowd)


def _experience(claim: Claim, others: Sequence[Clause], *, is_later: bool, crowd: float) -> Bout:
    things = {one: claim.clause.core.get(one, PLAIN) for one in sorted(claim.subject)}
    deed, total = claim.attribute, sum(things.values())
    best = max(others, key=lambda one: (_covered(things, _all_words(one)), one.done, not one.asks))
    near = [one for one in others if one.sentence == best.sentence]
    in_best, beside = _all_words(best), set().union(*map(_all_words, near))
    everywhere = set().union(*map(_all_words, others))
    heavy = max(things.values())
    top = [one for one, weight in things.items() if weight == heavy]
    covered = _covered(things, in_best) / total
    names = [one for one in things if one in claim.clause.names]
    is_done = any(one.done and not one.supposes for one in near)
    features = {
        "bias": 1.0,
        "clause": covered,
        "sentence": _covered(things, beside) / total,
        "turn": _covered(things, everywhere) / total,
        "amount": min(_covered(things, beside), _MUCH) / _MUCH,
        "top": sum(one in everywhere for one in top) / len(top),
        "all": float(covered > 0.99),
        "head": _share(claim.value, beside),
        "head in turn": _share(claim.value, everywhere),
        "names": _share(names, everywhere),
        "names missing": 1.0 - _share(names, everywhere) if names else 0.0,
        "deed": float(deed in beside),
        "like deed": float(_is_like(deed, in_best)),
        "other deed": float(bool(deed) and not _is_like(deed, beside)),
        "telling deed missing": float(weight_of(deed) >= PLAIN and not _is_like(deed, beside)),
        "told to do": float(best.orders or best.norm and not best.done),
        "done": float(is_done),
        "own": float(best.first_person),
        "tried": float(best.tries),
        "tried and covered": float(best.tries) * covered,
        "planned": float(best.supposes),
        "asked": float(best.asks),
        "denied": float(best.negated),
        "dated": float(any(one.dimension in _DATED for one in best.quantities)),
        "passing": float(claim.clause.passing),
        "supposed": float(claim.clause.supposes),
        "earlier": float(not is_later),
        "long": min(len(things), 8) / 8,
        "crowd": crowd,
        "done and covered": float(is_done) * covered,
        "deed and covered": float(_is_like(deed, in_best)) * covered,
    }
    pair = (best, claim.clause) if is_later else (claim.clause, best)
    about = spoken(claim.clause, [*things, deed])
    return Bout("experience", *pair, f"never {about}", features)


def _share(wanted: Collection[str], found: set[str]) -> float:
    return sum(one in found for one in wanted) / len(wanted) if wanted else 0.0


def _all_words(clause: Clause) -> set[str]:
    return {word.stem for word in clause.words}


def _covered(things: Mapping[str, float], found: set[str]) -> float:
    return sum(weight for one, weight in things.items() if one in found)


def _is_like(deed: str, others: set[str]) -> bool:
    """The deed itself, or another that may tell of it; what may tell of anything does not."""
    groups = lexicon.DEEDS.get(deed, frozenset())
    return deed in others or any(
        groups & lexicon.DEEDS.get(one, frozenset()) for one in others if one not in lexicon.ANY_DEED
    )


# ── a value against another ──────────────────────────────────────────────────────────────────────────


def _value(old: Claim, new: Claim, crowd: float) -> Bout:
    features = _common(old, new, crowd)
    kind = old.kind
    features |= {
        "near": _near(old, new),
        "quantity": float(kind is ClaimKind.QUANTITY),
        "number": float(old.attribute == "number"),
        "choice": float(kind is ClaimKind.CHOICE),
        "pole": float(kind is ClaimKind.POLE),
        "deeds": float(old.clause.does or new.clause.does),
        "both deeds": float(old.clause.does and new.clause.does),
        "slot": float(kind is ClaimKind.SLOT),
        "name": float(old.attribute == "name"),
        "denied": float(kind is not ClaimKind.QUANTITY and old.negated != new.negated),
        "measure": float(bool((old.subject | new.subject) & lexicon.MEASURES)),
        "bare": float(not old.subject & new.subject),
    }
    about = spoken(new.clause, old.subject & new.subject) or old.attribute
    return Bout("value", old.clause, new.clause, f"{about}: {old.said} / {new.said}", features)


def _near(old: Claim, new: Claim) -> float:
    """How much of what stands next to the values is the same."""
    if old.kind is ClaimKind.SLOT:
        return _jaccard(old.subject, new.subject)
    return _jaccard(old.near, new.near) if old.near or new.near else 0.0


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _agrees(old: Claim, new: Claim, olds: Sequence[Claim], news: Sequence[Claim]) -> bool:
    """The value of one side is said on the other as well, elsewhere in the same statement."""
    said, again = _values(olds, old), _values(news, new)
    return bool((not new.negated and said & new.value) or (not old.negated and again & old.value))


def _values(claims: Sequence[Claim], like: Claim) -> set[str]:
    key = (like.kind, like.attribute)
    return {value for one in claims if (one.kind, one.attribute) == key and not one.negated for value in one.value}


# ── so against not so ────────────────────────────────────────────────────────────────────────────────


def _polarity(old: Claim, new: Claim, crowd: float) -> Bout:
    one, other = old.clause, new.clause
    features = _common(old, new, crowd)
    features |= {
        "state": float(bool(old.subject & new.subject & lexicon.STATES)),
        "always": float(bool(_ALWAYS.search(one.text) or _ALWAYS.search(other.text))),
        "earlier denies": float(old.negated),
        "earlier denies a state": float(old.negated and (one.passing or other.passing)),
        "said of denied": _said_of_denied(old, new),
        "short": float(min(len(old.subject), len(new.subject)) < 3),
        "choices apart": float(_flat(one.choices) != _flat(other.choices)),
        "knowing": float(bool((old.subject | new.subject) & lexicon.KNOWING)),
    }
    about = spoken(other, old.subject & new.subject)
    return Bout("polarity", one, other, f"{about}: {_IS[old.negated]} / {_IS[new.negated]}", features)


def _said_of_denied(old: Claim, new: Claim) -> float:
    denying, saying = (old, new) if old.negated else (new, old)
    return _share(denying.clause.denied, set(saying.subject))


def _flat(table: Mapping[str, frozenset[str]]) -> set[str]:
    return set().union(*table.values())


def _common(old: Claim, new: Claim, crowd: float) -> dict[str, float]:
    one, other = old.clause, new.clause
    shared = sum(min(one.core[word], other.core[word]) for word in old.subject & new.subject)
    ours, theirs = sum(one.core[word] for word in old.subject), sum(other.core[word] for word in new.subject)
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
        "supposed": float(one.supposes or other.supposes),
        "ordered": float(one.orders or other.orders),
        "both ordered": float(one.orders and other.orders),
        "norm": float(one.norm or other.norm),
        "both norm": float(one.norm and other.norm),
        "passing": float(one.passing or other.passing),
        "deed": float(_same_deed(one, other)),
        "crowd": crowd,
    }


def _modifiers_differ(old: Claim, new: Claim) -> bool:
    """The free plan and the team plan: one word for both, and another one before it, neither of which is the value."""
    ours, theirs = old.clause.modified, new.clause.modified
    return any(
        ours[word] != theirs[word]
        and {ours[word], theirs[word]} <= old.subject | new.subject
        and not {ours[word], theirs[word]} <= old.subject & new.subject
        for word in ours.keys() & theirs.keys()
    )


def _scopes_differ(one: Clause, other: Clause) -> bool:
    """Each says of which of several things it speaks, and they are not the same."""
    return any(one.scopes[name] != other.scopes[name] for name in one.scopes.keys() & other.scopes.keys())


def _same_deed(one: Clause, other: Clause) -> bool:
    deeds = {word.stem for word in one.words if word.stem in lexicon.DEEDS}
    return bool(deeds & {word.stem for word in other.words})
