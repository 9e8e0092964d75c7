"""Critical items: words that every prompt must state, with their source, scope and state. They are never shortened.

Only a person's words, a person's hand or a project's own file make one by themselves.
``by`` says when an assistant marked it, or when it is a limit of an agent's plan that a person approved (``plan``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from clew.domain.ids import message_number


class ItemKind(StrEnum):
    """Type of a critical item. Items are shown in this order: the most binding come first."""

    CONSTRAINT = "constraint"
    REQUIREMENT = "requirement"
    INSTRUCTION = "instruction"
    DECISION = "decision"
    PREFERENCE = "preference"
    CUSTOM = "custom"


class Scope(StrEnum):
    """How far an item reaches. Items of a task end with it, all others hold until somebody ends them; items of the user
    make up the profile.
    """

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
    UNPINNED = "unpinned"  # by hand, by words that took it back, or because its file or profile says so no longer
    LAPSED = "lapsed"  # its task is over


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence of a person that may become a critical item.

    ``span`` is where the sentence stands in the text of the message ``source``. ``doubtful`` ones are proposed instead
    of pinned. ``lifts`` marks words that take an earlier rule back; ``subject`` says which. ``denied`` are those that a
    model is sure not to be meant to last. ``occasion`` says how words that are no plain message came to be said.
    """

    kind: ItemKind
    text: str
    source: str
    span: tuple[int, int]
    scope: Scope
    subject: str
    doubtful: bool = False
    lifts: bool = False
    denied: bool = False
    at: float | None = None
    occasion: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalItem:
    """One critical item.

    ``subject`` is what it is about, without the choice made: of two items with the same subject the later one is in
    force. ``supersedes`` is the id of the item whose place it took; ``repeats`` are later messages that said the same.
    ``reason`` is why somebody pinned it; ``occasion``, how words that are no plain message came to be said.
    ``created`` is seconds since 1970, UTC; so is ``ended``, when it went out of force, with ``ended_in``, the message
    that ended it, and ``ended_reason``. ``project`` is the folder that an item of a profile is for, empty for all.
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
    ended: float | None = None
    ended_in: str = ""
    ended_reason: str = ""
    occasion: str = ""
    project: str = ""

    @property
    def stated_text(self) -> str:
        """All words that a prompt states it with: how it came to be said, and what was said."""
        return f"{self.occasion} {self.text}" if self.occasion else self.text

    @property
    def is_in_force(self) -> bool:
        """True for pinned items."""
        return self.state is ItemState.PINNED

    @property
    def is_live(self) -> bool:
        """True for items that are pinned or proposed."""
        return self.state in {ItemState.PINNED, ItemState.PROPOSED}

    @property
    def is_proposed(self) -> bool:
        """True for items that wait for a person."""
        return self.state is ItemState.PROPOSED

    @property
    def newest(self) -> int:
        """The number of the newest message that said it; 0 where none did."""
        return max(map(message_number, (self.source, *self.repeats)))

    @property
    def has_ended(self) -> bool:
        """True for items that went out of force without another taking their place."""
        return self.state in {ItemState.UNPINNED, ItemState.LAPSED}

    def end(self, state: ItemState, reason: str, *, at: float | None = None, message: str = "") -> CriticalItem:
        """Returns the item out of force."""
        return replace(self, state=state, ended=at, ended_in=message, ended_reason=reason)

    def restore(self) -> CriticalItem:
        """Returns the item in force. One that lapsed holds beyond its task from then on."""
        scope = Scope.PROJECT if self.state is ItemState.LAPSED else self.scope
        return replace(self, state=ItemState.PINNED, scope=scope, ended=None, ended_in="", ended_reason="")
