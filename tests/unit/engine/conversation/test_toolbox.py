"""Tools as functions and as objects: what the model is told, and how they are run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from clew.domain import Call
from clew.engine.conversation.toolbox import Toolbox
from clew.errors import UsageError


def find(word: str, limit: int | None = None, tags: list[str] = [], how: Literal["a", "b"] = "a") -> str:  # noqa: B006
    """Finds a word."""
    return f"{word} {limit} {tags} {how}"


@dataclass
class Weather:
    name: str = "weather"
    description: str = "Tells the weather."
    input_schema: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {"place": {}}})

    def run(self, arguments: dict[str, Any]) -> str:
        return f"rain in {arguments['place']}"


def test_a_function_is_described_by_its_signature() -> None:
    box = Toolbox({"find": find})
    (told,) = box.definitions()
    assert told["function"] == {
        "name": "find",
        "description": "Finds a word.",
        "parameters": {
            "type": "object",
            "properties": {
                "word": {"type": "string"},
                "limit": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "how": {"enum": ["a", "b"]},
            },
            "required": ["word"],
        },
    }
    assert box.step(Call(id="c", name="find", arguments={"word": "x", "limit": 2})).call() == "x 2 [] a"


def test_an_object_brings_its_name_and_schema_and_takes_its_arguments_as_one() -> None:
    box = Toolbox([Weather()])
    assert [tool["function"]["name"] for tool in box.definitions()] == ["weather"]
    assert box.step(Call(id="c", name="weather", arguments={"place": "Rome"})).call() == "rain in Rome"


async def later() -> None: ...


@pytest.mark.parametrize("tools", [{"x": 3}, [object()], {"later": later}])
def test_what_is_no_tool_is_refused(tools: Any) -> None:
    with pytest.raises(UsageError, match=r"is no tool|is asynchronous"):
        Toolbox(tools)
