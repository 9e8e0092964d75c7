"""Objects as JSON values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from clew.codecs.sdk_objects import compared_text, plain, without_nulls
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


@pytest.mark.parametrize(
    "given",
    [{"role": "user", "content": b"x"}, {"role": "user", "content": [{"type": "text", "text": bytearray(b"x")}]}],
)
def test_bytes_are_no_words(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"its (content|text) is bytes; give words as text"):
        plain(given)
    assert plain({"inline_data": {"data": b"x"}}) == {"inline_data": {"data": "eA=="}}


def test_a_null_in_what_a_tool_gave_is_one() -> None:
    given = {"type": "function_call_output", "call_id": "c", "output": {"a": None}, "status": None}
    assert without_nulls(given) == {"type": "function_call_output", "call_id": "c", "output": {"a": None}}
    pieces = {"call_id": "c", "output": [{"type": "input_image", "image_url": "u", "file_id": None}]}
    assert without_nulls(pieces) == {"call_id": "c", "output": [{"type": "input_image", "image_url": "u"}]}


class Ship:
    """An object as Pydantic makes them: fields, and what came beside them."""

    __slots__ = ("__dict__", "model_extra")

    def __init__(self, crew: Any, **extra: Any) -> None:
        self.crew, self.model_extra = crew, extra

    def model_dump(self) -> Any:
        raise AssertionError("dumping is slow")


def test_texts_are_equal_for_objects_that_hold_the_same_and_for_no_others() -> None:
    held = [
        Boat("a", (Boat("b"),)),
        Ship(MappingProxyType({"x": b"1"})),
        Ship(1, y=Path("p").name),
        {"z": [Ship(None)]},
    ]
    same = [Boat("a", (Boat("b"),)), Ship({"x": b"1"}), Ship(1, y="p"), {"z": [Ship(None)]}]
    assert compared_text(held) == compared_text(same)
    others = [Boat("a", (Boat("c"),)), Ship({"x": b"2"}), Ship(1, y="q"), {"z": [Ship(0)]}]
    for at, other in enumerate(others):
        assert compared_text([*held[:at], other, *held[at + 1 :]]) != compared_text(held)
    with pytest.raises(TypeError):
        compared_text([{"a": object()}])
