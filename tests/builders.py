"""Words for histories: user("hi"), says("hello"), call("c1"), output("c1", "done")."""

from __future__ import annotations

from typing import Any

from clew.domain import Call, Message, Origin, Output, Part, Reasoning, Role, Status, Text


def user(*parts: str | Part) -> Message:
    return Message(role=Role.USER, origin=Origin.PERSON, parts=_components(parts))


def says(*parts: str | Part) -> Message:
    return Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=_components(parts))


def gives(*parts: Part) -> Message:
    """A message of tool outputs."""
    return Message(role=Role.TOOL, origin=Origin.TOOL, parts=parts)


def injected(text: str) -> Message:
    return Message(role=Role.USER, origin=Origin.CLIENT, parts=(Text(text=text),))


def call(id: str, name: str = "read", **arguments: Any) -> Call:
    return Call(id=id, name=name, arguments=arguments)


def output(call_id: str, text: str = "ok", status: Status = Status.SUCCESS) -> Output:
    return Output(call_id=call_id, content=(Text(text=text),), status=status)


def thinks(text: str, seal: str | None = None) -> Reasoning:
    return Reasoning(text=text, seal=seal)


def _components(parts: tuple[str | Part, ...]) -> tuple[Part, ...]:
    return tuple(Text(text=part) if isinstance(part, str) else part for part in parts)
