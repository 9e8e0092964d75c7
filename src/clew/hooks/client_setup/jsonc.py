"""JSON with comments and trailing commas, read with the place of every value, so that its text can be edited."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

#: Deeper settings than any client has; more would exhaust the stack.
_MOST_DEPTH = 200
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+)|(?P<comment>//[^\r\n]*|/\*(?s:.*?)\*/)|(?P<string>"(?:[^"\\\x00-\x1f]|\\.)*")"""
    r"""|(?P<mark>[{}\[\],:])|(?P<word>[-+.\w]+)"""
)


@dataclass(slots=True)
class Node:
    """A value and where its text begins and ends. ``items`` are those of an object or array, in order."""

    start: int
    end: int = 0
    is_object: bool = False
    is_array: bool = False
    scalar: Any = None
    items: list[Item] = field(default_factory=list)

    def get(self, key: str) -> Item | None:
        """Returns the last member of that name, which is the one that counts."""
        return next((item for item in reversed(self.items) if item.key == key), None) if self.is_object else None

    @property
    def value(self) -> Any:
        """The value as ``json.loads`` would give it."""
        if self.is_object:
            return {item.key: item.node.value for item in self.items}
        return [item.node.value for item in self.items] if self.is_array else self.scalar


@dataclass(slots=True)
class Item:
    """A member of an object or an element of an array. ``start`` is where its key begins, or its value."""

    start: int
    node: Node
    key: str = ""

    @property
    def end(self) -> int:
        return self.node.end


def parse(text: str) -> Node:
    """Returns the one value of a text. Raises ValueError, with line and column, for what is no JSON."""
    reader = _JsoncReader(text)
    node = reader.value(0)
    if reader.kind:
        raise reader.error("more after the end")
    return node


class _JsoncReader:
    """The token at hand (``kind``, ``word``, ``start``), and the ways to go on."""

    def __init__(self, text: str) -> None:
        self._text, self._tokens = text, self._split(text)
        self.kind, self.word, self.start, self.end = "", "", 0, 0
        self._next()

    def _split(self, text: str) -> Iterator[tuple[str, str, int, int]]:
        index = 1 if text.startswith("\ufeff") else 0
        while index < len(text):
            match = _TOKEN.match(text, index)
            if match is None:
                self.start = index
                raise self.error(f"{text[index]!r} was not expected")
            index = match.end()
            if match.lastgroup not in ("blank", "comment"):
                yield str(match.lastgroup), match.group(), match.start(), index

    def _next(self) -> None:
        end = len(self._text)
        self.kind, self.word, self.start, self.end = next(self._tokens, ("", "", end, end))

    def error(self, what: str) -> ValueError:
        line = self._text.count("\n", 0, self.start) + 1
        return ValueError(f"{what} in line {line}, column {self.start - self._text.rfind(chr(10), 0, self.start)}")

    def value(self, depth: int) -> Node:
        if depth > _MOST_DEPTH:
            raise self.error("too deeply nested")
        node = Node(start=self.start)
        if self.word in ("{", "[") and self.kind == "mark":
            self._container(node, depth)
        elif self.kind in ("string", "word"):
            node.scalar, node.end = self._scalar(), self.end
        else:
            raise self.error("a value is missing")
        self._next()
        return node

    def _scalar(self) -> Any:
        try:
            return json.loads(self.word, strict=False)
        except ValueError:
            raise self.error(f"{self.word[:40]} is no value") from None

    def _container(self, node: Node, depth: int) -> None:
        """Reads up to the closing bracket, and stays on it."""
        node.is_object, node.is_array = self.word == "{", self.word == "["
        closes = "}" if node.is_object else "]"
        self._next()
        while not (self.kind == "mark" and self.word == closes):
            node.items.append(self._member(depth) if node.is_object else Item(self.start, self.value(depth + 1)))
            if self.kind == "mark" and self.word == ",":
                self._next()
            elif not (self.kind == "mark" and self.word == closes):
                raise self.error(f"a comma or {closes} is missing")
        node.end = self.end

    def _member(self, depth: int) -> Item:
        start, key = self.start, str(self._scalar()) if self.kind == "string" else None
        if key is None:
            raise self.error("a name in quotes is missing")
        self._next()
        if self.word != ":" or self.kind != "mark":
            raise self.error("a colon is missing")
        self._next()
        return Item(start, self.value(depth + 1), key)
