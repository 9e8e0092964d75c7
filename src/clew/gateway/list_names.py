"""Names by lists: a request that names no session belongs to the one whose list it goes on from.

Lists are known by a hash of everything that was said in them, with their system prompt and who asks. Only the end of a
session counts, and only where no other ends alike: a list that goes on from an earlier place, or from one of two that
say the same, begins a session of its own, so that nobody's words come into another's.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from threading import Lock

from clew.adapters.alignment import GivenMessages, KnownList, Outline
from clew.domain import Role

#: Messages of which it is kept what they are named by: some ten megabytes.
_MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class ListName:
    """The hash of a list, and those of its beginnings up to each answer in it."""

    whole: bytes
    answers: tuple[str, ...]

    def with_reply(self, reply: Iterable[Outline]) -> str:
        """Returns the hash of the list with the answer that it got."""
        return chain(self.whole, reply).hex()


class ListNames:
    """Names the lists of one format. What the newest of them hold is not decoded again: a client sends its whole list
    with each request.
    """

    def __init__(self, format: str) -> None:
        self._format, self._lock = format, Lock()
        self._outlines: OrderedDict[bytes, list[Outline]] = OrderedDict()

    def name(self, messages: Sequence[object], *, about: bytes) -> ListName:
        """Returns the name of a list. ``about`` is what else has to be the same: the system prompt, and who asks."""
        given = GivenMessages(messages, self._format, known=KnownList(outlines=self._outlines)).as_known()
        self._keep(given)
        outlines = [one.outline for one in given.records]
        begun = blake2b(about, digest_size=16).digest()
        names = list(accumulate(outlines, lambda before, one: chain(before, [one]), initial=begun))[1:]
        answers = [at for at, one in enumerate(outlines) if one.marks and one.role is Role.ASSISTANT]
        return ListName(names[-1] if names else begun, tuple(names[at].hex() for at in answers))

    def _keep(self, given: KnownList) -> None:
        with self._lock:
            for name, found in given.outlines.items():
                self._outlines[name] = found
                self._outlines.move_to_end(name)
            while len(self._outlines) > _MOST_KEPT:
                self._outlines.popitem(last=False)


def chain(before: bytes, outlines: Iterable[Outline]) -> bytes:
    """Returns a hash of hashes, part by part: one reply may be several items of a list."""
    for mark in (mark for one in outlines for mark in one.marks):
        before = blake2b(before + mark, digest_size=16).digest()
    return before
