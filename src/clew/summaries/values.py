"""What goes into a summary and what comes out: the material, the text, the rung that wrote it, what failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from clew.domain import Digest, Message, Usage


class Rung(StrEnum):
    """How a summary was written, from the best way down; ``NOTES`` is what the model had noted of its turns itself,
    ``EXTRACTIVE`` none at all: the units of the history stand for themselves."""

    NOTES = "notes"
    FULL = "full"
    SIMPLE = "simple"
    EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryMaterial:
    """What a summary is made from and replaces: a run of messages, and what was drawn from them.

    ``before`` is the summary of what came before them; the new one takes its place. ``files`` are paths that were
    edited and have to be named. ``keep`` are items that have to stand in the summary word for word.
    """

    messages: tuple[Message, ...] = ()
    digests: tuple[Digest, ...] = ()
    before: str = ""
    files: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The messages that the summary stands for."""
        return tuple(dict.fromkeys(message.id for message in self.messages if message.id))


@dataclass(frozen=True, slots=True)
class Degraded:
    """A step down the ladder, and why; ``kind`` is the error's name, or ``check`` for an answer that was no good."""

    rung_from: Rung
    rung_to: Rung
    reason: str
    kind: str = "check"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSummary:
    """A summary: its text, and the ids of what it stands for.

    ``model`` is empty where none had a part in it. ``calls`` and ``usage`` are what all attempts took together, those
    that failed included. ``findings`` say what was mended in a model's answer, and what found no room.
    """

    text: str
    rung: Rung
    sources: tuple[str, ...] = ()
    model: str = ""
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    degraded: tuple[Degraded, ...] = ()
    findings: tuple[str, ...] = ()


class SummaryCache(Protocol):
    """Good answers of models, by a hash of all they depend on."""

    def get(self, key: str) -> str | None: ...
    def put(self, key: str, text: str) -> None: ...


class NoCache:
    """A cache that remembers nothing."""

    def get(self, key: str) -> str | None:  # noqa: ARG002
        return None

    def put(self, key: str, text: str) -> None: ...


class UnfitSummary(Exception):
    """An answer that may not stand for what it was made from; the message says why."""
