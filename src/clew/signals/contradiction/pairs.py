"""Which claims of two statements can be held against each other at all: of one kind, about one thing, not the same.

Strict on purpose: what is not paired cannot be a false alarm. Questions, suppositions and what somebody is trying claim
nothing; a number must count the same thing; a denial must be about what the other side says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum

from clew.signals.contradiction.distinct_subjects import speak_of_others
from clew.signals.facts import lexicon
from clew.signals.facts.claims import COUNTED, Claim, ClaimKind, spoken
from clew.signals.facts.clauses import Clause
from clew.signals.facts.words import PLAIN

#: Pairs of claims looked at, of two statements; the first ones are the likeliest.
MAX_PAIRS = 400
#: Weight of shared words that makes two clauses speak of one thing; of what is only planned, more.
_BOND, _PLANNED_BOND = 1.3, 3.0
#: A clause of more words tells more than what one thing is.
_MANY = 8

Pair = tuple[Claim, Claim]


def pairs(old: Sequence[Claim], new: Sequence[Claim]) -> Iterator[Pair]:
    """Claims that exclude each other if they are about the same thing, the earlier one first."""
    for count, (one, other) in enumerate(_of_one_kind(old, new)):
        if count >= MAX_PAIRS:
            return
        if one.kind is not ClaimKind.STATEMENT:
            if _is_comparable(one, other) and not (speak_of_others(one, other) or _agrees(one, other, old, new)):
                yield one, other
        elif _is_bound(one, other) and not speak_of_others(one, other):
            if one.negated != other.negated:
                if _is_denied(one, other):
                    yield one, other
            elif swapped := _swapped(one, other):
                yield swapped


def _of_one_kind(old: Sequence[Claim], new: Sequence[Claim]) -> Iterator[Pair]:
    by_key: dict[tuple[ClaimKind, str], list[Claim]] = {}
    for claim in old:
        if claim.kind is not ClaimKind.EXPERIENCE and _claims(claim.clause):
            by_key.setdefault((claim.kind, claim.attribute), []).append(claim)
    for claim in new:
        if _claims(claim.clause):
            for other in by_key.get((claim.kind, claim.attribute), ()):
                yield other, claim


def _claims(clause: Clause) -> bool:
    return not clause.mood.is_open and not clause.is_quoted


def _is_comparable(old: Claim, new: Claim) -> bool:
    if old.clause.mood.tries or new.clause.mood.tries or (old.clause.mood.orders and new.clause.mood.orders):
        return False
    if old.kind is ClaimKind.QUANTITY:
        return old.value != new.value and _same_measure(old, new)
    if old.kind is ClaimKind.SLOT:
        return not old.value & new.value and bool(old.subject & new.subject)
    if old.negated and new.negated:
        return False
    return bool(old.value & new.value) == (old.negated != new.negated)


def _same_measure(old: Claim, new: Claim) -> bool:
    """A number without a unit counts the same thing; dates are of things that have one, not of what somebody did."""
    if old.attribute in {"date", "clock"}:
        moods = (old.clause.mood, new.clause.mood)
        return not any(mood.supposes or mood.does for mood in moods)
    if old.attribute != "number":
        return True
    counted = [{word for word in one.near if word.startswith(COUNTED)} for one in (old, new)]
    return counted[0] == counted[1] if all(counted) else bool(old.near & new.near)


def _agrees(old: Claim, new: Claim, olds: Sequence[Claim], news: Sequence[Claim]) -> bool:
    """The value of one side is said on the other as well, elsewhere in the same statement."""
    said, again = _values(olds, old), _values(news, new)
    return bool((not new.negated and said & new.value) or (not old.negated and again & old.value))


def _values(claims: Sequence[Claim], like: Claim) -> set[str]:
    key = (like.kind, like.attribute)
    return {value for one in claims if (one.kind, one.attribute) == key and not one.negated for value in one.value}


def _is_bound(old: Claim, new: Claim) -> bool:
    """Enough of the same words that the two may say the same, or its opposite."""
    shared = old.subject & new.subject
    if not shared:
        return False
    weight = fsum(old.clause.core[word] for word in shared)
    most = max(fsum(old.clause.core.values()), fsum(new.clause.core.values()))
    is_planned = old.clause.mood.supposes or new.clause.mood.supposes
    least = _PLANNED_BOND if is_planned else min(_BOND, 0.8 * most)
    return weight >= least and weight >= most / 3


def _is_denied(old: Claim, new: Claim) -> bool:
    """What one side denies is what the other says."""
    denying, saying = (old, new) if old.negated else (new, old)
    core, denied = denying.clause.core, denying.clause.denied
    said = fsum(core.get(word, 0.0) for word in denied & saying.subject)
    if said < fsum(core.get(word, 0.0) for word in denied) / 2:
        return False
    shared = fsum(core[word] for word in old.subject & new.subject)
    return said >= PLAIN or shared >= 0.8 * fsum(saying.clause.core.values())


def _swapped(old: Claim, new: Claim) -> Pair | None:
    """The same said with another name: each side has one word of weight that the other has not."""
    if old.negated or new.negated or not (_tells(old.clause) and _tells(new.clause)):
        return None
    one, other = old.clause.core, new.clause.core
    ours = [word for word, weight in one.items() if weight >= PLAIN and word not in other]
    theirs = [word for word, weight in other.items() if weight >= PLAIN and word not in one]
    if len(ours) != 1 or len(theirs) != 1 or not _is_swap(old.clause, new.clause, ours[0], theirs[0]):
        return None
    return _renamed(old, ours[0]), _renamed(new, theirs[0])


def _is_swap(old: Clause, new: Clause, ours: str, theirs: str) -> bool:
    """Both are names, at least one of them where the value stands."""
    if not _is_named(old, ours) or not _is_named(new, theirs) or {ours, theirs} & lexicon.VALUES:
        return False
    if _is_first(old, ours) and _is_first(new, theirs):
        return False
    return fsum(old.core[word] for word in old.core.keys() & new.core.keys()) >= PLAIN


def _renamed(claim: Claim, name: str) -> Claim:
    value = frozenset({name})
    said = spoken(claim.clause, value)
    return replace(claim, kind=ClaimKind.SLOT, attribute="name", value=value, subject=claim.subject - value, said=said)


def _is_named(clause: Clause, word: str) -> bool:
    return word in clause.names or (clause.words[0].stem == word and clause.words[0].raw[0].isupper())


def _is_first(clause: Clause, word: str) -> bool:
    """It stands before the verb: another word there is another thing, of which something else may hold."""
    verb = next(at for at, one in enumerate(clause.words) if one.stem in lexicon.SLOTS)
    return any(one.stem == word for one in clause.words[:verb])


def _tells(clause: Clause) -> bool:
    """It says what something is, not what was done or is to be done."""
    if clause.mood.supposes or clause.mood.orders or len(clause.core) > _MANY:
        return False
    return not clause.stems.isdisjoint(lexicon.SLOTS)
