"""Source text as tools show it: what its lines define, by name, in many languages, and numbers before its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MODIFIERS = (
    r"(?:(?:export|default|declare|pub(?:\([^)\n]{1,20}\))?|public|private|protected|internal|static|async|abstract"
    r"|final|override|virtual|readonly|inline|extern|const|suspend|unsafe|open|data|sealed)[ \t]{1,4}){0,5}"
)
_KEYWORDS = (
    r"(?:def|defp|defmodule|func(?:[ \t]\([^)\n]{1,80}\))?|fn|fun|function\*?|class|interface|type|struct|enum|trait"
    r"|impl|module|namespace|macro_rules!|sub|record|object|protocol|extension|mod|package|union|actor"
    r"|CREATE TABLE|create table)"
)
#: A line that defines something: its indentation, and the name, also of a function that is assigned to one.
DEFINITION = (
    rf"([ \t]{{0,40}}){_MODIFIERS}(?:{_KEYWORDS}[ \t]+([A-Za-z_$][\w$]{{1,79}})"
    r"|(?:const|let|var)[ \t]+(\w{2,80})[ \t]*=[ \t]*(?:async[ \t]*)?(?:\(|function))"
)
_DEFINITION = re.compile(rf"^{DEFINITION}", re.MULTILINE)
_NUMBER = re.compile(r"^[ \t]{0,10}(\d{1,7})(?:→|\t|\| )", re.MULTILINE)


def defined_names(text: str) -> list[str]:
    """Returns the names that a text defines, in order, each as often as it does."""
    return [match[2] or match[3] for match in _DEFINITION.finditer(text)]


def definition_in(line: str) -> tuple[int, str] | None:
    """Returns how far a line that defines something is indented, and the name; None for any other line."""
    match = _DEFINITION.match(line)
    return (len(match[1]), match[2] or match[3]) if match else None


def without_line_numbers(text: str) -> str:
    """Returns a text without the numbers before its lines."""
    return _NUMBER.sub("", text)


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of a text that have a number before them, with it."""
    for line in text.split("\n"):
        if match := _NUMBER.match(line):
            yield int(match[1]), line[match.end() :]
