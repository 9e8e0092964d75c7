"""The model that says what it was told to."""

from __future__ import annotations

import pytest

from clew.errors import ModelOverflow, ModelUnavailable
from clew.models import Scripted
from clew.ports import ModelReply, ModelRequest

ASKED = ModelRequest(system="Be brief.", user="hello", max_tokens=10)


def test_answers_come_in_order_and_questions_are_kept() -> None:
    call = ModelReply("", "calls", ("bash",))
    model = Scripted(["one", call, ModelOverflow("too long")])
    assert model.ask(ASKED, seconds=1) == ModelReply("one")
    assert model.ask(ASKED, seconds=1) == call
    with pytest.raises(ModelOverflow):
        model.ask(ASKED, seconds=1)
    with pytest.raises(ModelUnavailable, match="no more answers"):
        model.ask(ASKED, seconds=1)
    assert model.requests == [ASKED] * 4


def test_a_function_answers_what_is_asked() -> None:
    assert Scripted(lambda asked: asked.user.upper()).ask(ASKED, seconds=1) == ModelReply("HELLO")
