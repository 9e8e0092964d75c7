"""Which API a definition of a tool is of, by its shape: callers hand in what SDKs, frameworks and MCP servers give."""

from __future__ import annotations

import re
from typing import Any

from clew.domain import Json
from clew.text.vocabulary import in_order

#: Names that SDKs and frameworks have for the schema of a tool's arguments: MCP, OpenAI's functions and Gemini's
#: declarations alone, Pydantic AI, the OpenAI Agents SDK, LangChain.
_SCHEMAS = in_order("inputSchema parameters parametersJsonSchema parameters_json_schema params_json_schema args_schema")
#: Anthropic's own tools have a name, or a type that ends with the day of its version.
_DATED = re.compile(r"_[0-9]{8}$")
#: Anthropic's tools that are told by their type alone.
_ANTHROPIC_TYPES = {"mcp_toolset"}


def definition_of(tool: Any, preferred: str) -> tuple[str, Json] | None:
    """Returns the format that a definition has, and the definition in it; None for what defines no tool.

    ``preferred`` is the format of the conversation: it decides where a shape may be of several.
    """
    if not isinstance(tool, dict):
        return None
    if "type" not in tool and not isinstance(tool.get("name"), str):
        return ("gemini", tool) if _is_gemini(tool) else None
    kind = tool.get("type", "custom")
    if not isinstance(kind, str):
        return None
    found = _openai_or_anthropic(tool, kind, preferred)
    return (found, tool) if found else _named_schema(tool)


def _openai_or_anthropic(tool: Json, kind: str, preferred: str) -> str:
    """The API that has the very shape; empty where none has."""
    inner, name = tool.get(kind), tool.get("name")
    if kind in ("function", "custom"):
        if isinstance(inner, dict):
            return "openai-chat" if inner.get("name") else ""
        if isinstance(tool.get("input_schema"), dict):
            return "anthropic" if name and kind == "custom" else ""
        return "openai-responses" if name and "type" in tool else ""
    if isinstance(inner, dict):
        return "openai-chat"
    is_anthropic = kind in _ANTHROPIC_TYPES or bool(_DATED.search(kind)) or bool(name)
    return "anthropic" if is_anthropic or preferred == "anthropic" else "openai-responses"


def _is_gemini(tool: Json) -> bool:
    """True for an object of declarations or of tools that Google runs: each is an object or a list of them."""
    return bool(tool) and all(isinstance(value, dict | list) for value in tool.values()) and "role" not in tool


def _named_schema(tool: Json) -> tuple[str, Json] | None:
    """A definition of no provider's API: a name, and a schema under one of the names that frameworks have for it."""
    name = tool.get("name")
    given = [tool[one] for one in _SCHEMAS if tool.get(one) is not None]
    schema = _as_schema(given[0]) if given else {"type": "object", "properties": {}}
    if not name or not isinstance(name, str) or schema is None:
        return None
    described = {"description": tool["description"]} if isinstance(tool.get("description"), str) else {}
    return "anthropic", {"name": name, **described, "input_schema": schema}


def _as_schema(value: Any) -> Json | None:
    """The schema itself, or that of a Pydantic model; types in capitals, as Gemini has them, in small letters."""
    if isinstance(value, type) and callable(draw := getattr(value, "model_json_schema", None)):
        value = draw()
    lowered = with_lower_types(value)
    return lowered if isinstance(lowered, dict) else None


def with_lower_types(value: Any) -> Any:
    """Returns a schema with its types in small letters, as JSON Schema has them."""
    if isinstance(value, list):
        return [with_lower_types(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("type")
    lowered = {"type": kind.lower()} if isinstance(kind, str) and kind.isupper() else {}
    return {name: with_lower_types(item) for name, item in value.items()} | lowered
