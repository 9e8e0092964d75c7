"""Ends of sessions: the hash of all that was said, and the id of the provider's newest response. By these a request is
known that goes on from a session and does not name it.
"""

from __future__ import annotations

import orjson

from clew.ports import Store

#: Where the store keeps them, within a user's space.
_SPACE = "gateway-list"
_LIST, _RESPONSE, _NEWEST = "list/", "response/", "newest/"


class KnownLists:
    """The newest ends of a user's sessions."""

    def __init__(self, store: Store, *, tenant: str, user: str) -> None:
        self._store, self._place = store, (tenant, user, _SPACE)

    def find(self, *names: str) -> str:
        """Returns the session that ends with the last of these lists that any ends with; empty where there is none, or
        more than one.
        """
        known = self._store.values(*self._place, [_LIST + name for name in names]) if names else {}
        return next((known[_LIST + name].decode() for name in reversed(names) if _LIST + name in known), "")

    def find_response(self, id: str) -> str:
        """Returns the session whose newest response has this id; empty where there is none."""
        return self._value(_RESPONSE + id)

    def put(self, session: str, *, name: str, response: str) -> None:
        """Notes the end of a session, in place of the one before: its list, and the id of its newest response."""
        with self._store.transaction():
            before = orjson.loads(self._value(_NEWEST + session) or "[]")
            ends = [_LIST + name, *([_RESPONSE + response] if response else [])]
            changes: dict[str, bytes | None] = dict.fromkeys(name for name in before if self._value(name) == session)
            for end in ends:  # what two sessions end with names neither
                changes[end] = (session if self._known(end) in (None, session) else "").encode()
            self._store.put_values(*self._place, {**changes, _NEWEST + session: orjson.dumps(ends)})

    def forget_session(self, id: str) -> None:
        """Deletes what is known of the end of a session."""
        ends = orjson.loads(self._value(_NEWEST + id) or "[]")
        gone = [end for end in ends if self._value(end) == id]
        self._store.put_values(*self._place, dict.fromkeys([*gone, _NEWEST + id]))

    def _known(self, name: str) -> str | None:
        value = self._store.values(*self._place, [name]).get(name)
        return None if value is None else value.decode()

    def _value(self, name: str) -> str:
        return self._known(name) or ""
