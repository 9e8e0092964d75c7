"""Code and commands as a reader wants them: without imports, bare braces and lines that edits took out since."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clew.domain import Message
from clew.text.tools.calls import call_actions

_IMPORT_BLOCK = re.compile(r"^import \((?:\n[^\n)]*){0,200}\n\)\n?", re.MULTILINE)
_IMPORT = re.compile(
    r"[ \t]*(?:import\b[^(=]{1,300}$|from \S{1,200} import\b|#include\b|use [\w:]{2,200}[^=]{0,200};$"
    r"|package [\w.]{1,100};?$|(?:const|var|let) [^=]{1,200}= require\()",
)
#: Packages in an import block of which only a part is shown.
_PACKAGES = re.compile(r"(?:\s*(?:import \(|(?:\w+ )?\"[\w./-]+\"|\)))+\s*")
_BARE = re.compile(r"[\s{}()\[\];,*/]*")
TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|integration_test)/|[._-](?:test|spec)s?\.\w{1,5}$|(?:^|/)test_[^/]*$",
    re.IGNORECASE,
)
_TEST = re.compile(
    r"[ \t]*(?:(?:async |export |public |private )*(?:func|def|fn|function|class) \w"
    r"|(?:it|test|describe|context|t\.Run)(?:\.\w+)?\()"
)
#: A test of so few lines is shown as it is.
_FEW_LINES = 6
_CHANGES_FOLDER = re.compile(r"cd \"?([^\s;&|\"]+)\"?[ ]*(?:2>/dev/null[ ]*)?(?:&&|;)[ ]*(?=\S)")
#: Shorter lines (a brace, a word) stand in many places.
_MIN_CHARS = 12


def removed_lines(messages: Iterable[Message]) -> frozenset[str]:
    """Returns the lines that edits removed and nothing has put back since, without blanks around them."""
    removed: set[str] = set()
    for action in (action for message in messages for call in message.calls for action in call_actions(call)):
        for change in action.changes:
            new = _lines(change.new)
            removed |= _lines(change.old) - new
            removed -= new
        if action.content and removed:
            removed -= _lines(action.content)
    return frozenset(removed)


def without_removed(text: str, removed: frozenset[str]) -> str:
    """Returns the text without lines that were removed since."""
    if not removed:
        return text
    return "\n".join(line for line in text.split("\n") if line.strip() not in removed)


def _lines(text: str) -> set[str]:
    return {line for raw in text.splitlines() if len(line := raw.strip()) >= _MIN_CHARS}


def command_line(command: str, root: str) -> str:
    """Returns a command on one line, without the way to the root."""
    line = " ".join(command.split())
    lead = _CHANGES_FOLDER.match(line)
    return line[lead.end() :] if lead and root and lead[1].rstrip("/") == root else line


def telling_code(text: str, path: str) -> str:
    """Returns the lines of a piece of code that tell something; of a long piece of tests, those that name them."""
    if _PACKAGES.fullmatch(text):
        return ""
    lines = [line for line in _IMPORT_BLOCK.sub("", text).split("\n") if not _IMPORT.match(line)]
    while lines and _BARE.fullmatch(lines[0]):
        lines.pop(0)
    while lines and _BARE.fullmatch(lines[-1]):
        lines.pop()
    if len(lines) > _FEW_LINES and TEST_PATH.search(path):
        lines = [line.strip().rstrip("{").rstrip() for line in lines if _TEST.match(line)] or lines
    return "\n".join(lines)
