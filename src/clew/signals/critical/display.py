"""Items as they are shown: in order, within a cap, and without what the project's own files already say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from clew.domain.critical import CriticalItem, ItemKind
from clew.domain.ids import pin_number
from clew.signals.critical.subjects import Meaning, meaning_of
from clew.text.sentences import sentences

_RANKS = {kind: rank for rank, kind in enumerate(ItemKind)}
#: Share of an item's words that one sentence of a file has to hold to have said it already.
_SAID_SHARE = 0.8
#: Of a file only so much is read; a rule book longer than this is not what anybody keeps in mind.
_FILE_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class Listed:
    """Items in order, what they cost, and those in force that did not fit."""

    items: tuple[CriticalItem, ...]
    tokens: int
    left_out: tuple[CriticalItem, ...] = ()


def order_within_cap(items: Iterable[CriticalItem], cap_tokens: int, count: Callable[[str], int]) -> Listed:
    """The items in force, by kind and age, as many as fit; a smaller one further down may fit where a larger did not.

    ``count`` gives the tokens of a text.
    """
    kept: list[CriticalItem] = []
    left_out: list[CriticalItem] = []
    spent = 0
    for item in sorted((item for item in items if item.is_in_force), key=_place):
        cost = count(item.stated_text)
        fits = spent + cost <= cap_tokens
        (kept if fits else left_out).append(item)
        spent += cost if fits else 0
    return Listed(tuple(kept), spent, tuple(left_out))


def is_in_project_file(item_text: str, file_texts: Sequence[str]) -> bool:
    """True if a file of the project (CLAUDE.md, AGENTS.md) already says it, in these or nearly these words."""
    wanted = meaning_of(item_text)
    if not wanted.words and not wanted.choices:
        return False
    return any(_says(meaning_of(line), wanted) for text in file_texts for line in sentences(text[:_FILE_CHARS]))


def _says(line: Meaning, wanted: Meaning) -> bool:
    if (
        line.negative != wanted.negative
        or not wanted.choices <= line.choices
        or not set(wanted.numbers) <= set(line.numbers)
    ):
        return False
    return len(wanted.words & line.words) >= _SAID_SHARE * len(wanted.words)


def _place(item: CriticalItem) -> tuple[int, float, int, str]:
    """By kind, then by age; ids settle what has no time or the same."""
    created = item.created if item.created is not None else 0.0
    return _RANKS[item.kind], created, pin_number(item.id), item.id
