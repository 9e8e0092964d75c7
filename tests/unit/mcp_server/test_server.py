"""The server as clients see it: names, schemas, hints and order, in both eras of the protocol."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client

from clew.engine.engine import Engine
from tests.assistant_files import claude_file
from tests.unit.mcp_server.calls import ERAS, ask, talk

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]
TOOLS = {
    "get_context_health": {"includeDetails", "session"},
    "trigger_compaction": {"strategy", "preserveRecent", "session"},
    "check_drift": {"topic", "session", "cursor"},
    "mark_critical": {"content", "reason", "type", "session"},
    "get_critical_context": {"type", "session", "cursor"},
    "get_story": {"session", "cursor"},
    "retrieve_context": {"conversation_ids", "format", "priority", "offset", "limit", "session", "cursor"},
    "search_context": {"query", "kind", "scope", "limit", "session", "cursor"},
    "search_knowledge": {"query", "limit", "filters", "session", "cursor"},
    "record_messages": {"messages", "format", "session"},
    "report_housekeeping": {"model", "user", "segments", "session"},
}
READ_ONLY = {
    "get_context_health",
    "check_drift",
    "get_critical_context",
    "get_story",
    "retrieve_context",
    "search_context",
    "search_knowledge",
}


@pytest.mark.parametrize("mode", ERAS)
def test_tools_have_their_names_inputs_schemas_and_hints_in_one_order(engine: Engine, mode: str) -> None:
    async def listed(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = talk(engine, listed, mode=mode)
    assert [tool.name for tool in tools] == list(TOOLS)
    assert {tool.name: set(tool.input_schema["properties"]) for tool in tools} == TOOLS
    assert {tool.name for tool in tools if tool.annotations.read_only_hint} == READ_ONLY
    named = [tool.name for tool in tools if "session" not in tool.output_schema["properties"]]
    assert named == ["search_knowledge"]
    assert all(tool.description and tool.title and not tool.annotations.open_world_hint for tool in tools)


@pytest.mark.parametrize("mode", ERAS)
def test_an_answer_is_structured_and_the_same_in_words(engine: Engine, mode: str) -> None:
    claude_file("s1", "hello")
    result = ask(engine, "get_context_health", mode=mode)
    assert result.structured_content is not None
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    keys = {"session", "health", "tokensUsed", "tokensLimit", "utilization", "driftScore", "driftDetected"}
    assert set(result.structured_content) == keys | {"limitSource", "window", "suggestions"}


@pytest.mark.parametrize("mode", ERAS)
def test_resources_and_prompts_are_listed(engine: Engine, mode: str) -> None:
    async def listed(client: Client) -> Any:
        resources, templates = await client.list_resources(), await client.list_resource_templates()
        prompts = await client.list_prompts()
        uris = [one.uri for one in resources.resources] + [one.uri_template for one in templates.resource_templates]
        return uris, [one.name for one in prompts.prompts]

    uris, prompts = talk(engine, listed, mode=mode)
    assert uris == [
        "clew://sessions",
        "clew://session/{id}/story",
        "clew://session/{id}/pins",
        "clew://session/{id}/segment/{segment}",
    ]
    assert prompts == ["resume", "compact"]
