"""An earlier summary as lines that may stand in the next one, and the folder that their paths are relative to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from clew.domain import Digest, FileUse
from clew.summaries.digest_lines import SummaryLine
from clew.summaries.sections import (
    ACTIVE,
    CARRIED,
    CODEBASE,
    FILES,
    FOUNDATION,
    KEPT,
    OVERVIEW,
    PLAN,
    PROBLEMS,
    PROGRESS,
    RECENT,
    sections_of,
)

#: What a line is worth in its section; what it says of its own present has passed.
_WORTH = {OVERVIEW: 1.6, FOUNDATION: 1.5, CODEBASE: 1.2, PROBLEMS: 0.8, PROGRESS: 0.8, CARRIED: 0.9, "": 1.0}
_WORTH |= {ACTIVE: 0.4, RECENT: 0.2, PLAN: 0.4}
_NEXT_SECTION = {ACTIVE: PROGRESS, RECENT: PROGRESS, CARRIED: FOUNDATION, "": OVERVIEW}
#: Before anything that the digests place.
_LONG_AGO = 1_000_000
#: How a line of ours about a file begins, and the line that says where its path does.
_FILE = re.compile(r"(?:created|changed|deleted|read) (?=\S)")
FOLDER_LINE = "paths from "


def earlier_lines(before: str, digests: Sequence[Digest] = ()) -> list[SummaryLine]:
    """The lines of an earlier summary, in the sections they stood in; files that the digests change are told anew."""
    changed = {file.text for digest in digests for file in digest.files if file.use is not FileUse.READ}
    found = []
    for section in sections_of(before):
        name = _NEXT_SECTION.get(section.name, section.name)
        lines = _without_root(section.lines) if section.name != KEPT else []
        for at, line in enumerate(lines):
            if _path_of(line) not in changed:
                found.append(SummaryLine(name, line, _WORTH.get(section.name, 1.0), at / (len(lines) + 1) - _LONG_AGO))
    return found


def _without_root(lines: Sequence[str]) -> list[str]:
    """The lines without their marks, and with whole paths where one of them names the folder they are told from."""
    plain = [line.strip().removeprefix("- ") for line in lines if not line.startswith(FILES)]
    root = next((line.removeprefix(FOLDER_LINE) for line in plain if line.startswith(FOLDER_LINE)), "")
    return [_with_root(line, root) for line in plain if not line.startswith(FOLDER_LINE)]


def _with_root(line: str, root: str) -> str:
    found = _FILE.match(line)
    if not found or line.startswith("/", found.end()):
        return line
    return f"{found[0]}{root}{line[found.end() :]}"


def _path_of(line: str) -> str:
    found = _FILE.match(line)
    return line[found.end() :].partition(" ")[0].rstrip(":") if found else ""


def shared_folder(paths: Sequence[str]) -> str:
    """The folder, with a slash at its end, that shortens the paths most when it is left out; empty for a few."""
    folders: Counter[str] = Counter()
    for path in dict.fromkeys(path for path in paths if path.startswith("/")):
        at = path.find("/", 1)
        while at > 0 and (at := path.find("/", at + 1)) > 0:
            folders[path[: at + 1]] += 1
    best = max(sorted(folders), key=lambda folder: (folders[folder] - 1) * len(folder), default="")
    return best if folders[best] > 1 else ""


def shorten_paths(lines: Sequence[SummaryLine], root: str) -> list[SummaryLine]:
    """The lines about files with the folder that most of them share left out. Nobody's words are touched."""
    if not root:
        return list(lines)
    return [line._replace(text=line.text.replace(root, "", 1)) if line.section == CODEBASE else line for line in lines]
