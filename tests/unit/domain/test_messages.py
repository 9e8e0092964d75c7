"""Messages made by hand."""

from __future__ import annotations

from typing import Any

import pytest

import clew
from clew.domain import Message, Origin, Role
from clew.errors import UsageError
from clew.parts import Call, Output, Text


def test_words_of_a_person_and_of_the_model() -> None:
    look = Call(id="c1", name="look", arguments={})
    assert clew.user("q") == Message(role=Role.USER, origin=Origin.PERSON, parts=(Text(text="q"),))
    said = Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=(Text(text="I look."), look))
    assert clew.assistant("I look.", look) == said


def test_outputs_alone_are_what_the_tools_say() -> None:
    output = Output(call_id="c1", content=(Text(text="done"),))
    assert clew.user(output) == Message(role=Role.TOOL, origin=Origin.TOOL, parts=(output,))
    assert clew.user(output, "go on").role is Role.USER


@pytest.mark.parametrize("wrong", [7, None, {"type": "text", "text": "q"}, ["q"]])
def test_what_is_no_part_is_refused(wrong: Any) -> None:
    with pytest.raises(UsageError, match=type(wrong).__name__):
        clew.user(wrong)
