"""Conversion of frozen dataclasses to JSON values and back.

A field may name the key it is stored under (``metadata={"key": …}``), so that stored data outlives a rename.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

V = TypeVar("V")

#: Types whose values are JSON as they are.
_PLAIN = frozenset({str, int, float, bool, type(None)})
#: Types that become arrays; a tuple, as a union would be made anew for each value.
_LISTS = (list, tuple, frozenset)


def fields_of(value: Any) -> dict[str, Any]:
    """Returns the fields of a dataclass with slots by name. Values are shared, not copied."""
    return {name: getattr(value, name) for name in value.__slots__}


def to_json(value: Any) -> Any:
    """Converts a value:
    dataclasses become objects without fields at their defaults, tuples arrays, enums their values.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, _LISTS):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {str(name): to_json(item) for name, item in value.items()}
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {
            key: to_json(item)
            for name, (key, default) in _defaults(type(value)).items()
            if (item := getattr(value, name)) != default
        }
    return value


def from_json(kind: type[V], data: Any) -> V:
    """Builds the value that ``to_json`` converted. Keys without a field are ignored."""
    plain: Any = kind  # mypy does not hold a generic class for hashable
    readers: dict[str, tuple[str, Callable[[Any], Any]]] = _readers(plain)
    found = ((readers[key], value) for key, value in data.items() if key in readers)
    return kind(**{name: read(value) for (name, read), value in found})


@cache
def _defaults(kind: Any) -> dict[str, tuple[str, Any]]:
    return {field.name: (_key(field), _default(field)) for field in fields(kind)}


def _key(one: Field[Any]) -> str:
    return str(one.metadata.get("key", one.name))


def _default(one: Field[Any]) -> Any:
    return one.default_factory() if one.default_factory is not MISSING else one.default


@cache
def _readers(kind: Any) -> dict[str, tuple[str, Callable[[Any], Any]]]:
    hints = get_type_hints(kind)
    return {_key(field): (field.name, _reader(hints[field.name])) for field in fields(kind)}


def _reader(hint: Any) -> Callable[[Any], Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        inner = _reader(next(argument for argument in arguments if argument is not type(None)))
        return lambda value: None if value is None else inner(value)
    if origin is tuple and arguments[-1] is not Ellipsis:
        each = tuple(map(_reader, arguments))
        return lambda value: tuple(read(item) for read, item in zip(each, value, strict=True))
    if origin in {list, tuple, frozenset}:
        inner, make = _reader(arguments[0]), origin
        return lambda value: make(inner(item) for item in value)
    if origin is dict:
        name_of, inner = int if arguments[0] is int else str, _reader(arguments[1])
        return lambda value: {name_of(name): inner(item) for name, item in value.items()}
    if is_dataclass(hint) and isinstance(hint, type):
        return lambda value: from_json(hint, value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    return lambda value: value
