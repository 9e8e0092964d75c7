"""Puts settings into a text of TOML and takes them out again, without touching a byte of what else stands there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from clew.hooks.client_setup.own_entries import is_ours

_HEADER = re.compile(r"[ \t]*\[")
_NOT_SAID = re.compile(r"[ \t]*(?:#.*)?$")
_QUOTES = ('"""', "'''")


def with_tables(text: str, *, settings: dict[str, str], tables: dict[str, dict[str, Any]]) -> tuple[str, list[str]]:
    """Returns the text with settings before its first table and tables at its end, and the pieces that were put in.

    ``settings`` are texts by name, ``tables`` values by the dotted name of the table. Raises ValueError for what is no
    TOML, or where a table cannot be added.
    """
    parse(text)
    newline, pieces = "\r\n" if "\r\n" in text else "\n", []
    if tables:
        blank = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        piece = (blank + "\n".join(_table(name, values) for name, values in tables.items())).replace("\n", newline)
        text, pieces = text + piece, [piece]
    if settings:
        start = _first_table(text)
        lines = "".join(f"{name} = {_text(value)}\n" for name, value in settings.items())
        lead = "\n" if start and not text[:start].endswith("\n") else ""
        piece = (lead + lines + ("\n" if start < len(text) else "")).replace("\n", newline)
        text, pieces = text[:start] + piece + text[start:], [piece, *pieces]
    parse(text)
    return text, pieces


def parse(text: str) -> dict[str, Any]:
    """Returns what a text says. Raises ValueError for what is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from None


def _table(name: str, values: dict[str, Any]) -> str:
    return "".join([f"[{name}]\n", *(f"{key} = {_value(value)}\n" for key, value in values.items())])


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int) else _text(value)


def _text(value: str) -> str:
    """A text in quotes; one of several lines as a block of them."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    escaped = "".join(char if char in "\n\t" or char.isprintable() else f"\\u{ord(char):04x}" for char in escaped)
    return f'"""\n{escaped}"""' if "\n" in escaped else f'"{escaped}"'


def _statements(text: str) -> Iterator[tuple[int, int, str]]:
    """Start and end of each line, or of the lines that a text or a list is spread over, and the statement in it."""
    start, lines = 0, iter(text.splitlines(keepends=True))
    for line in lines:
        whole = line
        while not _is_complete(whole) and (more := next(lines, "")):
            whole += more
        yield start, start + len(whole), whole
        start += len(whole)


def _is_complete(lines: str) -> bool:
    """True for whole statements: a header, a blank, or what is TOML by itself."""
    if _HEADER.match(lines) or _NOT_SAID.match(lines.rstrip("\r\n")):
        return True
    try:
        tomllib.loads(lines)
    except tomllib.TOMLDecodeError:
        return not any(quote in lines for quote in (*_QUOTES, "[", "{"))
    return True


def _first_table(text: str) -> int:
    """Where the first table begins, with the comments right above it; the end where there is none."""
    above: int | None = None
    for start, _, statement in _statements(text):
        if _HEADER.match(statement):
            return start if above is None else above
        is_comment = statement.lstrip().startswith("#")
        above = (start if above is None else above) if is_comment else None
    return len(text)


def without_tables(text: str, *, settings: dict[str, str], tables: dict[str, dict[str, Any]]) -> str:
    """Returns the text without the settings and tables of ours, wherever they stand now."""
    data, kept, inside, pending = parse(text), "", "", ""
    ours = {name for name, values in tables.items() if is_ours(value_at(data, name), values)}
    for _, _, statement in _statements(text):
        if _HEADER.match(statement):
            inside = _owner(statement.split("]")[0].strip().strip("[").strip(), ours)
            kept, pending = kept + pending, ""
            if inside in ours:
                continue
        key = statement.split("=")[0].strip()
        if inside in ours and not _NOT_SAID.match(statement.rstrip("\r\n")):
            pending = ""  # blanks and comments between settings of a table of ours
            continue
        if not inside and key in settings and data.get(key) == settings[key]:
            continue
        if inside in ours:
            pending += statement
        else:
            kept += statement
    return kept + pending


def _owner(name: str, ours: set[str]) -> str:
    """The table of ours that a table belongs to; its own name where it is another's."""
    return next((own for own in ours if name.startswith(f"{own}.")), name)


def value_at(data: Any, name: str) -> Any:
    """Returns the value at a dotted name; None where there is none."""
    for key in name.split("."):
        data = data.get(key) if isinstance(data, dict) else None
    return data
