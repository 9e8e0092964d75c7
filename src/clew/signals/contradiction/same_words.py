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
from clew.signals.contradiction.words import NAME, PLAIN, Value, statement_stem
from clew.text.memo import remember
from clew.text.vocabulary import in_order

#: Clauses of a statement that are compared, and how many words of one are shown.
MAX_FRAMES, _SHOWN = 24, 5
#: What the words of a clause have to weigh together to name a thing that there is one of.
_LEAST_WEIGHT = 1.3
#: Only said to join the value to its thing: "the API is on port 80", "the API listens on port 80".
_JOINING = frozenset(map(statement_stem, in_order("be listen run bind serve set always every each")))
#: Said of what is ruled, not of what was counted or is asked for once.
_HOLDS = re.compile(
    r"\b(?:is|are|must|always|never|each|every|we|our|may|limit(?:ed|s)?|at (?:most|least)|no more than|max(?:imum)?"
    r"|min(?:imum)?|under|up to|expires?|listens?|pinned|targets?|supports?|kept|keep|lasts?|allows?"
    r"|runs?|uses?|do(?:es)? not|prefer)\b"
    r"|^(?:please )?(?:use|indent|answer|store|follow|not|do not)\b"
)
#: Told as a change.
_CHANGES = re.compile(
    r"\b(?:no longer|any ?more|now|instead(?! of)|from now on|going forward|as of|recently|used to|previously|after all"
    r"|actually|correction|wait|update[ds]?|updating|for now|temporar\w+|initially|at first|until|second thought"
    r"|was wrong|forget|scratch that|new|went with|took over|just (?:found|learned|heard)"
    r"|(?:mov|migrat|switch|chang|upgrad|bump|increas|decreas|reduc|rais|lower|extend|reschedul|adjust|revis|replac"
    r"|renam|convert|downgrad|shorten|postpon|shift|grow|improv|rewr|swap)\w*)\b"
)
#: How things happen to be: states, measures, what was so at one time, what somebody has or lacks.
_PASSES = re.compile(
    r"\b(?:yet|today|this|right now|at the moment|so far|just|still|there (?:is|are|was|were)|again|tonight|currently"
    r"|did not|have not|has not|had not|(?:is|are|was|were|not|be) (?:being |not )?\w+ing|not work|works?|was|were|got"
    r"|pass(?:es|ed)?|fail\w*|broken|crash\w*|finish\w*|done|missing|green|ready|flaky|pending|merged|empty|installed"
    r"|blocked|available|offline|online|left|remaining|coverage|latency|usage|accuracy|throughput|progress|speed"
    r"|average|score|took|takes?|performance|bug|error|problem|issue|typo|wrong|know|sure|understand|feel|need)\b"
)
_HAS = re.compile(r"\b(?:have|has|had)\b")
_BOUNDS = frozenset({"most", "least", "more", "less"})
_BOUND = re.compile(r"\b(?:at (?:most|least)|no more than|max(?:imum)?|min(?:imum)?|limit(?:ed)?)\b")
_IS = re.compile(r"\b(?:is|are|must be|always)\b")
#: What a number without a unit follows when it is a value; after other words it names one of several: step 3.
_BEFORE_VALUES = re.compile(
    r"(?:\b(?:is|are|be|to|at|under|over|than|most|least|after|for|on|every|only|up|exactly|limit|maximum|minimum|max"
    r"|min|within|lasts?|port|version|has|of|allows?)|[\w.]*[A-Z]\w*|python|node|java)\s$"
)
#: Shares of a whole differ by the day.
_SHARES = {"%", "pe"}


@dataclass(frozen=True, slots=True)
class Frame:
    """A clause as it is compared: the words that say something, without the values, and these by themselves."""

    clause: Clause
    things: frozenset[str]
    values: tuple[Value, ...]

    @property
    def amounts(self) -> list[tuple[str, str]]:
        return [value[:2] for value in self.values]


@dataclass(frozen=True, slots=True)
class Difference:
    """In what two clauses differ that say the same otherwise, and what they are about."""

    earlier: Clause
    later: Clause
    about: str


def differences(earlier: str, later: str) -> Iterator[Difference]:
    """Every clause of the later statement that says otherwise what one of the earlier says."""
    for new in frames_of(later):
        if _CHANGES.search(new.clause.plain):
            continue
        for old in frames_of(earlier):
            if old.things == new.things:
                if values := _other_value(old, new) or _denial(old, new):
                    yield Difference(old.clause, new.clause, f"{_shared_words(new)}: {values}")
            elif len(old.things ^ new.things) <= 2 and old.amounts == new.amounts:  # but for a name
                name, other = _name(new), _name(old)
                if name and other and old.things - {other} == new.things - {name}:
                    values = f"{_as_written(old, other)} / {_as_written(new, name)}"
                    yield Difference(old.clause, new.clause, f"{_shared_words(new, but=name)}: {values}")


@remember(2_048)
def frames_of(text: str) -> tuple[Frame, ...]:
    """The clauses of a statement that claim something of a thing that is named well enough."""
    return tuple(frame for clause in clauses_of(text) if clause.claims and (frame := _frame(clause)))[:MAX_FRAMES]


def _frame(clause: Clause) -> Frame | None:
    plain = clause.plain
    is_bound = _BOUND.search(plain) is not None
    if not _HOLDS.search(plain) or _PASSES.search(plain) or clause.tells_deed or (_HAS.search(plain) and not is_bound):
        return None
    values = tuple(value for value in clause.values if _is_value(clause, value))
    numbers = (f"#{value.amount}" for value in clause.values if value not in values)
    core = [stem for stem in clause.core if stem not in _JOINING]
    weight = fsum(clause.core[stem] for stem in core)
    if weight < _LEAST_WEIGHT and not (weight >= PLAIN and is_bound):
        return None
    return Frame(clause, frozenset([*core, *numbers, *(_BOUNDS & set(plain.split()))]), values)


def _is_value(clause: Clause, value: Value) -> bool:
    """No share of a whole, and no number that only names one of several."""
    if value.unit:
        return value.unit not in _SHARES
    counts = any(word.weight for word in clause.words if word.start == value.end + 1)
    return counts or bool(_BEFORE_VALUES.search(clause.text[: value.start]))


def _other_value(old: Frame, new: Frame) -> str:
    """The one quantity that differs, of both."""
    if old.clause.is_negated or new.clause.is_negated or len(old.values) != len(new.values):
        return ""
    apart = [(ours, theirs) for ours, theirs in zip(old.values, new.values, strict=True) if ours[:2] != theirs[:2]]
    if len(apart) != 1 or apart[0][0].unit != apart[0][1].unit:
        return ""
    ours, theirs = apart[0]
    return f"{old.clause.text[ours.start : ours.end]} / {new.clause.text[theirs.start : theirs.end]}"


def _denial(old: Frame, new: Frame) -> str:
    if old.clause.is_negated == new.clause.is_negated or old.amounts != new.amounts:
        return ""
    return "no / yes" if old.clause.is_negated else "yes / no"


def _name(frame: Frame) -> str:
    """The name that a clause ends with, where it says what something is: "is written in Rust", "is owned by Ines"."""
    clause = frame.clause
    telling = [word for word in clause.words if word.weight]
    if len(telling) < 2 or clause.is_negated or _CHANGES.search(clause.plain) or not _IS.search(clause.plain):
        return ""
    last = telling[-1]
    before = clause.words[clause.words.index(last) - 1].raw
    is_name = last.weight >= NAME or before in {"called", "named"}
    rest = fsum(clause.core[stem] for stem in frame.things & clause.core.keys() if stem != last.stem)
    return last.stem if is_name and rest >= PLAIN else ""


def _shared_words(frame: Frame, *, but: str = "") -> str:
    """The words that both say, as the later one wrote them."""
    written = {word.stem: word.raw for word in reversed(frame.clause.words) if word.weight and word.stem != but}
    return " ".join(list(reversed(written.values()))[:_SHOWN])


def _as_written(frame: Frame, stem: str) -> str:
    return next(word.raw for word in frame.clause.words if word.stem == stem)
