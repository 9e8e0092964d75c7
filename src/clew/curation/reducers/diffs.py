"""Diffs: every file with what was added and removed; lines that did not change go first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from clew.curation.line_fit import fit_lines
from clew.curation.lines import BRIEF, FILLER, NOISE, PLAIN, STRONG, USEFUL, VITAL, WeightedLine

_GIT = re.compile(r"diff --(?:git|cc|combined) (?:a/)?(\S{1,300})")
_HUNK = re.compile(r"@@{1,2} -\d+(?:,\d+)? .{0,60}@@")
_HEADERS = ("index ", "similarity ", "dissimilarity ", "old mode", "new mode", "--- ", "+++ ")
_NOTES = ("rename ", "copy ", "new file", "deleted file", "Binary files")
#: Written by tools: that they changed is enough.
_GENERATED = re.compile(
    r"(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|\.lock|go\.sum|\.min\.\w+|\.map|\.snap|\.svg)\Z"
)


@dataclass(slots=True)
class _FileDiff:
    name: str
    lines: list[WeightedLine] = field(default_factory=list)
    added: int = 0
    removed: int = 0


def reduce(text: str, limit: int) -> str:
    """Files with their counts, hunks in turn."""
    out: list[WeightedLine] = []
    for part in _split_files(text.split("\n")):
        if part.name:
            out.append(WeightedLine(f"diff {part.name} +{part.added} -{part.removed}", VITAL))
        out += part.lines
    return fit_lines(out, limit)


def _split_files(lines: Sequence[str]) -> list[_FileDiff]:
    files, inside = [_FileDiff("")], False
    for index, line in enumerate(lines):
        now = files[-1]
        if match := _GIT.match(line):
            files.append(_FileDiff(match[1]))
            inside = False
        elif not inside and line.startswith("--- ") and index + 1 < len(lines) and lines[index + 1].startswith("+++ "):
            if not (now.name and not now.lines):
                files.append(_FileDiff(lines[index + 1][4:].split("\t")[0].removeprefix("b/")))
        elif _HUNK.match(line):
            inside = True
            is_generated = _GENERATED.search(now.name) is not None
            now.lines.append(
                WeightedLine(
                    line, NOISE if is_generated else STRONG, now.name, "made by a tool" if is_generated else ""
                )
            )
        else:
            inside = _add_line(now, line, inside=inside)
    return files


def _add_line(file: _FileDiff, line: str, *, inside: bool) -> bool:
    """One line of a file's part; true while we are in a hunk."""
    if not inside:
        if line.startswith(_NOTES):
            file.lines.append(WeightedLine(line, STRONG))
        elif not line.startswith(_HEADERS):
            file.lines.append(WeightedLine(line, PLAIN))
        return False
    weight, label = _weight(file, line)
    file.lines.append(WeightedLine(line, weight, file.name, label))
    return line[:1] in {"+", "-", " ", "\\", ""}


def _weight(file: _FileDiff, line: str) -> tuple[int, str]:
    sign, is_generated = line[:1], _GENERATED.search(file.name) is not None
    file.added += sign == "+"
    file.removed += sign == "-"
    if is_generated:
        return NOISE, "made by a tool"
    if sign not in {"+", "-"}:
        return FILLER, BRIEF
    return (USEFUL if sign == "+" else USEFUL - 1) if line[1:].strip() else FILLER, ""
