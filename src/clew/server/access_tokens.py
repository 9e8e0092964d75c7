"""Access tokens: who may use the server from elsewhere, and as which user. Only their hashes are stored."""

from __future__ import annotations

import re
import secrets
from dataclasses import asdict, dataclass
from hashlib import sha256

import orjson

from clew.errors import NotFound, UsageError
from clew.ports import Clock, Store

#: Where tokens are stored, by the hash of each: tenant and user of the space, and its name.
_SPACE = ("", "", "access-token")
_PREFIX = "clew_"
_NAME = re.compile(r"[\w.@ -]{1,64}")
_USER = re.compile(r"[\w.@-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """What is known of a token: an id to revoke it by, what it is for, and whose sessions it opens."""

    id: str
    name: str
    user: str
    created: float


class AccessTokens:
    """The tokens of a store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    def make(self, name: str, *, user: str) -> tuple[AccessToken, str]:
        """Makes a token. Returns what is known of it, and the token itself, which is shown this once.

        Raises UsageError for a name or user that is none.
        """
        if not _NAME.fullmatch(name) or not name.strip():
            raise UsageError("a token needs a name of at most 64 letters, digits and . @ - _ or blanks")
        if not _USER.fullmatch(user):
            raise UsageError("a user has a name of at most 64 letters, digits and . @ - _")
        secret = _PREFIX + secrets.token_urlsafe(32)
        digest = _digest(secret)
        token = AccessToken(id=digest[:8], name=name, user=user, created=self._clock.now())
        self._store.put_values(*_SPACE, {digest: orjson.dumps(asdict(token))})
        return token, secret

    def all(self) -> list[AccessToken]:
        """Returns all tokens, oldest first."""
        tokens = [AccessToken(**orjson.loads(raw)) for raw in self._store.values(*_SPACE).values()]
        return sorted(tokens, key=lambda token: (token.created, token.id))

    def find(self, secret: str) -> AccessToken | None:
        """Returns the token that this is; None for one that nobody made, or that was revoked."""
        digest = _digest(secret)
        raw = self._store.values(*_SPACE, [digest]).get(digest)
        return AccessToken(**orjson.loads(raw)) if raw else None

    def revoke(self, id: str) -> AccessToken:
        """Ends a token by its id. Raises NotFound if there is none."""
        known = {digest: AccessToken(**orjson.loads(raw)) for digest, raw in self._store.values(*_SPACE).items()}
        found = [(digest, one) for digest, one in known.items() if one.id == id]
        if not found:
            raise NotFound(f"no token {id!r}; clew token list names them")
        self._store.put_values(*_SPACE, dict.fromkeys([digest for digest, _ in found]))
        return found[0][1]


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
