"""Names of files, folder by folder: the way to a folder is said once, folders of no interest are counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from posixpath import commonpath

from clew.curation.lines import FILLER, PLAIN, STRONG, USEFUL, VITAL, Line, fitted

#: Made by tools: nobody reads what is in there, only that it is there.
MADE_FOLDERS = frozenset(
    "node_modules .git __pycache__ .venv venv dist build target .next .cache vendor .mypy_cache .pytest_cache .tox"
    " coverage .gradle .idea .ruff_cache .turbo bower_components site-packages .terraform obj".split()
)
_LONG = re.compile(
    r"(?P<kind>[-dlcbps])[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+(?P<size>[\d.]+[KMGT]?)\s+\S+\s+\S+\s+\S+\s(?P<name>.+)"
)
_TREE = re.compile(r"[│|\s\u00a0]{0,80}[├└`+|][─-]{1,3}\s?\S")
_PATH = re.compile(
    r"(?:[A-Za-z]:[\\/]|[~./]{0,3}/?)[\w@+%=,()\[\]{}$~. -]{1,200}(?:[\\/][\w@+%=,()\[\]{}$~. -]{1,200}){0,40}[\\/]?"
)
_ROW = 240


def reduced(text: str, limit: int) -> str:
    """Folders in order, each with its files."""
    lines = [line for line in text.split("\n") if line.strip()]
    if sum(1 for line in lines if _TREE.match(line)) * 2 > len(lines):
        return _tree(lines, limit)
    root, names = _rooted([_name(line) for line in lines])
    folders: dict[str, list[str]] = {}
    for name in names:
        folder, slash, base = name.rstrip("/").rpartition("/")
        made = next((at for at, part in enumerate(folder.split("/")) if part in MADE_FOLDERS), None)
        if made is not None:
            folder, base = "/".join(folder.split("/")[: made + 1]), ""
        folders.setdefault(folder + slash, []).append(base + ("/" if base and name.endswith("/") else ""))
    out = [Line(f"in {root}:", VITAL)] if root else []
    for folder, inside in folders.items():
        out += _folder(folder, inside)
    return fitted(out, limit)


def share_of_paths(lines: Sequence[str]) -> float:
    """How much of a text reads as names of files."""
    said = [line for line in lines if line]
    return sum(1 for line in said if is_entry(line[:500])) / len(said) if said else 0.0


def is_entry(line: str) -> bool:
    """A line of ``ls -l``, of ``tree`` or a path; a sentence has blanks and no slash."""
    if _LONG.match(line) or _TREE.match(line):
        return True
    return _PATH.fullmatch(line) is not None and (" " not in line.strip() or "/" in line) and line.count(" ") < 3


def _name(line: str) -> str:
    if found := _LONG.match(line):
        size = "" if found["kind"] == "d" else f" {found['size']}"
        return found["name"] + ("/" if found["kind"] == "d" else size)
    return line.strip()


def _rooted(names: list[str]) -> tuple[str, list[str]]:
    """The folder that all paths share, and the paths below it."""
    whole = [name for name in names if name.startswith("/")]
    if len(whole) < 2 or len(whole) * 10 < len(names) * 9:
        return "", names
    root = commonpath(path.rsplit("/", 1)[0] or "/" for path in whole)
    if len(root) < 2:
        return "", names
    return root, [name[len(root) + 1 :] if name.startswith(root + "/") else name for name in names]


def _folder(folder: str, inside: Sequence[str]) -> list[Line]:
    """A line with the folder and its first files, then rows of further ones."""
    named = [name for name in inside if name]
    if not named:
        return [Line(f"{folder} ({len(inside):,} files)", USEFUL)]
    rows, row = list[str](), ""
    for name in named:
        if row and len(row) + len(name) > _ROW:
            rows.append(row)
            row = ""
        row += f", {name}" if row else name
    rows.append(row)
    count = f" ({len(named):,}{_endings(named)})" if len(named) > 1 and len(rows) > 1 else ""
    first = f"{folder}{count}: {rows[0]}" if folder or count else rows[0]
    weight = STRONG if folder.count("/") < 3 else USEFUL
    return [
        Line(first, weight, "/".join(folder.split("/")[:2])),
        *(Line(f"  {row}", PLAIN, folder) for row in rows[1:]),
    ]


def _endings(names: Sequence[str]) -> str:
    """What kinds of files a big folder holds."""
    kinds = Counter("." + name.rsplit(".", 1)[-1].split(" ")[0] for name in names if "." in name[1:])
    best = sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))[:4]
    return ": " + ", ".join(f"{count:,} {kind}" for kind, count in best) if best else ""


def _tree(lines: Sequence[str], limit: int) -> str:
    """Branches near the root first."""
    out = []
    for line in lines:
        depth = len(line) - len(line.lstrip("│|`├└─ \u00a0\t+-"))
        out.append(Line(line, max(FILLER, VITAL - depth // 4)))
    return fitted(out, limit)
