"""Segments: the unit of memory. A segment is an exchange, or a run of steps of an exchange that is too long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clew.domain.ids import message_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A range of messages, by number, both ends included.

    ``exchange`` 0 holds what came before the first request. ``part`` counts from 1 within the exchange. ``closed``
    segments never change their borders again; the last one of a session is open. ``rolled_back`` ones can
    be read but are not sent. ``words`` is the beginning of the request.
    """

    exchange: int
    part: int
    first: int
    last: int
    tokens: int = 0
    closed: bool = False
    rolled_back: bool = False
    words: str = ""

    @property
    def exchange_id(self) -> str:
        """Id of the exchange, such as x7."""
        return f"x{self.exchange}"

    @property
    def id(self) -> str:
        """Id of the segment, such as x7.2. While an exchange has only one segment, x7 names it as well."""
        return f"x{self.exchange}.{self.part}"


def shortest_ids(segments: Sequence[Segment]) -> list[str]:
    """Returns the shortest id of each segment: x7 while it is the only one of its exchange, else x7.2."""
    several = {segment.exchange for segment in segments if segment.part > 1}
    return [segment.id if segment.exchange in several else segment.exchange_id for segment in segments]


def exchange_numbers(segments: Iterable[Segment]) -> dict[str, int]:
    """Returns the number of each exchange by the id of the message that it began with."""
    return {message_id(segment.first): segment.exchange for segment in segments if segment.part == 1}
