"""Objects as JSON values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from clew.codecs.sdk_objects import plain, without_nulls
from tests.builders import user


class Colour(Enum):
    RED = "red"


@dataclass
class Boat:
    name: str
    parts: tuple[Any, ...] = ()
    owner: str | None = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Boat("a", (Boat("b"), Colour.RED)), {"name": "a", "parts": [{"name": "b", "parts": []}, "red"]}),
        (b"\xfb\xff", "+/8="),
        (datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00+00:00"),
        (Path("a/b"), "a/b"),
        ({"a": None}, {"a": None}),
        (user("q"), user("q")),
        (Boat, Boat),
    ],
)
def test_values_become_json(value: Any, expected: Any) -> None:
    assert plain(value) == expected


def test_models_of_pydantic_are_read_by_the_names_of_the_wire() -> None:
    pydantic = pytest.importorskip("pydantic")
    inner = pydantic.create_model("Inner", async_=(bool | None, pydantic.Field(None, alias="async")), x=(Any, None))
    model = inner(**{"async": True}, x={"kept": None})
    assert plain([model]) == [{"async": True, "x": {"kept": None}}]
    assert plain(inner()) == {}


def test_nulls_of_a_dump_go_and_those_of_a_model_stay() -> None:
    given = {"role": "assistant", "content": None, "name": None, "calls": [{"id": "c", "x": None, "args": {"a": None}}]}
    assert without_nulls(given) == {"role": "assistant", "content": None, "calls": [{"id": "c", "args": {"a": None}}]}


def test_data_of_a_tool_keeps_every_member() -> None:
    pydantic = pytest.importorskip("pydantic")
    row = pydantic.create_model("Row", name=(str, ...), price=(float | None, None), parsed=(bool, True))(name="x")
    rows = pydantic.RootModel[list[Any]]([row])
    returned = {"tool_call_id": "1", "part_kind": "tool-return", "content": [row, Boat("b"), rows]}
    whole = {"name": "x", "price": None, "parsed": True}
    assert plain(returned)["content"] == [whole, {"name": "b", "parts": [], "owner": None}, [whole]]
    assert plain({"type": "tool_use", "id": "1", "name": "f", "input": row})["input"] == whole
    assert plain({"role": "assistant", "content": row})["content"] == {"name": "x"}


def test_a_null_in_what_a_tool_gave_is_one() -> None:
    given = {"type": "function_call_output", "call_id": "c", "output": {"a": None}, "status": None}
    assert without_nulls(given) == {"type": "function_call_output", "call_id": "c", "output": {"a": None}}
    pieces = {"call_id": "c", "output": [{"type": "input_image", "image_url": "u", "file_id": None}]}
    assert without_nulls(pieces) == {"call_id": "c", "output": [{"type": "input_image", "image_url": "u"}]}
