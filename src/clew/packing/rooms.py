"""Rooms: the token limits with which the plan of an epoch is tried, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from clew.domain import CompactionRequest
from clew.packing.cuts import TAIL_SHARE

#: Shares of the room for the last attempts, when the guaranteed parts leave no room for messages.
_NARROWER = (1.0, 0.9, 0.75)
#: Headings around input and messages are not counted beforehand, so a plan that came out a little too large is made
#: again with a little less room.
_NEARLY, _HEADINGS = 0.98, 24
#: The most of a room that is retrieved for the input. A talk without tools has no work to map, and gives it more.
_MOST_ADDED, _MOST_ADDED_TO_TALK = 0.5, 0.85
#: Share of a room that messages which were asked for may take, or a request or an input that is clipped.
ASKED_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Room:
    """Token limits for one planning attempt.

    - ``tokens``: for snapshot, messages and injections together.
    - ``tail``: for the messages that follow the snapshot.
    - ``added``: for injections.
    - ``spare``: more that the newest step may take if it is larger than ``tail``.
    - ``is_last``: one of the last attempts, in which even the newest step may be left out.
    - ``clips``: the newest step may be clipped, if it is larger than all of its room.
    """

    tokens: int
    tail: int
    added: int
    spare: int = 0
    is_last: bool = False
    clips: bool = False

    def holding(self, newest: int) -> Room:
        """Returns the room enlarged for the newest step, if ``spare`` allows it: the work goes on from there."""
        more = newest - self.tail
        return self if more <= 0 or more > self.spare else replace(self, tokens=self.tokens + more, tail=newest)

    def with_tail_beside(self, older: int) -> Room:
        """Returns the room with a tail that takes what an older part of so many tokens leaves."""
        left = int(ASKED_SHARE * self.tokens) - max(older, 0)
        return replace(self, tail=left) if left > self.tail > 0 else self


def rooms_to_try(
    left: int,
    request: CompactionRequest | None,
    *,
    entitled: int,
    grows: bool,
    fill: float,
    verbatim: float,
    is_text: bool,
    uses_tools: bool,
) -> Iterator[Room]:
    """Yields what is tried in turn in the tokens that are ``left``: what is wanted, then more, if it may be.

    An epoch that ``grows`` takes the share ``fill`` first, and leaves the rest for that; of it the newest messages may
    take ``verbatim``. A text has no tail: its snapshot has the newest steps. Injections are ``entitled`` to so much.
    """
    wanted = request.tokens if request else 0
    leaves_room = grows or bool(request and not request.cap)
    filled = int(left * fill) if leaves_room else left
    sizes = [wanted, filled] if 0 < wanted < filled else [filled] if leaves_room else []
    share = 0.0 if is_text else verbatim if filled < left else TAIL_SHARE
    most = _MOST_ADDED if uses_tools else _MOST_ADDED_TO_TALK

    def room_for(tokens: int, added: int, share: float) -> Room:
        spare = left - tokens if tokens == min(wanted, filled) else 0
        is_last = tokens > filled or share == 0
        return Room(tokens, int((tokens - added) * share), added, spare, is_last=is_last)

    for tokens in sizes:
        yield room_for(tokens, min(entitled, int(tokens * most)), share)
        yield room_for(tokens, 0, share / 2)
    if request and not request.trigger.is_forced:  # nobody has to have it: the newest step is not cut for it
        return
    for tokens in (left, max(int(left * _NEARLY) - _HEADINGS, 0)):
        yield replace(room_for(tokens, min(entitled, int(tokens * most)), share), clips=True)
    yield from (room_for(int(left * part), 0, 0.0) for part in _NARROWER)
