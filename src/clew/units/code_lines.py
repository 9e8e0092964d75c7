"""Code as a reader wants it: without imports and bare braces, and of tests what they test."""

from __future__ import annotations

import re

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
