"""Definitions of tools in the words of each provider, to and from the domain, and which API one is of, by its shape:
callers hand in what SDKs, frameworks and MCP servers give.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from clew.codecs.fields import text_or_none
from clew.codecs.providers.conversion import FREE_TEXT, NO_ARGUMENTS, is_provider_tool
from clew.codecs.providers.losses import Losses
from clew.domain import Json, Loss, Tool, Wire
from clew.text.vocabulary import in_order

#: Names that SDKs and frameworks have for the schema of a tool's arguments: MCP, OpenAI's functions and Gemini's
#: declarations alone, Pydantic AI, the OpenAI Agents SDK, LangChain.
_SCHEMA_NAMES = in_order(
    "inputSchema parameters parametersJsonSchema parameters_json_schema params_json_schema args_schema"
)
#: Anthropic's own tools have a name, or a type that ends with the day of its version.
_DATED = re.compile(r"_[0-9]{8}$")
#: Anthropic's tools that are told by their type alone.
_ANTHROPIC_TYPES = {"mcp_toolset"}
#: Gemini takes both spellings of every name; this one is asked for most.
_DECLARATIONS = ("functionDeclarations", "function_declarations")
_SCHEMAS = ("parametersJsonSchema", "parameters_json_schema", "parameters")


def read_tools(data: Sequence[Any], format: str) -> tuple[Tool, ...]:
    """The tools of a request. Those that the provider runs itself have no schema."""
    read = _READERS[format]
    return tuple(tool for definition in data if isinstance(definition, dict) for tool in read(definition))


def write_tools(tools: Sequence[Tool], format: str, losses: Losses) -> list[Json]:
    """The tools for a request; tools that another provider runs cannot cross."""
    out: list[Json] = []
    index = 0
    while index < len(tools):
        tool = tools[index]
        whole = _came_as(tools[index:], format)
        if whole is not None and tool.wire is not None:
            out.append(tool.wire.data)
            index += whole
            continue
        if is_provider_tool(tool):
            losses.found.append(Loss("tools", f"the tool {tool.name} of another provider"))
        else:
            _WRITERS[format](tool, out)
        index += 1
    return out


def _came_as(tools: Sequence[Tool], format: str) -> int | None:
    """How many of the tools the wire of the first one spells out, if they are as they came."""
    wire = tools[0].wire
    if wire is None or wire.format != format:
        return None
    read = read_tools([wire.data], format)
    return len(read) if read and tuple(tools[: len(read)]) == read else None


def _tool(name: Any, description: Any, schema: Json, wire: Wire) -> Tool:
    return Tool(name=str(name or ""), description=text_or_none(description) or "", schema=schema, wire=wire)


def _schema(value: Any) -> Json:
    return value if isinstance(value, dict) and value else NO_ARGUMENTS


def _name_and_description(tool: Tool) -> Json:
    return {"name": tool.name, **({"description": tool.description} if tool.description else {})}


# ── anthropic ────────────────────────────────────────────────────────────────────────────────────────


def _read_anthropic(data: Json) -> Iterator[Tool]:
    own = data.get("type", "custom") in ("custom", None)
    schema = _schema(data.get("input_schema")) if own else {}
    yield _tool(data.get("name") or data.get("type"), data.get("description"), schema, Wire("anthropic", data))


def _write_anthropic(tool: Tool, out: list[Json]) -> None:
    out.append({**_name_and_description(tool), "input_schema": _schema(tool.schema)})


# ── openai ───────────────────────────────────────────────────────────────────────────────────────────


def _read_chat(data: Json) -> Iterator[Tool]:
    kind = data.get("type")
    inner = data.get(kind) if isinstance(kind, str) else None
    yield _openai(kind, inner if isinstance(inner, dict) else {}, Wire("openai-chat", data))


def _write_chat(tool: Tool, out: list[Json]) -> None:
    out.append({"type": "function", "function": {**_name_and_description(tool), "parameters": _schema(tool.schema)}})


def _read_responses(data: Json) -> Iterator[Tool]:
    yield _openai(data.get("type"), data, Wire("openai-responses", data))


def _write_responses(tool: Tool, out: list[Json]) -> None:
    # This API makes schemas strict unless told otherwise, which would turn optional arguments into required ones.
    out.append({"type": "function", **_name_and_description(tool), "parameters": _schema(tool.schema), "strict": False})


def _openai(kind: Any, inner: Json, wire: Wire) -> Tool:
    schemas: dict[Any, Json] = {"function": _schema(inner.get("parameters")), "custom": FREE_TEXT}
    name, description = inner.get("name") or kind, inner.get("description")
    return _tool(name, description, schemas.get(kind, {}) if isinstance(kind, str) else {}, wire)


# ── gemini ───────────────────────────────────────────────────────────────────────────────────────────


def _read_gemini(data: Json) -> Iterator[Tool]:
    """One object holds many declarations: the first has all of it as its wire, the others their own."""
    wire = Wire("gemini", data)
    for name, value in data.items():
        if name not in _DECLARATIONS or not isinstance(value, list):
            yield _tool(name, "", {}, wire)
            continue
        for index, declaration in enumerate(element for element in value if isinstance(element, dict)):
            yield _read_declaration(declaration, wire if index == 0 else Wire("gemini", declaration))


def _read_declaration(data: Json, wire: Wire) -> Tool:
    schema = next((data[name] for name in _SCHEMAS if isinstance(data.get(name), dict)), None)
    return _tool(data.get("name"), data.get("description"), _schema(with_lower_types(schema)), wire)


def _write_gemini(tool: Tool, out: list[Json]) -> None:
    declaration = _own_declaration(tool) or {
        **_name_and_description(tool),
        "parametersJsonSchema": _schema(tool.schema),
    }
    if out and list(out[-1]) == ["functionDeclarations"]:
        out[-1] = {"functionDeclarations": [*out[-1]["functionDeclarations"], declaration]}
    else:
        out.append({"functionDeclarations": [declaration]})


def _own_declaration(tool: Tool) -> Json | None:
    """The declaration as it came, also when others of the same object are gone."""
    if tool.wire is None or tool.wire.format != "gemini":
        return None
    listed = next((tool.wire.data[name] for name in _DECLARATIONS if name in tool.wire.data), [tool.wire.data])
    return next(
        (
            declared
            for declared in listed
            if isinstance(declared, dict) and _read_declaration(declared, tool.wire) == tool
        ),
        None,
    )


_READERS: dict[str, Callable[[Json], Iterator[Tool]]] = {
    "anthropic": _read_anthropic,
    "openai-chat": _read_chat,
    "openai-responses": _read_responses,
    "gemini": _read_gemini,
}
_WRITERS: dict[str, Callable[[Tool, list[Json]], None]] = {
    "anthropic": _write_anthropic,
    "openai-chat": _write_chat,
    "openai-responses": _write_responses,
    "gemini": _write_gemini,
}


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
    format = _openai_or_anthropic(tool, kind, preferred)
    return (format, tool) if format else _named_schema(tool)


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
    schemas = [tool[name] for name in _SCHEMA_NAMES if tool.get(name) is not None]
    schema = _as_schema(schemas[0]) if schemas else {"type": "object", "properties": {}}
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
