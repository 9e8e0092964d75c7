"""Tests that a change takes out of their file: renamed, removed, or gone with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from clew.history.work_map.file_rows import FileRow
from clew.text.tools.actions import Action, ActionKind

_TEST_FILE = re.compile(r"(?i)test|spec")
#: What parts the name of a test from those of its file and suite, and what follows it of one of its cases.
_PARTS, _CASE = re.compile(r"::| [>›] "), re.compile(r"\[.*")
_GO_CASE = re.compile(r"(Test\w+)/(.+)")
#: A shorter name may be any word.
_LEAST_CHARS = 4


def tests_gone(names: Collection[str], action: Action, row: FileRow) -> set[str]:
    """Returns the tests of some names that are no longer there after a change of a file; ``row`` is what was known of
    the file before it."""
    if not _TEST_FILE.search(action.path):
        return set()
    before, after = _texts(action, row)
    is_gone = action.kind is ActionKind.DELETE
    return {name for name in names if (is_gone and _is_of(name, action.path)) or _is_lost(name, before, after)}


def _texts(action: Action, row: FileRow) -> tuple[str, str]:
    if action.changes:
        return "\n".join(change.old for change in action.changes), "\n".join(change.new for change in action.changes)
    defined = "\n".join(line for _, line in row.get("definitions", ()))
    is_whole = action.kind is ActionKind.DELETE or action.content is not None
    return defined if is_whole else "", action.content or ""


def _is_of(name: str, path: str) -> bool:
    file = _PARTS.split(name)[0]
    return "." in file and (f"/{path}".endswith(f"/{file}") or f"/{file}".endswith(f"/{path}"))


def _is_lost(name: str, before: str, after: str) -> bool:
    return any(_holds(before, part) and not _holds(after, part) for part in _parts(name))


def _parts(name: str) -> Iterator[str]:
    """The names by which a test stands in its file."""
    if case := _GO_CASE.fullmatch(name):
        yield from (case[1], case[2].replace("_", " "), case[2])
        return
    yield _CASE.sub("", _PARTS.split(name)[-1])


def _holds(text: str, part: str) -> bool:
    return len(part) >= _LEAST_CHARS and re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) is not None
