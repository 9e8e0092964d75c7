"""What was retrieved for a reply, and whether the reply used it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedSpan:
    """Where a retrieved unit stands: in which injected message, counted from 0, and from which character to which.

    ``id`` names a message, a segment, a blob or a chunk. ``asked`` says that the model asked for it by id, so that no
    ranking chose it.
    """

    id: str
    at: int
    start: int
    end: int
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedUnit:
    """A unit as it was handed out. ``ranked`` is the message or chunk that stands for it in a ranking: of a segment the
    best message; empty where nothing does. ``asked`` says that no ranking chose it: somebody asked for it by id.
    """

    id: str
    text: str
    ranked: str = ""
    asked: bool = False


@dataclass(frozen=True, slots=True)
class UnitUse:
    """How often a unit was used and ignored by replies, and the factor by which that moves its score."""

    used: int = 0
    ignored: int = 0
    factor: float = 1.0
