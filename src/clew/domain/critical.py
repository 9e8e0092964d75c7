"""Critical items: words that every prompt must state, with their source, scope and state. They are never shortened.

Only a person's words, a person's hand or a project's own file make one by themselves.
``by`` says when an assistant marked it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ItemKind(StrEnum):
    """Type of a critical item. Items are shown in this order: the most binding come first."""

    CONSTRAINT = "constraint"
    REQUIREMENT = "requirement"
    INSTRUCTION = "instruction"
    DECISION = "decision"
    PREFERENCE = "preference"
    CUSTOM = "custom"


class Scope(StrEnum):
    """How far an item reaches. Items of a task end with it; items of the user make up the profile."""

    TASK = "task"
    PROJECT = "project"
    USER = "user"


class ItemState(StrEnum):
    """State of a critical item.
    Only ``pinned`` ones are in force; ``proposed`` ones are doubtful and wait for a person.
    """

    PINNED = "pinned"
    PROPOSED = "proposed"
    SUPERSEDED = "superseded"  # a newer item took its place
    UNPINNED = "unpinned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence of a person that may become a critical item.

    ``span`` is where the sentence stands in the text of the message ``source``. ``doubtful`` ones are proposed instead
    of pinned. ``lifts`` marks words that take an earlier rule back; ``subject`` says which.
    """

    kind: ItemKind
    text: str
    source: str
    span: tuple[int, int]
    scope: Scope
    subject: str
    doubtful: bool = False
    lifts: bool = False
    at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalItem:
    """One critical item.

    ``subject`` is what it is about, without the choice made: of two items with the same subject the later one is in
    force. ``supersedes`` is the id of the item whose place it took; ``repeats`` are later messages that said the same.
    ``created`` is seconds since 1970, UTC.
    """

    id: str
    kind: ItemKind
    text: str
    source: str
    subject: str
    reason: str = ""
    by: str = "person"
    scope: Scope = Scope.PROJECT
    created: float | None = None
    supersedes: str = ""
    state: ItemState = ItemState.PINNED
    repeats: tuple[str, ...] = ()

    @property
    def is_in_force(self) -> bool:
        """True for pinned items."""
        return self.state is ItemState.PINNED

    @property
    def is_live(self) -> bool:
        """True for items that are pinned or proposed."""
        return self.state in {ItemState.PINNED, ItemState.PROPOSED}
