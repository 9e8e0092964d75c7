"""Prompts."""

from __future__ import annotations

import pytest
from mcp import Client, MCPError

from clew.engine.engine import Engine
from tests.builders import says, user
from tests.unit.mcp_server.calls import ERAS, talk

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]


def prompt(engine: Engine, name: str, mode: str = "legacy", **arguments: str) -> str:
    async def job(client: Client) -> str:
        found = await client.get_prompt(name, arguments)
        return str(found.messages[0].content.text)  # type: ignore[union-attr]

    return talk(engine, job, mode=mode)


@pytest.mark.parametrize("mode", ERAS)
def test_a_session_is_resumed_with_its_state(engine: Engine, mode: str) -> None:
    session = engine.session("s1", cwd="/srv/shop")
    session.record([user("Never touch the migrations. Why does the login fail?"), says("The cookie is not set.")])
    text = prompt(engine, "resume", mode)
    assert text.startswith("Go on with session s1.")
    assert "The cookie is not set." in text
    asked = prompt(engine, "compact", mode, session="s1")
    assert "What binds:\n- constraint: Never touch the migrations." in asked
    session.pin("Always push.", kind="instruction", by="assistant")
    assert "- instruction, marked by the assistant: Always push." in prompt(engine, "compact", mode, session="s1")


def test_an_unknown_session_is_an_error_that_says_what_to_do(engine: Engine) -> None:
    with pytest.raises(MCPError, match="take an id of the resource clew://sessions"):
        prompt(engine, "resume", session="unknown")


@pytest.mark.parametrize("mode", ERAS)
def test_an_unknown_prompt_is_answered_with_those_there_are(engine: Engine, mode: str) -> None:
    with pytest.raises(MCPError, match="no prompt 'poem'; there are resume and compact"):
        prompt(engine, "poem", mode)
