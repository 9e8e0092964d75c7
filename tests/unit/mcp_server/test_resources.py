"""Resources: sessions, stories, critical items and segments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client, MCPError

from clew.engine.engine import Engine
from tests.builders import call, gives, output, says, user
from tests.unit.mcp_server.calls import ERAS, talk

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]


def read(engine: Engine, uri: str, mode: str = "legacy") -> str:
    async def job(client: Client) -> Any:
        return (await client.read_resource(uri)).contents[0].text  # type: ignore[union-attr]

    return str(talk(engine, job, mode=mode))


@pytest.fixture(autouse=True)
def _session(engine: Engine) -> None:
    session = engine.session("s1", cwd="/srv/shop")
    session.record([user("Why?"), says(call("c1")), gives(output("c1", "word " * 30_000))])
    session.pin("Use tabs", kind="decision")
    engine.session("s2", user="mallory").record([user("A secret.")])


@pytest.mark.parametrize("mode", ERAS)
def test_sessions_are_those_of_the_user(engine: Engine, mode: str) -> None:
    listed = json.loads(read(engine, "clew://sessions", mode))["sessions"]
    assert [(one["id"], one["messages"], one["cwd"]) for one in listed] == [("s1", 3, "/srv/shop")]


def test_a_session_is_read_by_parts(engine: Engine) -> None:
    assert "Why?" in read(engine, "clew://session/s1/story")
    assert json.loads(read(engine, "clew://session/s1/pins"))["items"][0]["content"] == "Use tabs"
    segment = read(engine, "clew://session/s1/segment/x1")
    assert [one["speaker"] for one in json.loads(segment)["items"]][:3] == ["user", "assistant", "tool"]
    assert "retrieve_context reads on" in json.loads(segment)["more"]
    assert len(segment) < 20_000


@pytest.mark.parametrize("uri", ["s9/story", "s2/story", "s1/segment/x9", "s1/segment/m0", "s1/segment/..%2F", "s1/no"])
def test_what_is_not_there_is_an_error_that_says_so(engine: Engine, uri: str) -> None:
    with pytest.raises(MCPError):
        read(engine, f"clew://session/{uri}")
