"""An argument that a tool does not take, or that is left out, is named in one line."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import MCPError

import clew
from clew.domain.sessions import DEFAULT_USER
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


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"model": {"bogus": 1}}, "report_housekeeping: model.bogus: extra inputs are not permitted"),
        ({"model": {"key_decisions": "x"}}, "report_housekeeping: model.key_decisions: input should be a valid list"),
        ({"segments": [{"id": "x1"}]}, "report_housekeeping: segments.0.summary: field required"),
    ],
)
@pytest.mark.parametrize("mode", ERAS)
def test_what_is_wrong_within_an_argument_is_said_in_one_line(mode: str, given: dict[str, Any], told: str) -> None:
    with clew.open(":memory:") as engine:
        refused = ask(engine, "report_housekeeping", mode=mode, **given)
    assert (refused.is_error, [part.text for part in refused.content]) == (True, [told])  # type: ignore[union-attr]


def test_names_within_an_argument_may_be_in_camel_case() -> None:
    with clew.open(":memory:") as engine:
        session = engine.for_user(DEFAULT_USER).session("s")
        session.record([clew.user("hi"), clew.assistant("hello")])
        given = {"model": {"responseHeader": "Greeted."}, "user": {"queryHeader": "A greeting"}}
        assert not ask(engine, "report_housekeeping", session="s", **given).is_error
