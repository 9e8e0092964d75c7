"""Critical items: what must never fade. Verbatim words with their source, scope and life; never shortened.

Only a person's words, a person's hand or a project's own file make one by themselves; what an assistant marked says
so in ``by``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ItemKind(StrEnum):
    """What an item is, in the order in which items are shown: what binds most comes first."""

    CONSTRAINT = "constraint"
    REQUIREMENT = "requirement"
    INSTRUCTION = "instruction"
    DECISION = "decision"
    PREFERENCE = "preference"
    CUSTOM = "custom"


class Scope(StrEnum):
    """How far an item reaches. Items of a task end with it; those of the user are the profile."""

    TASK = "task"
    PROJECT = "project"
    USER = "user"


class ItemState(StrEnum):
    """``proposed`` is a doubtful one that waits for a person's word; only ``pinned`` ones are in force."""

    PINNED = "pinned"
    PROPOSED = "proposed"
    SUPERSEDED = "superseded"
    UNPINNED = "unpinned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What one sentence of a person gives: its words, and what has to be known to make an item of them.

    ``span`` is where the sentence stands in the text of the message ``source``. ``doubtful`` ones are proposed, not
    pinned. ``lifts`` marks words that take an earlier rule back; ``subject`` says which.
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
class Item:
    """One critical item. ``supersedes`` is the id of the item whose place it took; ``repeats`` are later messages that
    said the same. ``created`` is seconds since 1970, UTC.

    ``subject`` is what it is about, without the choice made: of two choices the later one is in force.
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
        return self.state is ItemState.PINNED

    @property
    def is_live(self) -> bool:
        """In force, or proposed."""
        return self.state in {ItemState.PINNED, ItemState.PROPOSED}
