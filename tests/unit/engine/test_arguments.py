"""What a caller gives is used or refused: no argument is taken and dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import clew
from clew.engine.session import Session
from clew.errors import UsageError

WRONG: dict[str, tuple[Callable[[Session], Any], str]] = {
    "an unknown format of messages of ours": (lambda s: s.record([clew.user("x")], format="nobody"), "nobody"),
    "an unknown format of a text": (lambda s: s.reply("x", format="nobody"), "nobody"),
    "an unknown kind": (lambda s: s.search("x", kind="module"), "cannot search a session for 'module'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_used_is_refused(name: str) -> None:
    session = clew.open(":memory:").session("s")
    wrong, words = WRONG[name]
    with pytest.raises(UsageError, match=words):
        wrong(session)
    assert not session.messages()


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"window": -5}, "a window is a number of tokens, not -5"),
        ({"window": "big"}, "a window is a number of tokens, not 'big'"),
        ({"window": True}, "a window is a number of tokens, not True"),
        ({"model": 7}, "model of a session is a text, not a int"),
        ({"title": ["x"]}, "title of a session is a text, not a list"),
        ({"colour": "red"}, "a session has no colour"),
    ],
)
def test_what_a_session_cannot_have_is_refused(about: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        clew.open(":memory:").session("s", **about)
