"""Whether two claims that share their wording are about different things all the same.

By the marks of their sentences (files, identifiers, tickets, numbered names, hosts, versions, stages, platforms), by
what stands before the verb, and by what is said to hold "for" or "in" what. No weighing: of different things nothing
can be contradicted, however alike it is worded.
"""

from __future__ import annotations

import re
from itertools import pairwise

from clew.signals.facts import lexicon
from clew.signals.facts.claims import Claim, ClaimKind
from clew.signals.facts.clauses import Clause
from clew.signals.facts.marks import are_apart
from clew.signals.facts.words import PLAIN
from clew.text.vocabulary import words

#: After these it is said of what something holds, or where.
_OF_WHAT = words("for in on at of within inside under during")
_THEIRS = re.compile(
    r"\b(?:competitors?|(?:an)?other (?:team|project|company|repo|group)s?|their"
    r"|(?:my|a) (?:friend|brother|colleague))\b",
    re.IGNORECASE,
)
_WHOLE = lexicon.stems("project repo repository codebase everything here company default minute second hour day btw")


def speak_of_others(old: Claim, new: Claim) -> bool:
    """The two are about different things: neither can deny the other."""
    one, other = old.clause, new.clause
    # Where something goes is told by a path, of which version by a version: then these are no marks.
    without = "path" if old.attribute == "place" else old.attribute
    if old.attribute == "place" and old.subject != new.subject:
        return True
    if are_apart(one.marks, other.marks, without=without) or _is_theirs(one) != _is_theirs(other):
        return True
    if _kinds_differ(one, other):
        return True
    return old.kind is not ClaimKind.STATEMENT and (_heads_differ(old, new) or _purposes_differ(old, new))


def are_of_all(old: Claim, new: Claim) -> bool:
    """Both choose for the whole project, from what it has one of: nothing else is said that they could differ in."""
    return old.attribute in lexicon.EXCLUSIVE and all(map(_is_of_all, (old, new)))


def _is_of_all(claim: Claim) -> bool:
    core = claim.clause.core
    rest = claim.subject - _named(claim) - claim.value
    return not any(core.get(word, 0.0) >= PLAIN and word not in lexicon.VERBS for word in rest)


def _kinds_differ(one: Clause, other: Clause) -> bool:
    """Private methods and public ones; unless one of them is to be the default."""
    if "default" in one.stems and "default" in other.stems:
        return False
    classes = [{lexicon.POLES[word]: word for word in clause.kinds} for clause in (one, other)]
    return any(classes[0][name] != classes[1][name] for name in classes[0].keys() & classes[1].keys())


def _is_theirs(clause: Clause) -> bool:
    return bool(_THEIRS.search(clause.text))


def _heads_differ(old: Claim, new: Claim) -> bool:
    """What stands before the verb of either is nowhere in the other."""
    ours, theirs = (claim.clause.head & claim.subject - _named(claim) for claim in (old, new))
    return bool(ours and theirs) and ours.isdisjoint(new.clause.stems) and theirs.isdisjoint(old.clause.stems)


def _named(claim: Claim) -> frozenset[str]:
    """Words that only name what is chosen: the database is MySQL."""
    return lexicon.CLASS_NOUNS.get(claim.attribute, frozenset()) | _WHOLE


def _purposes_differ(old: Claim, new: Claim) -> bool:
    ours, theirs = _purposes(old), _purposes(new)
    return any(
        ours[word].isdisjoint(new.clause.stems) and theirs[word].isdisjoint(old.clause.stems)
        for word in ours.keys() & theirs.keys()
    )


def _purposes(claim: Claim) -> dict[str, frozenset[str]]:
    """The words after each preposition, where they are of weight and no value."""
    return {
        one: kept for one, found in _phrases(claim.clause).items() if (kept := found & claim.subject - _named(claim))
    }


def _phrases(clause: Clause) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    word = ""
    for before, after in pairwise(clause.words):
        opens = before.raw.lower()
        if opens in _OF_WHAT:
            word = opens
        elif not before.weight and after.weight == 0:
            word = ""
        if word and after.weight >= PLAIN and after.stem not in lexicon.VALUES:
            found[word] = found.get(word, frozenset()) | {after.stem}
        elif after.stem in lexicon.VERBS:
            word = ""
    return found
