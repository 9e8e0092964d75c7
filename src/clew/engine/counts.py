"""Token counts by content: what was counted once is not counted again, in any session of the user."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from clew.domain import Message, Part, SessionKey
from clew.history.identity import identities
from clew.ports import Store
from clew.tokens.counting import count_parts
from clew.tokens.tokenizers import tokenizer_for

#: Counting a smaller part is cheaper than looking it up.
_MIN_CACHED_BYTES = 500
_SPACE = "count.o200k"
#: The measure that everything stored uses; other families are derived from it.
_MEASURE = "text"


class Counts:
    def __init__(self, store: Store, secret: bytes) -> None:
        self._store, self._secret = store, secret

    def of_text(self, text: str) -> int:
        return tokenizer_for(_MEASURE).count(text)

    def of_messages(self, key: SessionKey, messages: Sequence[Message]) -> list[tuple[int, ...]]:
        """A count for each part of each message."""
        parts = [part for message in messages for part in message.parts]
        names = [self._name(identity) for message in messages for identity in identities(message)]
        counts = iter(self._of_parts(key, parts, names))
        return [tuple(next(counts) for _ in message.parts) for message in messages]

    def _of_parts(self, key: SessionKey, parts: Sequence[Part], names: Sequence[str]) -> list[int]:
        known = self._store.values(key.tenant, key.user, _SPACE, {name for name in names if name})
        wanted = [part for part, name in zip(parts, names, strict=True) if name not in known]
        counted = iter(count_parts(wanted, tokenizer_for(_MEASURE)))
        out, new = list[int](), dict[str, bytes | None]()
        for name in names:
            if name in known:
                out.append(int.from_bytes(known[name], "big"))
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
        """Counts are a cache: after a purge all of them go, as they tell what was once there."""
        gone: dict[str, bytes | None] = dict.fromkeys(self._store.values(key.tenant, key.user, _SPACE))
        self._store.put_values(key.tenant, key.user, _SPACE, gone)
