"""Tools that give what nobody expects: the turn goes on, the prompt fits, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from clew.engine.conversation.answer import Answer
from clew.engine.session import Session
from tests.provider_replies import Says
from tests.scripted_turns import outputs, saying, session_with

MODEL, CALL = "local/qwen", Says(tool="tool", id="c1")
SECRET = "sk-ant-api03-" + "a1B2" * 12


def turn(tool: Callable[[], Any], **options: Any) -> tuple[Answer, Session, str]:
    """The answer, the session, and what the model was sent after the tool."""
    with saying(CALL, Says("I see.")) as served:
        session = session_with(served.url)
        answer = session.ask("go", model=MODEL, tools={"tool": tool}, **options)
        return answer, session, str(served.requests[-1]["messages"])


@pytest.mark.parametrize("text", ["x" * 1_200_000, "line\n" * 250_000, "\x00\x1b[31m" * 200_000])
def test_megabytes_fit_the_budget_and_are_read_back_whole(text: str) -> None:
    answer, session, sent = turn(lambda: text, budget=6_000)
    assert (answer.text, [done.status for done in answer.tools]) == ("I see.", ["success"])
    assert session.reader.count(sent) < 7_000
    [output] = [part for message in session.messages() for part in message.outputs]
    assert output.text == text
    assert text[-2_000:] in session.recall(["m3"])[0].text


@dataclass
class Point:
    x: int
    y: float


def circle() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


GIVEN: dict[str, tuple[Callable[[], Any], str | None]] = {
    "nothing": (lambda: None, "null"),
    "a dataclass": (lambda: Point(1, 2.5), '{"x":1,"y":2.5}'),
    "a number beyond 64 bits": (lambda: 2**80, str(2**80)),
    "an empty text": (lambda: "", ""),
    "control characters": (lambda: "a\x00b\x1b[2Jc\r\n", "a\x00b\x1b[2Jc\r\n"),
    "half a character": (lambda: "a\ud800b", "a\ufffdb"),
    "an object": (object, None),
    "bytes": (lambda: b"\xff\x00", None),
    "a circle": (circle, None),
    "no number": (lambda: float("nan"), "null"),
    "a generator": (lambda: (one for one in "ab"), None),
    "a class": (lambda: Point, None),
    "deep lists": (lambda: deep(100_000), None),
}


def deep(levels: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


@pytest.mark.parametrize("given", GIVEN)
def test_any_value_is_told_to_the_model_or_is_the_tools_failure(given: str) -> None:
    tool, told = GIVEN[given]
    answer, session, _ = turn(tool)
    status = "failed" if told is None else "success"
    assert (answer.text, [done.status for done in answer.tools]) == ("I see.", [status])
    [output] = outputs(session)
    assert output == told if told is not None else "tool" in output or "JSON" in output or "Error" in output


def test_errors_that_cannot_be_told_are_told_by_their_kind() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    def tool() -> None:
        raise Mute

    answer, session, _ = turn(tool)
    assert (answer.text, [done.status for done in answer.tools]) == ("I see.", ["failed"])
    assert outputs(session) == ["Mute"]


def test_a_tool_that_stops_the_iteration_or_exits_ends_as_one_would_expect() -> None:
    def stops() -> None:
        raise StopIteration("enough")

    answer, session, _ = turn(stops)
    assert (answer.text, outputs(session)) == ("I see.", ["StopIteration: enough"])

    def exits() -> None:
        raise SystemExit(3)

    with saying(CALL) as served:
        session = session_with(served.url)
        with pytest.raises(SystemExit):
            session.ask("go", model=MODEL, tools={"tool": exits})
    assert outputs(session) == ["SystemExit: 3"]


def test_secrets_go_to_the_model_and_are_masked_where_people_and_logs_see_them() -> None:
    def leaks() -> str:
        raise PermissionError(f"the key {SECRET} is wrong")

    with saying(CALL, Says("I see.")) as served:
        session = session_with(served.url)
        heard: list[str] = []
        session._services.events.on("*", lambda event: heard.append(str(event)))
        session.ask("go", model=MODEL, tools={"tool": leaks})
        assert SECRET in str(served.requests[-1]["messages"])
    assert any("tool.ended" in event for event in heard)
    assert SECRET not in "".join(heard)
    assert SECRET not in str(session.search("key"))
