"""An argument that a tool does not take, or that is left out, is named in one line."""

from __future__ import annotations

import pytest
from mcp import MCPError

import clew
from tests.unit.mcp_server.calls import ERAS, ask


@pytest.mark.parametrize("mode", ERAS)
def test_an_argument_that_a_tool_does_not_take_is_named(mode: str) -> None:
    engine = clew.open(":memory:")
    engine.session("s").record([clew.user("hi"), clew.assistant("hello")])
    with pytest.raises(MCPError, match="search_context takes no 'knd'; it takes query, kind"):
        ask(engine, "search_context", mode=mode, query="hi", session="s", knd="segment")
    assert not ask(engine, "search_context", mode=mode, query="hi", session="s", kind="segment").is_error


def test_an_argument_that_is_left_out_is_named_in_one_line() -> None:
    with (
        clew.open(":memory:") as engine,
        pytest.raises(MCPError, match="search_context needs 'query'; it takes") as told,
    ):
        ask(engine, "search_context", mode=ERAS[0])
    assert "\n" not in str(told.value)
