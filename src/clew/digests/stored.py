"""Values as rows keep them: plain JSON, fields at their defaults left out, and back again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

V = TypeVar("V")


def stored(value: Any) -> Any:
    """Dataclasses become objects, tuples arrays, enums their values."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            name: stored(item)
            for name, default in _defaults(type(value)).items()
            if (item := getattr(value, name)) != default
        }
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [stored(item) for item in value]
    if isinstance(value, dict):
        return {name: stored(item) for name, item in value.items()}
    return value


def restored(kind: type[V], data: Any) -> V:
    """What ``stored`` was given."""
    plain: Any = kind  # mypy does not hold a generic class for hashable
    readers: dict[str, Callable[[Any], Any]] = _readers(plain)
    return kind(**{name: readers[name](value) for name, value in data.items() if name in readers})


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {one.name: _default(one) for one in fields(kind)}


def _default(one: Field[Any]) -> Any:
    return one.default_factory() if one.default_factory is not MISSING else one.default


@cache
def _readers(kind: Any) -> dict[str, Callable[[Any], Any]]:
    hints = get_type_hints(kind)
    return {one.name: _reader(hints[one.name]) for one in fields(kind)}


def _reader(hint: Any) -> Callable[[Any], Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        inner = _reader(next(one for one in arguments if one is not type(None)))
        return lambda value: None if value is None else inner(value)
    if origin in {list, tuple}:
        inner, make = _reader(arguments[0]), origin
        return lambda value: make(inner(item) for item in value)
    if origin is dict:
        inner = _reader(arguments[1])
        return lambda value: {name: inner(item) for name, item in value.items()}
    if is_dataclass(hint) and isinstance(hint, type):
        return lambda value: restored(hint, value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    return lambda value: value
