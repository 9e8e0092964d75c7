"""Patches as models write them: ``*** Begin Patch``, SEARCH/REPLACE blocks, unified diffs.

Nothing here raises: a broken patch gives what could be read of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.text.names import paths_in
from clew.text.tools.actions import Action, ActionKind, TextEdit

#: A patch longer than this is read this far.
MAX_CHARS = 400_000

_BEGIN = "*** Begin Patch"
_FILE_LINE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.*)")
_MOVE = "*** Move to: "
_SEARCH = re.compile(r"^[<-]{5,9} ?SEARCH\b.*$", re.MULTILINE)
_MIDDLE = re.compile(r"^={5,9}[ \t]*$", re.MULTILINE)
_REPLACE = re.compile(r"^[>+]{5,9} ?REPLACE\b.*$", re.MULTILINE)
_ROO_HEAD = re.compile(r"\A(?:\s*:(?:start|end)_line:[ ]?\d+[ \t]*\n)*(?:\s*-{5,9}[ \t]*\n)?")
_START_LINE = re.compile(r":start_line:[ ]?(\d{1,7})")
_HUNK = re.compile(r"@@ -(\d{1,7})(?:,\d{1,7})? \+(\d{1,7})")


def is_patch(text: str) -> bool:
    return _BEGIN in text


def patch_actions(text: str) -> list[Action]:
    """The edits of a ``*** Begin Patch`` text, a file each."""
    lines = text[:MAX_CHARS].split("\n")
    actions: list[Action] = []
    index = 0
    while index < len(lines):
        head = _FILE_LINE.match(lines[index])
        index += 1
        if head is None:
            continue
        end = next((n for n in range(index, len(lines)) if _is_border(lines[n])), len(lines))
        actions += _of_file(head[1], head[2].strip(), lines[index:end])
        index = end
    return actions


def _is_border(line: str) -> bool:
    return line.startswith("*** End Patch") or _FILE_LINE.match(line) is not None


def _of_file(verb: str, path: str, body: list[str]) -> list[Action]:
    if verb == "Delete":
        return [Action(kind=ActionKind.DELETE, path=path)]
    if verb == "Add":
        return [
            Action(kind=ActionKind.WRITE, path=path, content="\n".join(line[1:] for line in body if line[:1] == "+"))
        ]
    moved = body[0][len(_MOVE) :].strip() if body and body[0].startswith(_MOVE) else ""
    edit = Action(kind=ActionKind.EDIT, path=moved or path, changes=tuple(_hunks(body)))
    return [Action(kind=ActionKind.DELETE, path=path), edit] if moved else [edit]


def _hunks(body: list[str]) -> Iterator[TextEdit]:
    old: list[str] = []
    new: list[str] = []
    for line in [*body, "@@"]:
        if line.startswith("@@"):
            if old != new:
                yield TextEdit("\n".join(old), "\n".join(new))
            old, new = [], []
        elif not line.startswith("*** "):
            old += [line[1:]] if line[:1] != "+" else []
            new += [line[1:]] if line[:1] != "-" else []


def search_replace_changes(text: str) -> tuple[tuple[TextEdit, ...], int]:
    """The changes of SEARCH/REPLACE blocks, and the line at which the first begins where it says so, else 0."""
    return tuple(change for _, change in search_replace_blocks(text)), _start_line(text)


def search_replace_blocks(text: str) -> Iterator[tuple[int, TextEdit]]:
    """Each block's change, with the offset at which the block begins."""
    text = text[:MAX_CHARS]
    start = 0
    while search := _SEARCH.search(text, start):
        middle = _MIDDLE.search(text, search.end())
        replace = _REPLACE.search(text, middle.end()) if middle else None
        if middle is None or replace is None:
            return
        old = _ROO_HEAD.sub("", text[search.end() + 1 : middle.start()])
        new = text[middle.end() + 1 : replace.start()]
        yield search.start(), TextEdit(old.removesuffix("\n"), new.removesuffix("\n"))
        start = replace.end()


def _start_line(text: str) -> int:
    match = _START_LINE.search(text[:MAX_CHARS])
    return int(match[1]) if match else 0


def edits_in_prose(text: str) -> list[Action]:
    """Edits that a reply spells out as SEARCH/REPLACE blocks, under the line that names the file."""
    actions: list[Action] = []
    for start, change in search_replace_blocks(text):
        path = _named_above(text, start) or (actions[-1].path if actions else "")
        if path:
            kind = ActionKind.EDIT if change.old.strip() else ActionKind.WRITE
            content = None if kind is ActionKind.EDIT else change.new
            actions.append(
                Action(kind=kind, path=path, changes=() if content is not None else (change,), content=content)
            )
    return actions


def _named_above(text: str, start: int) -> str:
    """The file named in one of the two lines before a block; a line that opens a code block is between."""
    above = text[max(0, start - 600) : start].split("\n")[:-1]
    for line in reversed(above[-2:]):
        if paths := paths_in(line):
            return paths[-1]
    return ""


def is_diff(text: str) -> bool:
    return ("--- " in text and "+++ " in text and "@@ -" in text) or text.startswith("diff --git ")


def diff_actions(text: str) -> list[Action]:
    """The edits of a unified diff, a file each; the lines are those after the change."""
    actions: list[Action] = []
    path, body, first = "", list[str](), 0
    for line in [*text[:MAX_CHARS].split("\n"), "+++ "]:
        if line.startswith("+++ "):
            if path and body:
                actions.append(
                    Action(
                        kind=ActionKind.EDIT,
                        path=path,
                        changes=tuple(_hunks(body)),
                        lines=(first, first) if first else None,
                    )
                )
            path, body, first = _diff_path(line), [], 0
        elif path and not line.startswith(("--- ", "diff --git ", "index ")):
            if hunk := _HUNK.match(line):
                first = first or int(hunk[2])
            body.append(line)
    return actions


def _diff_path(line: str) -> str:
    name = line[4:].split("\t", 1)[0].strip()
    return "" if name == "/dev/null" else name.removeprefix("b/")
