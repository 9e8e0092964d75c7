"""Parts made by hand are checked when they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import clew
from clew.domain import Message, Role
from clew.errors import UsageError
from clew.parts import Call, Media, Opaque, Output, Reasoning, Status, Text

WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "text": (lambda: Text(text=None), "Text.text is a text, not None (NoneType)"),  # type: ignore[arg-type]
    "call id": (lambda: Call(id=1, name="f", arguments={}), "Call.id is a text, not 1 (int)"),  # type: ignore[arg-type]
    "call name": (lambda: Call(id="c", name=None, arguments={}), "Call.name"),  # type: ignore[arg-type]
    "set": (lambda: Call(id="c", name="f", arguments={"x": [{1}]}), "Call.arguments['x'][0] is {1} (set)"),
    "number as name": (lambda: Call(id="c", name="f", arguments={1: 2}), "Call.arguments has a name that is no text"),
    "no number": (lambda: Call(id="c", name="f", arguments={"x": float("nan")}), "Call.arguments['x'] is nan"),
    "words": (lambda: Output(call_id="c", content="text"), "content=(Text(text=…),)"),  # type: ignore[arg-type]
    "word": (lambda: Output(call_id="c", content=("text",)), "not of 'text' (str)"),  # type: ignore[arg-type]
    "call in output": (lambda: Output(call_id="c", content=(Call(id="c", name="f", arguments={}),)), "Output.content"),
    "status": (lambda: Output(call_id="c", status="fine"), "one of success, failed"),  # type: ignore[arg-type]
    "bytes": (lambda: Media(media_type="image/png", data=b"abc"), "b64encode"),  # type: ignore[arg-type]
    "seal": (lambda: Reasoning(seal=b"abc"), "Reasoning.seal"),  # type: ignore[arg-type]
    "kind": (lambda: Opaque(kind=None), "Opaque.kind"),  # type: ignore[arg-type]
    "role": (lambda: Message(role="narrator"), "one of system, user, assistant, tool, not 'narrator'"),  # type: ignore[arg-type]
    "parts": (lambda: Message(role=Role.USER, parts="hello"), "parts=(Text(text=…),)"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_one_line(name: str) -> None:
    make, words = WRONG[name]
    with pytest.raises(UsageError) as caught:
        make()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_plain_words_stand_for_roles_and_statuses() -> None:
    made = clew.Message(role="assistant", parts=[Text(text="a")])  # type: ignore[arg-type]
    assert made.role is Role.ASSISTANT
    assert made.parts == (Text(text="a"),)
    assert Output(call_id="c", status="failed").status is Status.FAILED  # type: ignore[arg-type]
