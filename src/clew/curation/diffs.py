"""Diffs: every file with what was added and removed; lines that did not change go first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from clew.curation.gaps import fitted
from clew.curation.lines import BRIEF, FILLER, NOISE, PLAIN, STRONG, USEFUL, VITAL, Line

_GIT = re.compile(r"diff --(?:git|cc|combined) (?:a/)?(\S{1,300})")
_HUNK = re.compile(r"@@{1,2} -\d+(?:,\d+)? .{0,60}@@")
_HEADER = ("index ", "similarity ", "dissimilarity ", "old mode", "new mode", "--- ", "+++ ")
_TOLD = ("rename ", "copy ", "new file", "deleted file", "Binary files")
#: Written by tools: that they changed is enough.
_MADE = re.compile(r"(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|\.lock|go\.sum|\.min\.\w+|\.map|\.snap|\.svg)\Z")


@dataclass(slots=True)
class _File:
    name: str
    lines: list[Line] = field(default_factory=list)
    added: int = 0
    removed: int = 0


def reduced(text: str, limit: int) -> str:
    """Files with their counts, hunks in turn."""
    out: list[Line] = []
    for part in _files(text.split("\n")):
        if part.name:
            out.append(Line(f"diff {part.name} +{part.added} -{part.removed}", VITAL))
        out += part.lines
    return fitted(out, limit)


def _files(lines: Sequence[str]) -> list[_File]:
    files, inside = [_File("")], False
    for at, line in enumerate(lines):
        now = files[-1]
        if found := _GIT.match(line):
            files.append(_File(found[1]))
            inside = False
        elif not inside and line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            if not (now.name and not now.lines):
                files.append(_File(lines[at + 1][4:].split("\t")[0].removeprefix("b/")))
        elif _HUNK.match(line):
            inside = True
            made = _MADE.search(now.name) is not None
            now.lines.append(Line(line, NOISE if made else STRONG, now.name, "made by a tool" if made else ""))
        else:
            inside = _add(now, line, inside=inside)
    return files


def _add(file: _File, line: str, *, inside: bool) -> bool:
    """One line of a file's part; true while we are in a hunk."""
    if not inside:
        if line.startswith(_TOLD):
            file.lines.append(Line(line, STRONG))
        elif not line.startswith(_HEADER):
            file.lines.append(Line(line, PLAIN))
        return False
    weight, noise = _weight(file, line)
    file.lines.append(Line(line, weight, file.name, noise))
    return line[:1] in {"+", "-", " ", "\\", ""}


def _weight(file: _File, line: str) -> tuple[int, str]:
    sign, made = line[:1], _MADE.search(file.name) is not None
    file.added += sign == "+"
    file.removed += sign == "-"
    if made:
        return NOISE, "made by a tool"
    if sign not in {"+", "-"}:
        return FILLER, BRIEF
    return (USEFUL if sign == "+" else USEFUL - 1) if line[1:].strip() else FILLER, ""
