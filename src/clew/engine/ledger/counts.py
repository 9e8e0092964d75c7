"""A cache of token counts by content: the same text is counted once for all sessions of a user."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from clew.domain import Message, Part, SessionKey
from clew.history.part_identity import identities
from clew.ports import Store
from clew.tokens.tokenizers import STORED_MEASURE, tokenizer_for

#: Counting a smaller part is cheaper than looking it up.
_MIN_CACHED_BYTES = 500
_SPACE = "count.o200k"


class TokenCounts:
    """Counts parts of messages. Counts are stored under keyed hashes of the content, never under the words."""

    def __init__(self, store: Store, secret: bytes) -> None:
        self._store, self._secret = store, secret

    def of_messages(self, key: SessionKey, messages: Sequence[Message]) -> list[tuple[int, ...]]:
        """Returns for each message the token count of each of its parts. New counts of larger parts are stored."""
        parts = [part for message in messages for part in message.parts]
        names = [self._name(identity) for message in messages for identity in identities(message)]
        counts = iter(self._of_parts(key, parts, names))
        return [tuple(next(counts) for _ in message.parts) for message in messages]

    def _of_parts(self, key: SessionKey, parts: Sequence[Part], names: Sequence[str]) -> list[int]:
        stored = self._store.values(key.tenant, key.user, _SPACE, {name for name in names if name})
        wanted = [part for part, name in zip(parts, names, strict=True) if name not in stored]
        from clew.tokens.counts import count_parts

        counted = iter(count_parts(wanted, tokenizer_for(STORED_MEASURE)))
        out, new = list[int](), dict[str, bytes | None]()
        for name in names:
            if name in stored:
                out.append(int.from_bytes(stored[name], "big"))
            else:
                out.append(next(counted))
                if name:
                    new[name] = out[-1].to_bytes(5, "big")
        if new:
            self._store.put_values(key.tenant, key.user, _SPACE, new)
        return out

    def _name(self, identity: bytes) -> str:
        if len(identity) < _MIN_CACHED_BYTES:
            return ""
        return blake2b(identity, digest_size=12, key=self._secret).hexdigest()

    def forget(self, key: SessionKey) -> None:
        """Deletes all counts of the user.
        They are only a cache, and after a purge they would tell what was once there.
        """
        gone: dict[str, bytes | None] = dict.fromkeys(self._store.values(key.tenant, key.user, _SPACE))
        self._store.put_values(key.tenant, key.user, _SPACE, gone)
