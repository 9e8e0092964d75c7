"""JSON that is cut off anywhere, read as if all that is open were closed there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clew.codecs import jsonio

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|["{}\[\]]', re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}
_TORN_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_TORN_WORD = re.compile(r"[-+.\w]+\Z")


def parse_truncated(text: bytes) -> Any:
    """The value that a JSON text begins, as far as it goes; None when it begins none."""
    whole = text.decode("utf-8", "ignore")
    closers, is_open = _open_ends(whole)
    for end in _ends_in_text(whole) if is_open else _ends_between(whole):
        try:
            return jsonio.loads((end + closers).encode())
        except ValueError:
            continue
    return None


def _open_ends(text: str) -> tuple[str, bool]:
    """What closes the objects and arrays that are open at the end, and whether a string is open there."""
    stack: list[str] = []
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in _CLOSER:
            stack.append(_CLOSER[token])
        elif token in ("}", "]") and stack:
            stack.pop()
        elif token == '"':
            return "".join(reversed(stack)), True
    return "".join(reversed(stack)), False


def _ends_in_text(text: str) -> Iterator[str]:
    """A string that is cut off is a value, or else a name that has no value yet."""
    for kept in (text, _TORN_ESCAPE.sub("", text)):
        yield kept + '"'
        yield kept + '":null'


def _ends_between(text: str) -> Iterator[str]:
    """Cut off after a value, a name, a colon, a comma, or within a number or a word."""
    kept = text.rstrip()
    yield kept
    yield kept + ":null"
    kept = _TORN_WORD.sub("", kept).rstrip()
    yield kept.removesuffix(",")
    yield kept + "null"
