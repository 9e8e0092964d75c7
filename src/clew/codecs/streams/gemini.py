"""Chunks of the Gemini API: each is a response of its own, with the parts that are new. The arguments of a call may
arrive one by one, each with the path of its place.
"""

from __future__ import annotations

import re
from typing import Any

from clew.codecs.fields import list_of, object_of, text_of
from clew.codecs.providers.gemini_parts import CALLS_MADE, field
from clew.codecs.streams.pieces import Pieces, add_piece, as_interrupted, join_pieces
from clew.domain import Json

_STEP = re.compile(r"""\.([A-Za-z_][\w-]*)|\[(\d{1,6})\]|\['([^']*)'\]|\["([^"]*)"\]""")
_VALUES = ("numberValue", "boolValue", "stringValue")
#: What every chunk says of the whole; the last word counts.
_WHOLE = ("usageMetadata", "modelVersion", "responseId", "createTime", "promptFeedback", CALLS_MADE)
#: A text with more than this says something of its own (a signature), and is joined to no other.
_PLAIN = {"text", "thought"}


class GeminiStream:
    """Puts a response together from chunks: texts are joined, other parts stand as they came."""

    format = "gemini"

    def __init__(self) -> None:
        self._head: Json = {}
        self._candidate: Json = {}
        self._parts: list[Any] = []
        self._call: PartialCall | None = None

    @staticmethod
    def tells(event: Json) -> bool:
        """True for a chunk of this API."""
        return isinstance(event.get("candidates"), list) or isinstance(field(event, "usageMetadata"), dict)

    @property
    def is_complete(self) -> bool:
        """True once the candidate says why it ended."""
        return field(self._candidate, "finishReason") is not None

    def feed(self, event: Json) -> None:
        """Takes in one chunk. One that tells of more calls made begins the answer to them: they are told there."""
        if len(list_of(event, CALLS_MADE)) > len(list_of(self._head, CALLS_MADE)):
            self._candidate, self._parts = {}, []
        for name in _WHOLE:
            if (value := field(event, name)) is not None:
                self._head[name] = value
        candidate = next((element for element in list_of(event, "candidates") if isinstance(element, dict)), {})
        self._candidate |= {name: value for name, value in candidate.items() if name != "content" and value is not None}
        for part in list_of(object_of(candidate, "content"), "parts"):
            self._add(part)

    def _add(self, part: Any) -> None:
        if is_partial(part, self._call):
            self._call = self._call or PartialCall()
            if (whole := self._call.add(part)) is not None:
                self._call = None
                self._parts.append(whole)
        elif _continues(self._parts[-1:], part):
            add_piece(self._parts[-1], "text", part["text"])
        elif not _is_blank(part):
            self._parts.append(dict(part) if isinstance(part, dict) else part)

    def response(self) -> Json | None:
        """The response as a call without streaming returns it; None while there is nothing to record."""
        parts: list[Any] = join_pieces(self._parts)
        content = {"role": "model", "parts": parts}
        whole = self._head | {"candidates": [self._candidate | {"content": content}]}
        if self.is_complete:
            return whole
        unfinished = [self._call.partial_part] if self._call else []
        return as_interrupted(whole, unfinished, is_empty=not parts)


def _continues(last: list[Any], part: Any) -> bool:
    """True for a plain text after a plain text of the same kind: words, or thoughts."""
    before = last[0] if last else None
    if not isinstance(before, dict) or not isinstance(part, dict) or not isinstance(part.get("text"), str):
        return False
    is_plain = _member_names(part) <= _PLAIN and "text" in before and _member_names(before) <= _PLAIN
    return is_plain and bool(before.get("thought")) == bool(part.get("thought"))


def _is_blank(part: Any) -> bool:
    """True for an empty text that bears nothing else: the API ends its streams with one."""
    return isinstance(part, dict) and part.get("text") == "" and _member_names(part) <= _PLAIN


def _member_names(part: Json) -> set[str]:
    return {name for name, value in part.items() if value is not None}


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
        value = next((field(argument, name) for name in _VALUES if field(argument, name) is not None), None)
        if path:
            _put(self._arguments, path, value)


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
