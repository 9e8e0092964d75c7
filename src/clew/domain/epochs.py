"""Epochs: what is frozen from one compaction to the next, and inputs as they were sent."""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.domain.compactions import Why
from clew.domain.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A section of a snapshot as a report tells of it."""

    name: str
    layer: int
    tokens: int
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """The life of one frozen prefix.

    ``line`` names who it is for (a target and a budget): each has epochs of its own, counted by ``number``. It began
    when the session had ``at`` messages; those from number ``cut`` on are sent after the ``snapshot``, outputs
    among them in the forms that were chosen then (by id of the whole). ``kept`` are runs of older messages that are
    sent word for word as well. It took a prompt from ``before`` tokens to ``after``; ``rung`` tells who summarised.
    """

    line: str
    number: int
    at: int = 0
    cut: int = 1
    snapshot: str = ""
    sections: tuple[Shown, ...] = ()
    forms: dict[str, str] = field(default_factory=dict)
    kept: tuple[tuple[int, int], ...] = ()
    why: Why = Why.FIRST
    strategy: str = ""
    rung: str = ""
    before: int = 0
    after: int = 0

    @property
    def first(self) -> int:
        """The number of the first message that is sent word for word."""
        return min((first for first, _ in self.kept), default=self.cut)

    def sends(self, place: int) -> bool:
        """True for a message that is sent word for word."""
        return place >= self.cut or any(first <= place <= last for first, last in self.kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """An input as it was handed out for the line, when the session had ``after`` messages.

    ``words`` carry the input, ``added`` what was retrieved or reminded for it: before a person's words, and behind a
    tool's output, which has to stand right after its call. ``reminders`` are the items it reminds of, each with the
    occasion; ``pinned`` the items that it tells because they stood nowhere else.
    """

    line: str
    after: int
    words: tuple[Message, ...] = ()
    added: tuple[Message, ...] = ()
    reminders: tuple[tuple[str, str], ...] = ()
    pinned: tuple[str, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        return in_order(self.words, self.added)


def in_order(words: tuple[Message, ...], added: tuple[Message, ...]) -> tuple[Message, ...]:
    """An input with what it brought in, as both are sent."""
    return (*words, *added) if any(message.outputs for message in words) else (*added, *words)
