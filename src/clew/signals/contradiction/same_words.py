"""Two clauses that say the same with another value: another quantity, another name, or so against not so.

Nothing is weighed: all words that say something must be the same, but for the one that differs. Of other things other
values hold, however alike it is worded; so most contradictions are missed here, and next to none is told wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum

from clew.signals.contradiction.clauses import Clause, clauses_of
from clew.signals.contradiction.quantities import Quantity
from clew.signals.contradiction.words import NAME, PLAIN, stems
from clew.text.memo import remember
from clew.text.vocabulary import in_order

#: Clauses of a statement that are compared.
MAX_FRAMES = 24
#: How many words of a clause are shown.
_SHOWN = 5
#: What the words of a clause have to weigh together to name a thing that there is one of.
_LEAST_WEIGHT = 1.3
#: Only said to join the value to its thing: "the API is on port 80", "the API listens on port 80".
_JOINING = stems("be listen run bind serve set always every each")
#: Said of what is ruled, not of what was counted or is asked for once.
_HOLDS = re.compile(
    r"\b(?:is|are|must|always|never|each|every|we|our|may|limit(?:ed|s)?|at (?:most|least)|no more than|max(?:imum)?"
    r"|min(?:imum)?|under|up to|expires?|listens?|pinned|targets?|supports?|kept|keep|lasts?|allows?"
    r"|runs?|uses?|do(?:es)? not|prefer)\b"
    r"|^(?:please )?(?:use|indent|answer|store|follow|not|do not)\b"
)
#: What somebody has or lacks comes and goes.
_HAS = re.compile(r"\b(?:have|has|had|got)\b")
_BOUNDS = frozenset({"most", "least", "more", "less"})
_BOUND = re.compile(r"\b(?:at (?:most|least)|no more than|max(?:imum)?|min(?:imum)?|limit(?:ed)?)\b")
_IS = re.compile(r"\b(?:is|are|must be|always)\b")
#: What a number without a unit follows when it is a value; after other words it names one of several: step 3.
_BEFORE_VALUES = re.compile(
    r"(?:\b(?:is|are|be|to|at|under|over|than|most|least|after|for|on|every|only|up|exactly|limit|maximum|minimum|max"
    r"|min|within|lasts?|port|version|has|of|allows?)|[\w.]*[A-Z]\w*|python|node|java)\s$"
)
#: The second of each denies the first.
_OPPOSITES = {
    pair.partition(":")[2]: pair.partition(":")[0]
    for pair in in_order(
        "enabl:disabl requir:optional public:privat automatic:manual sync:async mutabl:immutabl stateful:stateless"
        " allow:forbid accept:reject encrypt:plaintext"
    )
}


@dataclass(frozen=True, slots=True)
class Frame:
    """A clause as it is compared: the words that say something, without the values, and these by themselves."""

    clause: Clause
    things: frozenset[str]
    values: tuple[Quantity, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """In what two clauses differ that say the same otherwise, and what they are about."""

    earlier: Clause
    later: Clause
    about: str


def differences(earlier: str, later: str) -> Iterator[Difference]:
    """Every clause of the later statement that says otherwise what one of the earlier says."""
    known: dict[frozenset[str], list[Frame]] = {}
    named: dict[frozenset[str], list[tuple[str, Frame]]] = {}
    for one in frames_of(earlier):
        known.setdefault(one.things, []).append(one)
        if name := _name(one):
            named.setdefault(one.things - {name}, []).append((name, one))
    for new in frames_of(later):
        for old in known.get(new.things, ()):
            if said := _other_value(old, new) or _denial(old, new):
                yield Difference(old.clause, new.clause, f"{_shared_words(new)}: {said}")
        if name := _name(new):
            for before, old in named.get(new.things - {name}, ()):
                if before != name and old.values == new.values and old.negated == new.negated:
                    said = f"{_word_as_written(old, before)} / {_word_as_written(new, name)}"
                    yield Difference(old.clause, new.clause, f"{_shared_words(new, but=name)}: {said}")


@remember(2_048)
def frames_of(text: str) -> tuple[Frame, ...]:
    """The clauses of a statement that claim something of a thing that is named well enough."""
    return tuple(frame for one in clauses_of(text) if one.claims and (frame := _frame(one)))[:MAX_FRAMES]


def _frame(clause: Clause) -> Frame | None:
    plain = clause.plain
    if not _HOLDS.search(plain) or clause.passes or clause.does or (_HAS.search(plain) and not _BOUND.search(plain)):
        return None
    values = tuple(one for one in clause.quantities if _is_value(clause, one))
    numbers = (f"#{one.amount}" for one in clause.quantities if one not in values)
    core = [stem for stem in clause.core if stem not in _JOINING]
    weight = fsum(clause.core[stem] for stem in core)
    if weight < _LEAST_WEIGHT and not (weight >= PLAIN and _BOUND.search(plain)):
        return None
    opposed = sum(stem in _OPPOSITES for stem in core)
    bounds = (word for word in clause.said if word in _BOUNDS)
    things = frozenset([*(_OPPOSITES.get(stem, stem) for stem in core), *numbers, *bounds])
    return Frame(clause, things, values, clause.is_negated != (opposed % 2 == 1))


def _is_value(clause: Clause, one: Quantity) -> bool:
    """No share of a whole, which differs by the day, and no number that only names one of several."""
    if one.dimension != "number":
        return one.dimension != "share"
    counts = any(word.weight for word in clause.words if word.start == one.end + 1)
    return counts or bool(_BEFORE_VALUES.search(clause.text[: one.start]))


def _other_value(old: Frame, new: Frame) -> str:
    """The one quantity that differs, of both; nothing where it is told as a change."""
    if old.negated or new.negated or new.clause.turns or len(old.values) != len(new.values):
        return ""
    apart = [(one, other) for one, other in zip(old.values, new.values, strict=True) if one[:2] != other[:2]]
    if len(apart) != 1 or apart[0][0].dimension != apart[0][1].dimension:
        return ""
    ours, theirs = apart[0]
    return f"{old.clause.text[ours.start : ours.end]} / {new.clause.text[theirs.start : theirs.end]}"


def _denial(old: Frame, new: Frame) -> str:
    if old.negated == new.negated or new.clause.turns:
        return ""
    if [one[:2] for one in old.values] != [one[:2] for one in new.values]:
        return ""
    return "no / yes" if old.negated else "yes / no"


def _name(one: Frame) -> str:
    """The name that a clause ends with, where it says what something is: "is written in Rust", "is owned by Ines"."""
    words = [word for word in one.clause.words if word.weight]
    if one.negated or one.clause.turns or len(words) < 2 or not _IS.search(one.clause.plain):
        return ""
    last = words[-1]
    at = one.clause.words.index(last)
    is_name = last.weight >= NAME or one.clause.said[at - 1] in {"called", "named"}
    rest = fsum(one.clause.core[stem] for stem in one.things & one.clause.core.keys() if stem != last.stem)
    return last.stem if is_name and rest >= PLAIN else ""


def _shared_words(frame: Frame, *, but: str = "") -> str:
    """The words that both say, as the later one wrote them."""
    found = {word.stem: word.raw for word in reversed(frame.clause.words) if word.weight and word.stem != but}
    return " ".join(list(reversed(found.values()))[:_SHOWN])


def _word_as_written(frame: Frame, stem: str) -> str:
    return next(word.raw for word in frame.clause.words if word.stem == stem)
