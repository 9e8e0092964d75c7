"""A call of the Gemini API whose arguments arrive one by one, each with the path of its place."""

from __future__ import annotations

import re
from typing import Any

from clew.codecs.fields import list_of, object_of, text_of
from clew.codecs.providers.gemini_parts import field
from clew.codecs.streams.pieces import Pieces, join_pieces
from clew.domain import Json

_STEP = re.compile(r"""\.([A-Za-z_][\w-]*)|\[(\d{1,6})\]|\['([^']*)'\]|\["([^"]*)"\]""")
_VALUES = ("numberValue", "boolValue", "stringValue")


def is_partial(part: Any, call: PartialCall | None) -> bool:
    """True for a part that begins such a call, or goes on with the one that is open."""
    inner = field(part, "functionCall") if isinstance(part, dict) else None
    if not isinstance(inner, dict):
        return False
    return call is not None or bool(field(inner, "willContinue")) or bool(field(inner, "partialArgs"))


class PartialCall:
    """Collects the arguments of one call until the API says that it is whole."""

    def __init__(self) -> None:
        self._part: Json = {}
        self._call: Json = {}
        self._arguments: Json = {}

    def add(self, part: Json) -> Json | None:
        """Takes in one part; returns the whole call with the last one."""
        call = object_of({"call": field(part, "functionCall")}, "call")
        self._part |= {name: value for name, value in part.items() if name not in ("functionCall", "function_call")}
        self._call |= {name: call[name] for name in ("id", "name") if call.get(name)}
        self._arguments |= object_of(call, "args")
        for argument in list_of({"list": field(call, "partialArgs")}, "list"):
            if isinstance(argument, dict):
                self._set(argument)
        return None if field(call, "willContinue") else self.partial_part

    @property
    def partial_part(self) -> Json:
        """The call as far as it came."""
        return self._part | {"functionCall": self._call | {"args": join_pieces(self._arguments)}}

    def _set(self, argument: Json) -> None:
        steps = _STEP.findall(_path(argument))
        path = [name or quoted or double or int(index) for name, index, quoted, double in steps]
        given = next((field(argument, name) for name in _VALUES if field(argument, name) is not None), None)
        if path:
            _put(self._arguments, path, given)


def _path(argument: Json) -> str:
    return text_of({"path": field(argument, "jsonPath")}, "path")


def _put(target: Json | list[Any], path: list[str | int], value: Any) -> None:
    """Sets the value at the path, making what is missing on the way; a text that is there already goes on.
    A path that does not fit what is there is ignored."""
    step, rest = path[0], path[1:]
    members: Any = target
    if isinstance(step, str) is isinstance(target, list):
        return
    if isinstance(target, list) and isinstance(step, int):
        if step > len(target):
            return
        target.extend([None] * (step + 1 - len(target)))
    elif isinstance(target, dict):
        target.setdefault(str(step), None)
    inner = members[step]
    if rest and (not isinstance(inner, dict | list) or isinstance(inner, Pieces)):
        inner = members[step] = [] if isinstance(rest[0], int) else {}
    if rest:
        _put(inner, rest, value)
    elif isinstance(value, str) and isinstance(inner, Pieces):
        inner.append(value)
    else:
        members[step] = Pieces([value]) if isinstance(value, str) else value
