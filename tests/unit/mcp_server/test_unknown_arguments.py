"""An argument that a tool does not take is refused by its name, not dropped."""

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
