"""The tools that a caller gives for a turn: what the model is told of each, and how it is run."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from clew.domain import Call, Json, Tool
from clew.engine.conversation.steps import Outside
from clew.errors import UsageError

#: Names under which objects of frameworks have the schema of their arguments, and what runs them.
_SCHEMAS = ("schema", "input_schema", "inputSchema", "parameters", "params_json_schema", "args_schema")
_RUNS = ("run", "invoke", "func", "function")
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
_LISTS, _OBJECTS = (list, tuple, set, Sequence, Iterable), (dict, Mapping)


@dataclass(frozen=True, slots=True)
class _GivenTool:
    definition: Tool
    run: Callable[..., Any]
    #: True where the run takes the arguments as one object.
    takes_object: bool

    @property
    def is_async(self) -> bool:
        """Whether its run gives a coroutine."""
        return inspect.iscoroutinefunction(self.run) or inspect.iscoroutinefunction(type(self.run).__call__)


class Toolbox:
    """The tools of one turn, by name."""

    def __init__(self, tools: Mapping[str, Any] | Iterable[Any] | None, *, awaits: bool = False) -> None:
        """``awaits`` is for callers who can await what a tool gives. Raises UsageError for what is no tool, and
        without it for one that is asynchronous.
        """
        named = tools.items() if isinstance(tools, Mapping) else [("", tool) for tool in tools or ()]
        read = [_given_tool(name, tool) for name, tool in named]
        self._tools = {tool.definition.name: tool for tool in read}
        late = next((tool.definition.name for tool in read if tool.is_async and not awaits), None)
        if late is not None:
            raise UsageError(f"the tool {late} is asynchronous; give a function that returns its result")

    def __bool__(self) -> bool:
        return bool(self._tools)

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    @property
    def names(self) -> str:
        """The names, in words."""
        return ", ".join(self._tools)

    def definitions(self) -> list[Json]:
        """Returns what the model is told, as definitions of Chat Completions."""
        return [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
            }
            for tool in (tool.definition for tool in self._tools.values())
        ]

    def step(self, call: Call) -> Outside:
        """Returns the step that runs the tool which a call names."""
        tool = self._tools[call.name]
        if not isinstance(call.arguments, dict):
            raise UsageError(f"{call.name} takes an object of arguments, not {type(call.arguments).__name__}")
        arguments = dict(call.arguments)
        run = partial(tool.run, arguments) if tool.takes_object else partial(tool.run, **arguments)
        return Outside(run, is_async=tool.is_async)


def _given_tool(name: str, tool: Any) -> _GivenTool:
    schema = next((value for key in _SCHEMAS if isinstance(value := getattr(tool, key, None), dict)), None)
    name = name or getattr(tool, "name", "") or getattr(tool, "__name__", "")
    run = (
        tool if callable(tool) else next((value for key in _RUNS if callable(value := getattr(tool, key, None))), None)
    )
    if run is None or not isinstance(name, str) or not name:
        raise UsageError(
            f"{name or type(tool).__name__} is no tool; give a function, or an object with name, schema and run"
        )
    description = getattr(tool, "description", None) or inspect.getdoc(run if inspect.isroutine(run) else tool) or ""
    definition = Tool(name=name, description=str(description), schema=schema or _schema(run))
    return _GivenTool(definition, run, takes_object=schema is not None and not _takes_names(run, schema))


def _takes_names(run: Callable[..., Any], schema: Json) -> bool:
    """Whether a function takes the properties of a schema as arguments of their names."""
    try:
        parameters = inspect.signature(run).parameters
    except (TypeError, ValueError):
        return True
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return True
    return set(schema.get("properties") or ()) <= set(parameters)


def _schema(run: Callable[..., Any]) -> Json:
    """The JSON Schema of a function's arguments, by its signature."""
    try:
        parameters = inspect.signature(run).parameters.values()
    except (TypeError, ValueError):
        return {"type": "object"}
    try:
        hints = get_type_hints(run if inspect.isroutine(run) else type(run).__call__)
    except (NameError, TypeError):
        hints = {}
    named = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    required = [parameter.name for parameter in named if parameter.default is parameter.empty]
    properties = {parameter.name: _type(hints.get(parameter.name)) for parameter in named}
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _type(hint: Any) -> Json:
    if hint in _TYPES:
        return {"type": _TYPES[hint]}
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        members = [_type(member) for member in inner if member is not type(None)]
        return members[0] if len(members) == 1 else {"anyOf": members}
    if origin in _LISTS:
        return {"type": "array"} | ({"items": _type(inner[0])} if inner else {})
    return {"type": "object"} if origin in _OBJECTS else {}
