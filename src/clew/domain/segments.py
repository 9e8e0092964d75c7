"""Segments: the unit of memory, an exchange or a run of steps of one that is too long."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A run of messages, by number, both ends included.

    ``exchange`` 0 holds what came before the first request. ``part`` counts from 1 within the exchange.
    ``closed`` segments never change their borders again; the last one of a session is open. ``left`` ones
    were rolled back: they can be read, and are not sent. ``words`` is how the request begins.
    """

    exchange: int
    part: int
    first: int
    last: int
    tokens: int = 0
    closed: bool = False
    left: bool = False
    words: str = ""

    @property
    def exchange_id(self) -> str:
        return f"x{self.exchange}"

    @property
    def id(self) -> str:
        """x7 is all of an exchange and its first segment while it has only one; x7.2 is its second."""
        return f"x{self.exchange}.{self.part}"
