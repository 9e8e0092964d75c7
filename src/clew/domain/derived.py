"""How far everything derived from a session has come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """So many are ``done``, ``of`` so many."""

    done: int
    of: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left."""
        return self.done >= self.of

    def __add__(self, other: Reach) -> Reach:
        return Reach(done=self.done + other.done, of=self.of + other.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedReach:
    """Entries that projections have seen, messages that have vectors, and messages that the encoder has read; None
    where there is no embedder, or no encoder.
    """

    projections: Reach
    vectors: Reach | None
    encoder: Reach | None

    @property
    def entries_left(self) -> int:
        """Entries and messages that something has not come to yet."""
        return sum(max(one.of - one.done, 0) for one in (self.projections, self.vectors, self.encoder) if one)
