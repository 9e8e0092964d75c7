"""Files that a script on the command line changes: the ones it opens for writing, where it names them."""

from __future__ import annotations

import re

from clew.text.tools.actions import Action, ActionKind
from clew.text.tools.shell import SimpleCommand

_PROGRAM = re.compile(r"(?:.*/)?(?:python[\d.]*|node|ruby|bun|deno)")
#: Scripts are read this far.
_MAX_CHARS = 20_000
_MAX_FILES = 20
_NAME = r"([A-Za-z_]\w*)"
_TEXT = r"""['"]([^'"\n]{1,300})['"]"""
_GIVEN = rf"(?:{_TEXT}|{_NAME})"
_ASSIGNED = re.compile(rf"\b{_NAME}\s*=\s*(?:(?:pathlib\.)?Path\(\s*)?{_TEXT}\s*\)?[ \t]*(?:$|[;#])", re.MULTILINE)
_WRITES = [
    re.compile(rf"\bopen\(\s*{_GIVEN}\s*,\s*(?:mode\s*=\s*)?['\"](?:w|a|r\+|w\+|x)[bt]?\+?['\"]"),
    re.compile(rf"\bPath\(\s*{_GIVEN}\s*\)\.write_(?:text|bytes)\("),
    re.compile(rf"()\b{_NAME}\.write_(?:text|bytes)\("),
    re.compile(rf"\b(?:writeFileSync|appendFileSync|writeFile|File\.write)\(\s*{_GIVEN}"),
]


def script_edits(simple: SimpleCommand) -> list[Action]:
    """Returns an edit for each file that a script given on the command line, or fed to the program, writes to."""
    if not simple.words or not _PROGRAM.fullmatch(simple.words[0]):
        return []
    script = "\n".join([*simple.words[1:], simple.stdin or ""])[:_MAX_CHARS]
    names = dict(_ASSIGNED.findall(script))
    paths = [path or names.get(name, "") for pattern in _WRITES for path, name in pattern.findall(script)]
    return [Action(kind=ActionKind.EDIT, path=path) for path in dict.fromkeys(paths) if path][:_MAX_FILES]
