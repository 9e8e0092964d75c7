"""What becomes of the known items when a person says something new: a repeat, a change of mind, a rule taken back.

Nothing is forgotten: a superseded item stays, and the one in its place links to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from clew.domain.critical import Candidate, CriticalItem, ItemState, Scope
from clew.domain.ids import PinId, pin_number
from clew.signals.critical.changed_items import chooses, items_changed
from clew.signals.critical.own_words import OWN
from clew.signals.critical.subjects import Meaning, choice_of, meaning_of, subject_of, topic_words
from clew.signals.critical.wordings.changes import Change, change_in
from clew.signals.critical.wordings.revocation import is_loose, permits

REPLACED = "another took its place"
#: Words in common, of a hundred, from which two rules are one in other words. Measured over words in order.
_SAME_WORDS = 88.0
#: Share of the words of "the rule about …" that an item has to hold to be the one that is meant.
_MEANT_SHARE = 0.6
#: Share of the words of a choice's case that what is permitted in its place has to name as well.
_SAME_CASE = 0.5
#: A ban of more or less than a number sets a limit, and the later limit holds.
_BOUND = re.compile(
    r"\b(?:more|less|longer|shorter|larger|fewer) than\b|\b(?:over|above|below|beyond|exceed)", re.IGNORECASE
)


def merge_candidate(known: Sequence[CriticalItem], new: Candidate) -> tuple[CriticalItem, ...]:
    """The items that are new or differ after a candidate was heard, older ones first; none if it changes nothing.

    ``known`` is all items in the order in which they were made, those no longer in force too.
    """
    if twin := next((item for item in known if item.source == new.source and item.text == new.text), None):
        is_settled = twin.state is ItemState.PROPOSED and not new.doubtful  # read again, and surer
        return (replace(twin, state=ItemState.PINNED),) if is_settled else ()
    live = [item for item in known if item.is_live]
    if (change := change_in(new.text)) and (changed := _change_items(known, live, new, change)):
        return changed
    if new.lifts:
        return tuple(_lift_item(item, new) for item in _items_meant(live, new))
    for item in live:
        if is_same_rule(item.text, new.text):
            return (_repeat_item(item, new),)
    earlier = None if new.doubtful else next((item for item in reversed(live) if is_replaced(item, new)), None)
    made = item_of(new, id=next_id(known), supersedes=earlier.id if earlier else "")
    return (made,) if earlier is None else (_supersede(earlier, made), made)


def _change_items(
    known: Sequence[CriticalItem], live: Sequence[CriticalItem], new: Candidate, change: Change
) -> tuple[CriticalItem, ...]:
    """What an open change of mind makes of the items; none where it is not clear which one is meant.

    What takes the place of an item is as sure as that was.
    """
    if change.back_to:
        before = {item.id: item for item in known if chooses(item, change.back_to)}
        now = next((item for item in reversed(live) if item.supersedes in before), None)
        if now is None:
            return ()
        again = before[now.supersedes]
        again = replace(again.restore(), repeats=(*again.repeats, new.source))
        return now.end(ItemState.SUPERSEDED, REPLACED, at=new.at, message=new.source), again
    items = items_changed(live, new, change)
    if not items or change.is_bare:
        return tuple(_lift_item(item, new) for item in items)
    last, is_proposed = items[-1], all(item.is_proposed for item in items)
    kind, scope = (last.kind, last.scope) if new.lifts else (new.kind, new.scope)
    heard = replace(new, kind=kind, scope=scope, subject=subject_of(new.text), doubtful=is_proposed)
    made = item_of(heard, id=next_id(known), supersedes=last.id)
    return *(_supersede(item, made) for item in items), made


def _supersede(earlier: CriticalItem, made: CriticalItem) -> CriticalItem:
    return earlier.end(ItemState.SUPERSEDED, REPLACED, at=made.created, message=made.source)


def item_of(candidate: Candidate, *, id: str, supersedes: str = "", by: str = "person") -> CriticalItem:
    """The item that a candidate becomes when nothing like it is known."""
    return CriticalItem(
        id=id,
        kind=candidate.kind,
        text=candidate.text,
        source=candidate.source,
        subject=candidate.subject,
        by=by,
        scope=candidate.scope,
        created=candidate.at,
        supersedes=supersedes,
        state=ItemState.PROPOSED if candidate.doubtful else ItemState.PINNED,
        occasion=candidate.occasion,
    )


def next_id(known: Iterable[CriticalItem]) -> str:
    """The first id after all that were ever given."""
    return str(PinId(max((pin_number(item.id) for item in known), default=0) + 1))


def is_same_rule(text: str, other: str) -> bool:
    """True if both say the same of the same, in whatever words."""
    first, second = meaning_of(text), meaning_of(other)
    if (first.numbers, first.choices, first.negative) != (second.numbers, second.choices, second.negative):
        return False
    if _core(first) == _core(second):
        return bool(first.words or first.choices)
    return fuzz.ratio(_in_order(first), _in_order(second)) >= _SAME_WORDS


def is_replaced(item: CriticalItem, new: Candidate | CriticalItem) -> bool:
    """Whether a new rule takes the place of an item: one subject, another choice, number or answer."""
    if item.subject != new.subject or not new.subject:
        return False
    first, second = meaning_of(item.text), meaning_of(new.text)
    if first.negative and second.negative and not (_BOUND.search(item.text) and _BOUND.search(new.text)):
        return False  # two bans of two things: both hold
    if new.subject.startswith(OWN):
        return True  # a person has one name, and one home
    return (first.choices, first.numbers, first.negative) != (second.choices, second.numbers, second.negative)


def _repeat_item(item: CriticalItem, new: Candidate) -> CriticalItem:
    """Said again: a plain word makes a rule of what was only proposed, and a lasting word outlives the task."""
    is_settled = item.state is ItemState.PINNED or not new.doubtful
    outlives = item.scope is Scope.TASK and not new.doubtful
    return replace(
        item,
        scope=new.scope if outlives else item.scope,
        repeats=tuple(dict.fromkeys((*item.repeats, new.source))),
        state=ItemState.PINNED if is_settled else item.state,
    )


def _items_meant(live: Sequence[CriticalItem], new: Candidate) -> list[CriticalItem]:
    """The item that a rule taken back must be: the one that its words name best. None where several would do; of one
    that is named loosely, where the words tell of another as well."""
    words, loose = frozenset(new.subject.split()), is_loose(new.text)
    if permits(new.text) and not loose:
        others = [item for item in live if _chooses_otherwise(item, new)]
        if others:
            return others if len(others) == 1 else []
        live = [item for item in live if meaning_of(item.text).negative]
    shares = [(_share(words, _item_words(item)), item) for item in live] if words else []
    best = max((share for share, _ in shares), default=(0.0, 0.0))
    meant = [item for share, item in shares if share == best or (loose and share[0] == best[0])]
    return meant if best[0] >= (1.0 if loose else _MEANT_SHARE) and len(meant) == 1 else []


def _chooses_otherwise(item: CriticalItem, new: Candidate) -> bool:
    """Whether an item chooses something else, for the same, than what is permitted."""
    first, second, choice = meaning_of(item.text), meaning_of(new.text), choice_of(new.text)
    if not choice or choice_of(item.text) != choice or first.choices & second.choices:
        return False
    case = first.words - topic_words(choice.replace("-", " ")) - {"answer"}
    return len(case & second.words) >= _SAME_CASE * len(case)


def _share(words: frozenset[str], named: frozenset[str]) -> tuple[float, float]:
    """Of the words that name a rule, and of the words of the rule itself, how many they have in common."""
    common = len(words & named)
    return common / len(words), common / max(len(named), 1)


def _item_words(item: CriticalItem) -> frozenset[str]:
    """The words by which an item may be called: its own, and its subject's."""
    return topic_words(item.text) | topic_words(item.subject.partition(":")[0].replace("-", " "))


def _lift_item(item: CriticalItem, new: Candidate) -> CriticalItem:
    return item.end(ItemState.UNPINNED, "taken back", at=new.at, message=new.source)


def _core(meaning: Meaning) -> frozenset[str]:
    """The words without "answer", which most rules mean and few say."""
    return meaning.words - {"answer"} or meaning.words


def _in_order(meaning: Meaning) -> str:
    return " ".join(sorted(meaning.words))
