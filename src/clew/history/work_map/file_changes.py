"""File changes: how a read, an edit, a write or a deletion updates the row of its file, and tests it takes away."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from clew.history.work_map.file_rows import FileRow, bind_names
from clew.history.work_map.text_scan import (
    EXCERPT_LINES,
    MAX_DEFINITIONS,
    MAX_OUTPUT_CHARS,
    changed_text,
    definitions,
    excerpt,
    lines_of,
    numbered_span,
    removed_lines,
    score_names,
    without_blank_ends,
)
from clew.text.tools.actions import Action, ActionKind, TextEdit

#: What names are worth to a file: written into it, quoted around that, read in it, defined in it.
_NEW, _AROUND, _READ, _DEFINED = 3.0, 1.5, 0.6, 1.5
#: Ranges read, blocks of present text, and symbols last touched that are kept for a file: the newest.
_MAX_READS, _MAX_BLOCKS, _MAX_SYMBOLS = 6, 4, 12
#: A tool that writes whole files says when there was one before.
_UPDATED = re.compile(r"(?i)\b(?:has been updated|overwr|updated successfully|successfully updated)")
_TEST_FILE = re.compile(r"(?i)test|spec")
#: What parts the name of a test from those of its file and suite, and what follows it of one of its cases.
_PARTS, _CASE = re.compile(r"::| [>›] "), re.compile(r"\[.*")
_GO_CASE = re.compile(r"(Test\w+)/(.+)")
#: A shorter name may be any word.
_LEAST_CHARS = 4


def tests_gone(names: Collection[str], action: Action, definitions: Iterable[Sequence[Any]]) -> set[str]:
    """Returns the tests of some names that are no longer there after a change of a file; ``definitions`` are the lines
    that were known of it, each behind its number."""
    if not _TEST_FILE.search(action.path):
        return set()
    before, after = _texts(action, definitions)
    is_gone = action.kind is ActionKind.DELETE
    return {name for name in names if (is_gone and _is_of(name, action.path)) or _is_lost(name, before, after)}


def _texts(action: Action, definitions: Iterable[Sequence[Any]]) -> tuple[str, str]:
    if action.changes:
        return "\n".join(change.old for change in action.changes), "\n".join(change.new for change in action.changes)
    defined = "\n".join(line for _, line in definitions)
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


def note_read(row: FileRow, action: Action, text: str, now: int) -> None:
    """Notes in a file's row which lines were read, with the names and definitions in them."""
    first, last = action.lines or (0, 0)
    reads = [span for span in row.reads if span[:2] != [first, last]]
    row.reads = [[first, last, now], *reads][:_MAX_READS]
    row.read += 1
    row.deleted = 0
    is_narrow = bool(action.lines) and last - first < 200
    bind_names(row, score_names(text[:MAX_OUTPUT_CHARS], _READ * (1 + is_narrow)), now)
    _add_definitions(row, definitions(text, max(first, 1)), now)


def _add_definitions(row: FileRow, lines: list[tuple[int, str]], now: int) -> None:
    """Newest first; a line once known is known by its newest number."""
    if lines:
        texts = dict.fromkeys(line for _, line in lines)  # in their order: where names tie, the first are kept
        older = [definition for definition in row.definitions if definition[1] not in texts]
        row.definitions = [*([number, line] for number, line in lines), *older][:MAX_DEFINITIONS]
        bind_names(row, score_names("\n".join(texts), _DEFINED), now)


def note_change(row: FileRow, action: Action, text: str, now: int) -> None:
    """Replays an edit, a write or a deletion into a file's row; ``text`` is what the tool answered."""
    if action.kind is ActionKind.DELETE:
        _forget_text(row)
        row.deleted = now
        return
    was_there = not row.deleted and _was_there(row, action, text)
    row.deleted = 0
    row.edits, row.edited = row.edits + 1, now
    if action.kind is ActionKind.WRITE:
        if action.is_unseen_write:
            row.copied = now
        elif not was_there:
            row.created = now
        if not (action.is_unseen_write and row.arrived == now):
            _replace_text(row, action, now)
    elif action.changes:
        _edit_text(row, action, text, now)
    else:
        _forget_text(row)


def _was_there(row: FileRow, action: Action, text: str) -> bool:
    """A tool that writes files says so; of a command, outputs that have shown the file before."""
    is_shown = bool(action.command) and row.shown
    return bool(row.edits or row.read or is_shown or _UPDATED.search(text[:400]))


def note_restored(row: FileRow, committed: int, now: int) -> None:
    """Takes back what was edited since the last commit: git has put it back."""
    _forget_text(row)
    row.deleted = 0
    if row.edited > committed:
        row.edited, row.restored = 0, now
        row.created = row.copied = 0


def moved_row(row: FileRow, path: str, now: int) -> FileRow:
    """Returns the row of a file that was moved: all that is known of it, under its new path."""
    return replace(deepcopy(row), path=path, arrived=now)


def _replace_text(row: FileRow, action: Action, now: int) -> None:
    """The whole text is new: nothing that was kept can be trusted."""
    _forget_text(row)
    if action.content:
        lines = definitions(action.content, 1)
        row.excerpts = [[now, without_blank_ends(lines_of(action.content)[:EXCERPT_LINES])]]
        bind_names(row, score_names(action.content[:MAX_OUTPUT_CHARS], _AROUND), now)
        _add_definitions(row, lines, now)


def _edit_text(row: FileRow, action: Action, text: str, now: int) -> None:
    gone = set().union(*(removed_lines(change) for change in action.changes))
    _drop_lines(row, gone)
    blocks = [[now, lines] for change in action.changes if (lines := excerpt(change))]
    row.excerpts = [*blocks[::-1], *row.excerpts][:_MAX_BLOCKS]
    fresh, around = changed_text(action)
    bind_names(row, score_names(around, _AROUND) | score_names(fresh, _NEW), now)
    symbols = list(score_names(fresh or "\n".join(change.old for change in action.changes)))
    row.symbols = list(dict.fromkeys([*symbols[:_MAX_SYMBOLS], *row.symbols]))[:_MAX_SYMBOLS]
    _add_definitions(row, [(0, line) for change in action.changes for _, line in _new_definitions(change)], now)
    span = numbered_span(text) or action.lines
    row.where = list(span) if span else None
    row.moved += sum(_growth(change) for change in action.changes)


def _forget_text(row: FileRow) -> None:
    row.excerpts, row.definitions, row.reads, row.symbols, row.where = [], [], [], [], None


def _drop_lines(row: FileRow, gone: set[str]) -> None:
    """Takes lines that are no longer there out of all that is kept of a file's text."""
    blocks = ([number, [line for line in lines if line.strip() not in gone]] for number, lines in row.excerpts)
    row.excerpts = [
        [number, without_blank_ends(lines)] for number, lines in blocks if any(line.strip() for line in lines)
    ]
    row.definitions = [definition for definition in row.definitions if definition[1] not in gone]


def _new_definitions(change: TextEdit) -> list[tuple[int, str]]:
    old = {line.strip() for line in lines_of(change.old)}
    return [(0, line) for _, line in definitions(change.new, 0) if line not in old]


def _growth(change: TextEdit) -> int:
    return change.new.count("\n") - change.old.count("\n")
