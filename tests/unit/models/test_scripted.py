"""The model that says what it was told to."""

from __future__ import annotations

import pytest

from clew.errors import ModelCancelled, ModelOverflow, ModelTimeout, ModelUnavailable
from clew.models import Scripted
from clew.ports import Asked, Cancel, Said

ASKED = Asked(system="Be brief.", user="hello", max_tokens=10)


def test_answers_come_in_order_and_questions_are_kept() -> None:
    call = Said("", "calls", ("bash",))
    model = Scripted(["one", call, ModelOverflow("too long")])
    assert model.ask(ASKED, seconds=1) == Said("one")
    assert model.ask(ASKED, seconds=1) == call
    with pytest.raises(ModelOverflow):
        model.ask(ASKED, seconds=1)
    with pytest.raises(ModelUnavailable, match="no more answers"):
        model.ask(ASKED, seconds=1)
    assert model.asked == [ASKED] * 4


def test_a_function_answers_what_is_asked() -> None:
    assert Scripted(lambda asked: asked.user.upper()).ask(ASKED, seconds=1) == Said("HELLO")


def test_it_can_be_cancelled_before_and_half_way() -> None:
    cancel = Cancel()

    def answer(_asked: Asked) -> str:
        cancel.cancel()
        return "too late"

    model = Scripted(answer)
    for _ in range(2):
        with pytest.raises(ModelCancelled):
            model.ask(ASKED, seconds=1, cancel=cancel)
    assert len(model.asked) == 1


def test_no_time_is_a_time_out() -> None:
    with pytest.raises(ModelTimeout):
        Scripted(["late"]).ask(ASKED, seconds=0)
