"""Names by lists: a request that names no session belongs to the one whose list it goes on from.

Lists are known by a hash of everything that was said in them, with their system prompt and who asks. Only the end of a
session counts, and only where no other ends alike: a list that goes on from an earlier place, or from one of two that
say the same, begins a session of its own, so that nobody's words come into another's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate

from clew.adapters.alignment import GivenMessages, Outline
from clew.domain import Role


@dataclass(frozen=True, slots=True)
class ListName:
    """The hash of a list, and that of its beginning up to its last answer; empty where it has none."""

    whole: bytes
    answered: str

    def with_reply(self, reply: Iterable[Outline]) -> str:
        """Returns the hash of the list with the answer that it got."""
        return chain(self.whole, reply).hex()


def list_name(messages: Sequence[object], format: str, *, about: bytes) -> ListName:
    """Returns the name of a list. ``about`` is what else has to be the same: the system prompt, and who asks."""
    outlines = [one.outline for one in GivenMessages(messages, format).as_known().records]
    begun = blake2b(about, digest_size=16).digest()
    names = list(accumulate(outlines, lambda before, one: chain(before, [one]), initial=begun))[1:]
    answers = [at for at, one in enumerate(outlines) if one.marks and one.role is Role.ASSISTANT]
    return ListName(names[-1] if names else begun, names[answers[-1]].hex() if answers else "")


def chain(before: bytes, outlines: Iterable[Outline]) -> bytes:
    """Returns a hash of hashes, part by part: one reply may be several items of a list."""
    for mark in (mark for one in outlines for mark in one.marks):
        before = blake2b(before + mark, digest_size=16).digest()
    return before
