"""Messages, parts, tools and sessions as JSON, and back without loss.

A value is an object with its fields by name; fields that have their default are left out. Names that this
version does not know are passed over, so that it can read what a later one wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

from clew.domain.messages import Message, Origin, Role, Tool, Usage
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire
from clew.domain.sessions import SessionInfo, SessionKey

_PARTS: dict[str, type[Part]] = {
    "text": Text,
    "call": Call,
    "output": Output,
    "reasoning": Reasoning,
    "media": Media,
    "opaque": Opaque,
}
_KINDS = {kind: name for name, kind in _PARTS.items()}
V = TypeVar("V")


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def part_to_json(part: Part) -> Json:
    return {"type": _KINDS[type(part)], **dump_value(part)}


def dump_value(value: Message | Tool | SessionInfo | Part | Usage) -> Json:
    """The fields of a value that do not have their default."""
    return {
        field.name: _plain(getattr(value, field.name))
        for field in fields(value)
        if getattr(value, field.name) != _default(field)
    }


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _plain(value: Any) -> Any:
    match value:
        case Part():
            return part_to_json(value)
        case Wire():
            return {"format": value.format, "data": value.data}
        case SessionKey():
            return value._asdict()
        case Usage():
            return dump_value(value)
        case tuple():
            return [_plain(item) for item in value]
        case _:
            return value


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def part_from_json(data: Any) -> Part:
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str):
        raise ValueError(f"no kind of part: {kind!r}")
    # A later version may know more kinds.
    return read_value(_PARTS[kind], data) if kind in _PARTS else Opaque(kind=kind, wire=Wire("clew", data))


def read_value(kind: type[V], data: Any) -> V:
    """The value of that kind; ValueError says what is wrong with it."""
    if not isinstance(data, dict):
        raise ValueError(f"expected an object for a {kind.__name__}, found {type(data).__name__}")
    names = [field.name for field in fields(kind) if field.name in data]  # type: ignore[arg-type]
    try:
        return kind(**{name: _READERS[name](data[name]) for name in names})
    except TypeError as error:
        raise ValueError(f"no {kind.__name__}: {error}") from None


def _expect_type(*kinds: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise TypeError(f"expected {kinds[0].__name__}, found {type(value).__name__}")
        return value

    return read


def _parts(value: Any) -> tuple[Part, ...]:
    return tuple(part_from_json(item) for item in _expect_type(list)(value))


def _wire(value: Any) -> Wire:
    data = _expect_type(dict)(value)
    return Wire(_text(data.get("format")), data.get("data"))


def _key(value: Any) -> SessionKey:
    data = _expect_type(dict)(value)
    return SessionKey(*(_text(data.get(name)) for name in SessionKey._fields))


_text, _whole, _number = _expect_type(str), _expect_type(int), _expect_type(float, int)
_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("text", "id", "name", "call_id", "reason", "seal", "media_type", "data", "url", "kind"), _text),
    **dict.fromkeys(
        ("model", "stop_reason", "thread", "description", "title", "client", "cwd", "project", "source", "tail"), _text
    ),
    **dict.fromkeys(("window", "version", "entries", "messages"), _whole),
    **dict.fromkeys((field.name for field in fields(Usage)), _whole),
    **dict.fromkeys(("at", "created", "updated"), lambda value: float(_number(value))),
    "arguments": lambda value: value,
    **dict.fromkeys(("server", "interrupted", "named"), _expect_type(bool)),
    "schema": _expect_type(dict),
    "status": Status,
    "role": Role,
    "origin": Origin,
    "content": _parts,
    "parts": _parts,
    "wire": _wire,
    "usage": lambda value: read_value(Usage, value),
    "key": _key,
}
