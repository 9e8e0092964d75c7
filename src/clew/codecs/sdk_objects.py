"""Objects of SDKs and frameworks as the JSON values that their fields spell out, under the names of the APIs.

No package of theirs is imported: objects of Pydantic and dataclasses say what they are made of.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from clew.codecs.jsonio import MAX_DEPTH
from clew.domain import Json, Message

_PLAIN = {str, int, float, bool}
#: What SDKs add to an object for whoever reads it: no API takes it back.
_ADDED = {"parsed", "parsed_arguments", "parsed_output", "sdk_http_response", "automatic_function_calling_history"}
#: Members whose values are a caller's, a model's or a tool's own data: a null in them is one.
_FREE_FORM = {
    "action",
    "args",
    "arguments",
    "input",
    "metadata",
    "operation",
    "parameters",
    "response",
    "schema",
}


def plain(value: Any, depth: int = 0) -> Any:
    """Returns the value as dicts, lists, texts and numbers. Messages of ours, and what has no fields, stay as they are.

    Fields of an object that are None say nothing and are left out. Raises ValueError for what is nested too deep.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, Enum):
        return plain(value.value, depth + 1)
    if isinstance(value, str | int | float | Message | type):
        return value
    if isinstance(getattr(value, "model_fields_set", None), set):
        return _members(value, depth)
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {name: plain(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID | PurePath | Decimal):
        return str(value)
    return _members(value, depth) if has_fields(value) else value


def as_dict(value: Any) -> Json | None:
    """Returns what an object or a mapping says; None for anything else."""
    if isinstance(value, dict):
        return value
    try:
        found = plain(value)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


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
        name: item if name in _FREE_FORM else without_nulls(item)
        for name, item in value.items()
        if item is not None or name == "content"
    }


def _members(value: Any, depth: int) -> Json:
    return {name: plain(item, depth + 1) for name, item in _fields(value) if item is not None}


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    known = getattr(type(value), "model_fields", None)
    if isinstance(known, dict) and "root" not in known:
        for name, about in known.items():
            if name not in _ADDED:
                yield about.serialization_alias or about.alias or name, getattr(value, name, None)
        yield from (getattr(value, "model_extra", None) or {}).items()
    elif is_dataclass(value):
        yield from ((one.name, getattr(value, one.name, None)) for one in fields(value))
    else:
        dumped = value.model_dump()
        yield from dumped.items() if isinstance(dumped, dict) else ()
