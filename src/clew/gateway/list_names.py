"""Names by lists: a request that names no session belongs to the one whose list it goes on from.

Lists are known by hashes of all that stands before an answer, and the answer. Equal words of a user alone are no sign:
many conversations begin with the same greeting. A request may also go on from a response by its id, and bring only what
is new: that of the newest response is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate

from clew.adapters.alignment import GivenMessages, Outline
from clew.domain import Role
from clew.ports import Store

#: Where the store keeps them, within a user's space.
_SPACE = "gateway-list"
_RESPONSE, _NEWEST = "response/", "newest/"


@dataclass(frozen=True, slots=True)
class ListName:
    """The hashes of a list: of all of it, and of its beginnings that end with an answer, the longest first."""

    whole: bytes
    answered: tuple[str, ...]

    def with_reply(self, reply: Iterable[Outline]) -> str:
        """Returns the hash of the list with the answer that it got."""
        return _chain(self.whole, reply).hex()


class KnownLists:
    """The lists of a user's sessions."""

    def __init__(self, store: Store, tenant: str, user: str) -> None:
        self._store, self._place = store, (tenant, user, _SPACE)

    def find(self, name: ListName) -> str:
        """Returns the session whose list it goes on from; empty where there is none."""
        known = self._store.values(*self._place, list(name.answered))
        return next((known[one].decode() for one in name.answered if one in known), "")

    def find_response(self, id: str) -> str:
        """Returns the session whose newest response has this id; empty where there is none."""
        name = _RESPONSE + id
        found = self._store.values(*self._place, [name]).get(name, b"")
        return found.decode()

    def put_response(self, id: str, session: str) -> None:
        """Notes the newest response of a session, in place of the one before."""
        name = _NEWEST + session
        before = self._store.values(*self._place, [name]).get(name)
        gone: dict[str, bytes | None] = {_RESPONSE + before.decode(): None} if before else {}
        self._store.put_values(*self._place, gone | {_RESPONSE + id: session.encode(), name: id.encode()})

    def put(self, name: str, session: str) -> None:
        """Notes that a session has a list that goes so far."""
        self._store.put_values(*self._place, {name: session.encode()})


def list_name(messages: Sequence[object], format: str) -> ListName:
    """Returns the name of a list."""
    outlines = [one.outline for one in GivenMessages(messages, format).as_known().records]
    chain = list(accumulate(outlines, lambda before, one: _chain(before, [one]), initial=b""))[1:]
    answers = [at for at, one in enumerate(outlines) if one.marks and one.role is Role.ASSISTANT]
    return ListName(chain[-1] if chain else b"", tuple(chain[at].hex() for at in reversed(answers)))


def _chain(before: bytes, outlines: Iterable[Outline]) -> bytes:
    """A hash of hashes, part by part: one reply may be several items of a list."""
    for mark in (mark for one in outlines for mark in one.marks):
        before = blake2b(before + mark, digest_size=16).digest()
    return before
