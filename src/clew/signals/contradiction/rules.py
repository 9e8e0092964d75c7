"""What a rule comes to when replies are held against it: its values, what it chose, what it forbids and asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.signals.facts import lexicon
from clew.signals.facts.claims import Claim, ClaimKind, values_of
from clew.signals.facts.clauses import Clause, clauses_of
from clew.signals.facts.denials import denial, plainly
from clew.signals.facts.marks import Marks
from clew.signals.facts.places import Place, place_of
from clew.signals.facts.words import NAME, PLAIN, Word
from clew.text.memo import remember
from clew.text.vocabulary import words

_OF_ALL = re.compile(
    r"\b(?:everything|everywhere|only|throughout|(?:whole|entire) (?:project|app|system))\b", re.IGNORECASE
)
#: What is forbidden or asked for, but not always.
_CONDITION = re.compile(r"\b(?:without|unless|except|until|before|only|if|when|while|yet|explicit\w*)\b", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:at most|no more than|not (?:be )?(?:more|larger|longer|bigger) than|max(?:imum)?|under|below|up to|less than"
    r"|within|fewer than)\b",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(r"\b(?:at least|no less than|min(?:imum)?|more than|above|or more|and up)\b", re.IGNORECASE)
#: A rule of so few words is about each of them.
_FEW = 3
_CHOOSING = lexicon.stems("use prefer adopt choose pick decide agree stick go be settle standardize")
_PREPOSITIONS = words("in into for on to from at with of within inside under by before after as without")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ban:
    """What is forbidden or asked for: a verb, if one is named, what it is done to, and both as written."""

    verb: str
    things: frozenset[str]
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """``chosen`` what is to be used; ``bound`` is 1 where a number is the most, -1 where the least there may be;
    ``is_of_all`` where no exception is left; ``cues`` are stems, without any of which nothing denies the rule."""

    cues: frozenset[str]
    stems: frozenset[str]
    attributes: frozenset[str]
    marks: Marks
    claims: tuple[Claim, ...]
    chosen: frozenset[str]
    bans: tuple[Ban, ...]
    wishes: tuple[Ban, ...]
    place: Place | None
    bound: int
    is_of_all: bool


@remember(1_024)
def rule_of(text: str) -> Rule:
    """A rule as it is compared; one that holds only on a condition, or asks, comes to nothing."""
    clauses = list(_ruling(clauses_of(text)))
    always = [one for one in clauses if not _CONDITION.search(text, *one.sentence)]
    bans = tuple(ban for one in always for ban in _bans(one))
    claims = tuple(claim for one in clauses for claim in values_of(one) if _is_meant(claim, one, bans))
    places = [place for one in clauses if (place := place_of(one))]
    return Rule(
        cues=frozenset(_cues(clauses, claims)),
        stems=frozenset().union(*(one.stems for one in clauses)),
        attributes=frozenset(one.attribute for one in claims),
        marks=clauses[0].marks if clauses else {},
        claims=claims,
        chosen=frozenset(word for one in clauses for word in _chosen(one)),
        bans=bans,
        wishes=tuple(wish for one in always for wish in _wishes(one)),
        place=places[0] if places else None,
        bound=1 if _AT_MOST.search(text) else -1 if _AT_LEAST.search(text) else 0,
        is_of_all=bool(_OF_ALL.search(text)),
    )


def _ruling(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Those that hold whatever happens: a condition is one for the whole sentence."""
    depends = {one.sentence for one in clauses if one.mood.is_open}
    return (one for one in clauses if not (one.asks or one.is_quoted or one.sentence in depends))


def _cues(clauses: Sequence[Clause], claims: Sequence[Claim]) -> Iterator[str]:
    """Its own words of weight, and what else could be chosen."""
    for clause in clauses:
        yield from (word.stem for word in _heavy(clause.words))
    classes = {claim.attribute for claim in claims}
    for table in (lexicon.CHOICES, lexicon.POLES):
        yield from (word for word, name in table.items() if name in classes)


def _is_meant(claim: Claim, clause: Clause, bans: Sequence[Ban]) -> bool:
    """What is turned down is what is forbidden, not where: "no semicolons in TypeScript"."""
    if claim.attribute in {"date", "clock"}:
        return False
    if not clause.mood.negated or claim.kind is not ClaimKind.CHOICE or not claim.negated:
        return True
    return any(claim.value & ban.things for ban in bans)


def _bans(clause: Clause) -> Iterator[Ban]:
    at = denial(plainly(clause.words))
    if at is not None and clause.mood.negated and not clause.mood.passing:
        yield from _deed(clause, at)


def _wishes(clause: Clause) -> Iterator[Ban]:
    """What is to be done: an order, or what must be."""
    if clause.mood.negated or not clause.words:
        return
    said = plainly(clause.words)
    at = next((at for at, word in enumerate(said) if word in _MUST), -1)
    if at >= 0 or clause.words[0].stem in lexicon.VERBS:
        yield from _deed(clause, at)


_MUST = words("always must please should shall")


def _deed(clause: Clause, at: int) -> Iterator[Ban]:
    """What stands behind a place: the verb, and its object; or without one, who does it and where."""
    after = clause.words[at + 1 :]
    verb = next((word for word in after[:2] if word.stem in lexicon.VERBS and word.stem != "be"), None)
    rest = after[after.index(verb) + 1 :] if verb else after
    stop = next((place for place, word in enumerate(rest) if word.raw.lower() in _PREPOSITIONS), len(rest))
    things = _heavy(rest[:stop]) if stop else _heavy([*clause.words[: max(at, 0)], *rest])
    if things:
        shown = [*([verb] if verb else []), *(rest[:stop] if stop else rest)]
        said = " ".join(word.raw for word in shown)
        yield Ban(verb=verb.stem if verb else "", things=frozenset(word.stem for word in things), said=said)


def _heavy(found: Sequence[Word]) -> list[Word]:
    heavy = [word for word in found if word.weight >= PLAIN]
    return heavy or [word for word in found if word.weight]


def _chosen(clause: Clause) -> Iterator[str]:
    """What is to be used, up to what it is used for."""
    if clause.mood.negated or clause.stems.isdisjoint(_CHOOSING):
        return
    at = next(at for at, word in enumerate(clause.words) if word.stem in _CHOOSING)
    for word in clause.words[at + 1 :]:
        if word.raw.lower() in {"for", "with", "as", "in"} and word.start > clause.words[at + 1].start:
            return
        is_named = word.weight >= NAME or word.stem in lexicon.CHOICES or len(clause.core) <= _FEW
        if is_named and word.weight >= PLAIN and word.stem not in clause.rejected:
            yield word.stem
