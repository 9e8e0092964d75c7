"""Access tokens."""

from __future__ import annotations

import pytest

from clew.engine.engine import Engine
from clew.errors import NotFound, UsageError
from clew.server.access_tokens import AccessTokens


@pytest.fixture
def tokens(engine: Engine) -> AccessTokens:
    return AccessTokens(engine.store, engine.services.clock)


def test_a_token_is_found_until_it_is_revoked_and_only_its_hash_is_kept(engine: Engine, tokens: AccessTokens) -> None:
    made, secret = tokens.make("laptop", user="ana")
    other, _ = tokens.make("phone", user="ben")
    assert tokens.find(secret) == made
    assert tokens.all() == sorted([made, other], key=lambda one: one.id)
    kept = str(engine.store.values("", "", "access-token"))
    assert secret not in kept
    assert tokens.revoke(made.id) == made
    assert tokens.find(secret) is None
    assert tokens.all() == [other]


def test_what_is_no_token_opens_nothing(tokens: AccessTokens) -> None:
    assert [tokens.find(wrong) for wrong in ("", "clew_", "x" * 10_000, "\x00", "\udcff")] == [None] * 5
    with pytest.raises(NotFound, match="no token 'x'; clew token list"):
        tokens.revoke("x")
    for name, user in (("", "ana"), ("x" * 65, "ana"), ("a\nb", "ana"), ("laptop", ""), ("laptop", "../ben")):
        with pytest.raises(UsageError):
            tokens.make(name, user=user)
