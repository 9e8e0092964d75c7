"""A reply against what a person decided: which rule does a sentence deny that tells what the assistant did?

A rule is denied by another value of the same thing, by the opposite, by what it forbids being done, by what it asks
for being left out, and by what it chose being replaced. All that can be known of a rule is worked out once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.signals.contradiction.clash import Statement
from clew.signals.contradiction.distinct_subjects import speak_of_others
from clew.signals.contradiction.reported_deeds import Deed, deeds_in
from clew.signals.contradiction.rules import Ban, Rule, rule_of
from clew.signals.facts import lexicon
from clew.signals.facts.claims import COUNTED, Claim, ClaimKind, values_of
from clew.signals.facts.marks import are_apart
from clew.signals.facts.places import put_by
from clew.signals.facts.words import PLAIN
from clew.text.stems import statement_stem
from clew.text.vocabulary import words

#: How surely a rule is denied, by the way it is; what remains where it may have been meant of something else.
_REPLACED, _VALUE, _BANNED, _LEFT_OUT, _PLACED = 0.9, 0.87, 0.82, 0.82, 0.82
_LOOSE = 0.65
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of|replac(?:ed|ing)|swapp?ed(?: out)?|dropped) (?:the |our )?"
    r"([\w.+#-]{2,40})",
    re.IGNORECASE,
)
_LEAVING = re.compile(r"\b(?:skipp(?:ed|ing)|omitted|left (?:out|off)|bypassed|without)\b", re.IGNORECASE)
_NOT_YET = re.compile(r"\b(?:yet|still|need(?:ed)?|able)\b", re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:limits?|limited|max(?:imum)?|min(?:imum)?|cap(?:ped)?|and up|at (?:most|least)|up to)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """A rule, by its id, that a reply denies: ``score`` 0 to 1 how surely, the sentence that does, and what it is
    about: what was ruled / what was done."""

    rule: str
    score: float
    evidence: str
    about: str


def against(reply: str, rules: Sequence[Statement]) -> tuple[Denial, ...]:
    """The rules that a reply denies, the surest first, each once with its surest sentence."""
    found: dict[str, Denial] = {}
    known = [(one.id, rule_of(one.text)) for one in rules]
    cues = frozenset().union(*(rule.cues for _, rule in known))
    for deed in deeds_in(reply, cues) if known else ():
        claims = [claim for claim in values_of(deed.clause) if claim.attribute not in {"date", "clock"}]
        for id, rule in known:
            for score, about in _denials(rule, deed, claims):
                denial = Denial(rule=id, score=round(score * deed.surely, 4), evidence=deed.sentence, about=about)
                if id not in found or denial.score > found[id].score:
                    found[id] = denial
    return tuple(sorted(found.values(), key=lambda one: (-one.score, one.rule)))


def _denials(rule: Rule, deed: Deed, claims: Sequence[Claim]) -> Iterator[tuple[float, str]]:
    if rule.stems.isdisjoint(deed.clause.stems) and not rule.attributes.intersection(one.attribute for one in claims):
        return
    if are_apart(rule.marks, deed.clause.marks, without="path"):
        return
    yield from _other_values(rule, deed, claims)
    yield from _replaced(rule, deed)
    if not are_apart(rule.marks, deed.clause.marks):
        yield from _banned(rule, deed)
        yield from _left_out(rule, deed)
    yield from _misplaced(rule, deed)


# ── another value ────────────────────────────────────────────────────────────────────────────────────


def _other_values(rule: Rule, deed: Deed, claims: Sequence[Claim]) -> Iterator[tuple[float, str]]:
    for new in claims if not deed.takes_away else ():
        for old in rule.claims:
            if (old.kind, old.attribute) == (new.kind, new.attribute) and _is_other(rule, old, new, claims):
                bond = _bond(rule, old, new, deed)
                if bond and not speak_of_others(old, new):
                    yield _VALUE * bond, f"{old.said} / {new.said}"


def _is_other(rule: Rule, old: Claim, new: Claim, claims: Sequence[Claim]) -> bool:
    if any(one.attribute == old.attribute and one.value & old.value and one.negated == old.negated for one in claims):
        return False
    if old.kind is ClaimKind.QUANTITY:
        return old.value != new.value and _counts_the_same(old, new) and not _is_within(rule, old, new)
    if old.negated and new.negated:
        return False
    return bool(old.value & new.value) == (old.negated != new.negated)


def _counts_the_same(old: Claim, new: Claim) -> bool:
    if old.attribute != "number":
        return True
    counted = [{word for word in one.near if word.startswith(COUNTED)} for one in (old, new)]
    return counted[0] == counted[1] if all(counted) else bool(old.near & new.near)


def _is_within(rule: Rule, old: Claim, new: Claim) -> bool:
    """At most 10 allows 5, unless it is the limit itself that was set."""
    if _LIMIT.search(new.clause.text) or not rule.bound or old.attribute == "version":
        return False
    ours, theirs = (float(next(iter(one.value))) for one in (old, new))
    return theirs < ours if rule.bound > 0 else theirs > ours


def _bond(rule: Rule, old: Claim, new: Claim, deed: Deed) -> float:
    """How surely both are about one thing: one of them says nothing of it that the other does not say too."""
    if old.kind is ClaimKind.QUANTITY and deed.verbs.isdisjoint(_SETTING):
        return 0.0
    ours, theirs = _subject(old), (_subject(new) | (deed.it & _subject(old))) - deed.verbs
    if ours & theirs:
        return 1.0 if not ours - theirs or not theirs - ours else 0.0
    if ours and theirs and not rule.is_of_all:
        return 0.0
    if old.kind is ClaimKind.QUANTITY:
        return float(not ours and not theirs and bool(old.near & new.near))
    if old.kind is not ClaimKind.CHOICE or deed.verbs.isdisjoint(_MAKING):
        return 0.0
    is_one = old.attribute in lexicon.EXCLUSIVE
    if (is_one and (rule.is_of_all or not deed.verbs.isdisjoint(_SWITCHING))) or (
        not ours and not theirs and (is_one or _are_named(old, new))
    ):
        return 1.0
    return _LOOSE if is_one else 0.0


def _are_named(old: Claim, new: Claim) -> bool:
    """Both say what it is: the ids are integers."""
    return bool(lexicon.CLASS_NOUNS.get(old.attribute, frozenset()) & old.clause.stems & new.clause.stems)


_SETTING = lexicon.stems(
    "set configure raise lower increase decrease change limit cap bump make update use allow reduce extend adjust"
    " upgrade downgrade implement default be add switch pin go define enforce shorten keep expose bind listen restrict"
    " widen double"
)
_SWITCHING = lexicon.stems("switch migrate move")
_GENERIC = lexicon.stems(
    "limit maximum minimum max min least most only up project repository codebase default entire thing size larger"
    " longer configure enable disable increase expiry agree decide switch install"
)


def _subject(claim: Claim) -> frozenset[str]:
    """The words of weight that say what a claim is about."""
    core, named = claim.clause.core, lexicon.CLASS_NOUNS.get(claim.attribute, frozenset()) | _GENERIC
    heavy = (one for one in claim.subject - named if core.get(one, 0.0) >= PLAIN)
    return frozenset(heavy) - (lexicon.CHOICES.keys() if claim.kind is ClaimKind.CHOICE else frozenset())


# ── what was chosen, forbidden or asked for ──────────────────────────────────────────────────────────


def _replaced(rule: Rule, deed: Deed) -> Iterator[tuple[float, str]]:
    for match in _INSTEAD.finditer(deed.clause.text):
        name = match[1].rstrip(".,")
        if statement_stem(name) in rule.chosen:
            yield _REPLACED, f"{name} / {match[0].rstrip('.,')}"


def _banned(rule: Rule, deed: Deed) -> Iterator[tuple[float, str]]:
    if deed.clause.mood.negated or deed.takes_away or _SPARED.search(deed.clause.text):
        return
    for ban in rule.bans:
        if ban.things <= _done_to(ban, deed) and _does_that(ban, deed):
            yield _BANNED, f"not {ban.said} / {ban.said}"


def _done_to(ban: Ban, deed: Deed) -> frozenset[str]:
    """What the deed is done to: all that the clause names; of what takes another's place, what is taken; and after a
    verb that is named, what follows it."""
    found = deed.clause.words
    if not deed.verbs.isdisjoint(_REPLACING):
        at = next((at for at, word in enumerate(found) if word.raw.lower() in _WITH), len(found))
    elif ban.verb in _LIKE:
        return deed.clause.stems
    else:
        at = next((at for at, word in enumerate(found) if word.stem == ban.verb), len(found))
    return frozenset(word.stem for word in found[at:])


def _does_that(ban: Ban, deed: Deed) -> bool:
    """The deed is of the kind that is forbidden: "never commit" says nothing against reading."""
    if ban.verb in _LIKE:
        return not deed.verbs.isdisjoint(_LIKE[ban.verb])
    return ban.verb in deed.verbs or ban.verb in deed.present


_REPLACING = lexicon.stems("replace convert turn migrate swap rewrite")
_WITH = words("with to into by")
_SPARED = re.compile(r"\b(?:instead of|rather than|avoid\w*|out of)\b", re.IGNORECASE)
_CHANGING = lexicon.stems(
    "touch change edit modify update alter fix add remove delete rename refactor rewrite move adjust patch replace"
)
_ADDING = lexicon.stems("add introduce install include create write put bring import generate make commit use")
_STORING = lexicon.stems("go put store save add commit push write move copy place hardcode keep include")
_MAKING = _ADDING | lexicon.stems(
    "implement switch set replace configure build convert move store migrate adopt choose wire export pick deploy run"
    " host change update rewrite port be indent rename go"
)
#: What may be done where a verb is forbidden; of all others, only that one.
_LIKE = (
    dict.fromkeys(lexicon.stems("touch change edit modify update alter"), _CHANGING)
    | dict.fromkeys(lexicon.stems("add introduce install include create have need contain import"), _ADDING)
    | dict.fromkeys(lexicon.stems("go put store save place keep"), _STORING)
    | {"use": _MAKING, "": _MAKING}
)


def _left_out(rule: Rule, deed: Deed) -> Iterator[tuple[float, str]]:
    text = deed.clause.text
    if _NOT_YET.search(text):
        return
    for wish in rule.wishes:
        is_left = _LEAVING.search(text) or (deed.clause.mood.negated and wish.verb in deed.clause.stems)
        if is_left and wish.things <= (deed.clause.denied or deed.clause.stems):
            yield _LEFT_OUT, f"{wish.said} / not {wish.said}"


def _misplaced(rule: Rule, deed: Deed) -> Iterator[tuple[float, str]]:
    place = put_by(deed.clause) if rule.place else None
    if place and rule.place and place.thing == rule.place.thing and place.where.isdisjoint(rule.place.where):
        yield _PLACED, f"{rule.place.said} / {place.said}"
