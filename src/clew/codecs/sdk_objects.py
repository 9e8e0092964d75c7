"""Objects of SDKs and frameworks as the JSON values that their fields spell out, under the names of the APIs.

No package of theirs is imported: objects of Pydantic and dataclasses say what they are made of.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from math import isfinite
from pathlib import PurePath
from typing import Any
from uuid import UUID

import orjson

from clew.codecs.jsonio import MAX_DEPTH
from clew.domain import Json, Message

_PLAIN = {str, int, float, bool}
#: What SDKs add to an object of theirs for whoever reads it: no API takes it back.
_ADDED = {"parsed", "parsed_arguments", "parsed_output", "sdk_http_response"}
#: Members that hold a model's, a tool's or a caller's own data, where those named with them stand beside them:
#: a null in such data is one, and no name in it means anything here.
_OWN_DATA: dict[str, set[str]] = {
    "args": set(),
    "arguments": set(),
    "content": {"tool_call_id", "part_kind"},  # what a tool of Pydantic AI returned
    "input": {"id", "name"},
    "metadata": set(),
    "response": {"name"},
}
#: Members that are words, or blocks of a message: bytes there would be taken for words.
_WORDS = ("content", "text")
#: Members of a dump whose nulls the API has a meaning for.
_WITH_NULLS = {"action", "operation", "parameters", "schema"}


def plain(value: Any, depth: int = 0) -> Any:
    """Returns the value as dicts, lists, texts and numbers. Messages of ours, and what has no fields, stay as they are.

    Fields of an SDK's object that are None say nothing and are left out. Data of a model or a tool is kept whole.
    Raises ValueError for what is nested too deep, and for a number outside such data that is none.
    """
    return _plain(value, depth, is_own_data=False)


def _plain(value: Any, depth: int, *, is_own_data: bool) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if not is_own_data and isinstance(value, float) and not isfinite(value):
        raise ValueError(f"it has {value} for a value, which JSON cannot say")
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, Enum):
        return _plain(value.value, depth + 1, is_own_data=is_own_data)
    if isinstance(value, str | int | float | Message | type):
        return value
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return _plain_members(dict(value), depth, is_own_data=is_own_data)
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1, is_own_data=is_own_data) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID | PurePath | Decimal):
        return str(value)
    return _members(value, depth, is_own_data=is_own_data) if has_fields(value) else value


def _plain_members(members: dict[Any, Any], depth: int, *, is_own_data: bool) -> dict[Any, Any]:
    if not is_own_data and (raw := next((name for name in _WORDS if _is_bytes(members, name)), None)):
        raise ValueError(f"its {raw} is bytes; give words as text, and a file as a block of its kind")
    return {
        name: _plain(item, depth + 1, is_own_data=is_own_data or _is_own_data(name, members))
        for name, item in members.items()
    }


def _is_bytes(members: dict[Any, Any], name: str) -> bool:
    return isinstance(members.get(name), bytes | bytearray) and not _is_own_data(name, members)


def _is_own_data(name: Any, members: Mapping[Any, Any]) -> bool:
    return name in _OWN_DATA and members.keys() >= _OWN_DATA[name]


def _members(value: Any, depth: int, *, is_own_data: bool) -> Any:
    if not is_own_data:
        return _plain_members(
            {name: item for name, item in _fields(value) if item is not None}, depth, is_own_data=False
        )
    if is_dataclass(value):
        every = {field.name: getattr(value, field.name, None) for field in fields(value)}
        return _plain_members(every, depth, is_own_data=True)
    return _plain(value.model_dump(mode="json"), depth + 1, is_own_data=True)


def as_dict(value: Any) -> Json | None:
    """Returns what an object or a mapping says; None for anything else."""
    if isinstance(value, dict):
        return value
    try:
        data = plain(value)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def compared_text(values: Sequence[Any]) -> bytes:
    """Returns JSON of all that dicts and objects hold, quickly, to be compared with such a text of others.
    Raises TypeError for what is neither.
    """
    return orjson.dumps(values, default=_encode_default)


def _encode_default(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    if not has_fields(value):
        raise TypeError(f"a {type(value).__name__} has no fields")
    return [vars(value), getattr(value, "model_extra", None)]


def has_fields(value: Any) -> bool:
    """True for an object that says what it is made of: of a dataclass, or of Pydantic."""
    return not isinstance(value, type) and (is_dataclass(value) or callable(getattr(value, "model_dump", None)))


def without_nulls(value: Any) -> Any:
    """Returns a message without members that are null: a dump has one for each field that nobody has set.

    Content stays, and so does what a model or tool has written.
    """
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: item if _keeps_nulls(name, value) else without_nulls(item)
        for name, item in value.items()
        if item is not None or name == "content"
    }


def _keeps_nulls(name: str, members: Json) -> bool:
    if name == "output" and "call_id" in members:  # a value that a tool gave in place of text or pieces
        return isinstance(members[name], dict) and "type" not in members[name]
    return name in _WITH_NULLS or _is_own_data(name, members)


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    model_fields = getattr(type(value), "model_fields", None)
    if isinstance(model_fields, dict) and "root" not in model_fields:
        for name, about in model_fields.items():
            if name not in _ADDED:
                yield about.serialization_alias or about.alias or name, getattr(value, name, None)
        yield from (getattr(value, "model_extra", None) or {}).items()
    elif is_dataclass(value):
        yield from ((field.name, getattr(value, field.name, None)) for field in fields(value))
    else:
        dumped = value.model_dump()
        yield from dumped.items() if isinstance(dumped, dict) else ()
