"""Names by lists: a request that names no session belongs to the one whose list it goes on from.

Lists are known by a hash of everything that was said in them, with their system prompt and who asks. Only the end of a
session counts, and only where no other ends alike: a list that goes on from an earlier place, or from one of two that
say the same, begins a session of its own, so that nobody's words come into another's. A request may also go on from a
response by its id, and bring only what is new: that of the newest response is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate

import orjson

from clew.adapters.alignment import GivenMessages, Outline
from clew.domain import Role
from clew.ports import Store

#: Where the store keeps them, within a user's space.
_SPACE = "gateway-list"
_LIST, _RESPONSE, _NEWEST = "list/", "response/", "newest/"


@dataclass(frozen=True, slots=True)
class ListName:
    """The hash of a list, and that of its beginning up to its last answer; empty where it has none."""

    whole: bytes
    answered: str

    def with_reply(self, reply: Iterable[Outline]) -> str:
        """Returns the hash of the list with the answer that it got."""
        return _chain(self.whole, reply).hex()


class KnownLists:
    """The newest lists of a user's sessions."""

    def __init__(self, store: Store, tenant: str, user: str) -> None:
        self._store, self._place = store, (tenant, user, _SPACE)

    def find(self, name: ListName) -> str:
        """Returns the session that ends where the list goes on; empty where there is none, or more than one."""
        return self._value(_LIST + name.answered) if name.answered else ""

    def find_response(self, id: str) -> str:
        """Returns the session whose newest response has this id; empty where there is none."""
        return self._value(_RESPONSE + id)

    def put(self, session: str, *, name: str, response: str) -> None:
        """Notes the end of a session, in place of the one before: its list, and the id of its newest response."""
        with self._store.transaction():
            before = orjson.loads(self._value(_NEWEST + session) or "[]")
            ends = [_LIST + name, *([_RESPONSE + response] if response else [])]
            changes: dict[str, bytes | None] = dict.fromkeys(one for one in before if self._value(one) == session)
            for one in ends:  # what two sessions end with names neither
                changes[one] = (session if self._known(one) in (None, session) else "").encode()
            self._store.put_values(*self._place, {**changes, _NEWEST + session: orjson.dumps(ends)})

    def _known(self, name: str) -> str | None:
        found = self._store.values(*self._place, [name]).get(name)
        return None if found is None else found.decode()

    def _value(self, name: str) -> str:
        return self._known(name) or ""


def list_name(messages: Sequence[object], format: str, *, about: bytes) -> ListName:
    """Returns the name of a list. ``about`` is what else has to be the same: the system prompt, and who asks."""
    outlines = [one.outline for one in GivenMessages(messages, format).as_known().records]
    begun = blake2b(about, digest_size=16).digest()
    chain = list(accumulate(outlines, lambda before, one: _chain(before, [one]), initial=begun))[1:]
    answers = [at for at, one in enumerate(outlines) if one.marks and one.role is Role.ASSISTANT]
    return ListName(chain[-1] if chain else begun, chain[answers[-1]].hex() if answers else "")


def _chain(before: bytes, outlines: Iterable[Outline]) -> bytes:
    """A hash of hashes, part by part: one reply may be several items of a list."""
    for mark in (mark for one in outlines for mark in one.marks):
        before = blake2b(before + mark, digest_size=16).digest()
    return before
