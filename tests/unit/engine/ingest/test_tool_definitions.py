"""Definitions of tools are known by their shape, whoever gives them; what defines none is refused."""

from __future__ import annotations

from typing import Any

import pytest

import clew
from clew.engine.session import Session
from clew.errors import UsageError

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
FUNCTION = {"name": "read", "description": "Reads a file.", "parameters": SCHEMA}


def mcp_tool() -> Any:
    from mcp.types import Tool

    return Tool.model_validate({"name": "read", "description": "Reads a file.", "inputSchema": SCHEMA})


def gemini_tool() -> Any:
    from google.genai import types

    declared = types.FunctionDeclaration(name="read", description="Reads a file.", parameters_json_schema=SCHEMA)
    return types.Tool(function_declarations=[declared])


def responses_tool() -> Any:
    from openai.types.responses import FunctionTool

    return FunctionTool(type="function", name="read", description="Reads a file.", parameters=SCHEMA, strict=None)


def pydantic_ai_tool() -> Any:
    from pydantic_ai.tools import ToolDefinition

    return ToolDefinition(name="read", description="Reads a file.", parameters_json_schema=SCHEMA)


def langchain_tool() -> Any:
    from langchain_core.tools import StructuredTool

    return StructuredTool(name="read", description="Reads a file.", args_schema=SCHEMA, func=lambda path: path)


READ = {
    "anthropic": {"name": "read", "description": "Reads a file.", "input_schema": SCHEMA},
    "anthropic custom": {"type": "custom", "name": "read", "description": "Reads a file.", "input_schema": SCHEMA},
    "chat": {"type": "function", "function": FUNCTION},
    "responses": {"type": "function", **FUNCTION, "strict": False},
    "gemini": {"functionDeclarations": [FUNCTION]},
    "gemini, Python names": {"function_declarations": [FUNCTION]},
    "a function alone": FUNCTION,
    "mcp": {"name": "read", "description": "Reads a file.", "inputSchema": SCHEMA},
    "an object of mcp": mcp_tool,
    "an object of google-genai": gemini_tool,
    "an object of openai": responses_tool,
    "an object of pydantic-ai": pydantic_ai_tool,
    "an object of langchain": langchain_tool,
}


def session() -> Session:
    return clew.open(":memory:").session("s")


def tools_of(found: Session) -> Any:
    return found.pack("go", target="openai-chat", budget=4_000).request()["tools"]


@pytest.mark.parametrize("format", [None, "anthropic", "openai-chat"])
@pytest.mark.parametrize("name", READ)
def test_a_tool_of_any_make_is_understood_without_a_format(name: str, format: str | None) -> None:
    tool, found = READ[name], session()
    found.record(tools=[tool() if callable(tool) else tool], format=format)
    assert tools_of(found) == [{"type": "function", "function": FUNCTION}]


def test_definitions_of_several_makes_are_all_kept() -> None:
    found = session()
    made = [READ["anthropic"], {"type": "function", "function": FUNCTION | {"name": "write"}}, {"googleSearch": {}}]
    found.record(tools=made)
    assert [one["function"]["name"] for one in tools_of(found)] == ["read", "write"]
    assert found.reader.history().tools[-1].name == "googleSearch"


@pytest.mark.parametrize(
    ("tool", "format"),
    [
        ({"type": "web_search_20250305", "name": "web_search", "max_uses": 3}, "anthropic"),
        ({"type": "mcp_toolset", "mcp_server_name": "files"}, "anthropic"),
        ({"type": "web_search"}, "openai-responses"),
        ({"type": "web_search_preview_2025_03_11"}, "openai-responses"),
        ({"type": "mcp", "server_label": "files", "server_url": "https://files"}, "openai-responses"),
        ({"type": "custom", "name": "shell", "format": {"type": "text"}}, "openai-responses"),
        ({"type": "custom", "custom": {"name": "shell"}}, "openai-chat"),
        ({"codeExecution": {}}, "gemini"),
    ],
)
def test_tools_that_a_provider_runs_go_back_to_it_as_they_came(tool: dict[str, Any], format: str) -> None:
    found = session()
    found.record(tools=[tool])
    assert found.pack("go", target=format, budget=4_000).request()["tools"] == [tool]


@pytest.mark.parametrize(
    "tool", [{}, {"type": "function"}, {"type": "function", "function": {}}, {"description": "?"}, "read", len, 7]
)
def test_what_defines_no_tool_is_refused_and_nothing_is_recorded(tool: Any) -> None:
    found = session()
    with pytest.raises(UsageError, match=r"tool 1 is .*defines no tool that Clew knows; give a list"):
        found.record([clew.user("hi")], tools=[READ["chat"], tool])
    assert not found.messages()
