"""Names of files, folder by folder: the way to a folder is said once, folders of no interest are counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from posixpath import commonpath

from clew.curation.line_fit import fit_lines
from clew.curation.lines import FILLER, PLAIN, STRONG, USEFUL, VITAL, WeightedLine
from clew.text.vocabulary import words

#: Made by tools: nobody reads what is in there, only that it is there.
_GENERATED_FOLDERS = words(
    "node_modules .git __pycache__ .venv venv dist build target .next .cache vendor .mypy_cache .pytest_cache .tox"
    " coverage .gradle .idea .ruff_cache .turbo bower_components site-packages .terraform obj"
)
_LONG = re.compile(
    r"(?P<kind>[-dlcbps])[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+(?P<size>[\d.]+[KMGT]?)\s+\S+\s+\S+\s+\S+\s(?P<name>.+)"
)
_TREE = re.compile(r"[│|\s\u00a0]{0,80}[├└`+|][─-]{1,3}\s?\S")
_PATH = re.compile(
    r"(?:[A-Za-z]:[\\/]|[~./]{0,3}/?)[\w@+%=,()\[\]{}$~. -]{1,200}(?:[\\/][\w@+%=,()\[\]{}$~. -]{1,200}){0,40}[\\/]?"
)
_ROW_CHARS = 240
#: So many folders with the same files are said together.
_MIN_ALIKE = 3


def reduce(text: str, limit: int) -> str:
    """Folders in order, each with its files; lines that are no names stay beside them."""
    lines = [line for line in text.split("\n") if line.strip()]
    if sum(1 for line in lines if _TREE.match(line)) * 2 > len(lines):
        return _reduce_tree(lines, limit)
    entries = [line for line in lines if is_entry(line[:500])]
    root, names = _split_root([name for line in entries if (name := _name(line)) not in {".", "./", "..", "../"}])
    out = [WeightedLine(line, STRONG) for line in lines if not is_entry(line[:500])]
    out += [WeightedLine(f"in {root}:", VITAL)] if root else []
    for folder, inside in _merge_alike(_folders(names)):
        out += _folder_lines(folder, inside)
    return fit_lines(out, limit)


def _folders(names: Sequence[str]) -> dict[str, list[str]]:
    """Files by folder; one that tools made stands with a nameless file for each that it holds."""
    folders: dict[str, list[str]] = {}
    for name in names:
        folder, slash, base = name.rstrip("/").rpartition("/")
        parts = folder.split("/")
        generated = next((index for index, part in enumerate(parts) if part in _GENERATED_FOLDERS), None)
        if generated is not None:
            folder, base = "/".join(parts[: generated + 1]), ""
        folders.setdefault(folder + slash, []).append(base + ("/" if base and name.endswith("/") else ""))
    return folders


def _merge_alike(folders: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """Neighbours that hold files of the same names are said together: tests/{unit,property}/."""
    twins: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for folder, inside in folders.items():
        above, _, last = folder.rstrip("/").rpartition("/")
        twins.setdefault((above, tuple(inside)), []).append(last)
    out: list[tuple[str, list[str]]] = []
    for (above, names), lasts in twins.items():
        way = f"{above}/" if above else ""
        if len(lasts) < _MIN_ALIKE or not names[0]:
            out += [(f"{way}{last}/" if last else way, list(names)) for last in lasts]
        else:
            out.append((f"{way}{{{','.join(lasts)}}}/", list(names)))
    return out


def share_of_paths(lines: Sequence[str]) -> float:
    """How much of a text reads as names of files."""
    filled = [line for line in lines if line]
    return sum(1 for line in filled if is_entry(line[:500])) / len(filled) if filled else 0.0


def is_entry(line: str) -> bool:
    """A line of ``ls -l``, of ``tree`` or a path; a sentence has blanks and no slash."""
    if _LONG.match(line) or _TREE.match(line):
        return True
    if ":" in line[2:] or line.count(" ") > 2:
        return False
    return _PATH.fullmatch(line) is not None and (" " not in line.strip() or "/" in line)


def _name(line: str) -> str:
    if match := _LONG.match(line):
        size = "" if match["kind"] == "d" else f" {match['size']}"
        return match["name"] + ("/" if match["kind"] == "d" else size)
    return line.strip()


def _split_root(names: list[str]) -> tuple[str, list[str]]:
    """The folder that all paths share, and the paths below it."""
    whole = [name for name in names if name.startswith("/")]
    if len(whole) < 2 or len(whole) * 10 < len(names) * 9:
        return "", names
    root = commonpath(path.rsplit("/", 1)[0] or "/" for path in whole)
    if len(root) < 2:
        return "", names
    return root, [name[len(root) + 1 :] if name.startswith(root + "/") else name for name in names]


def _folder_lines(folder: str, inside: Sequence[str]) -> list[WeightedLine]:
    """A line with the folder and its first files, then rows of further ones."""
    named = [name for name in inside if name]
    if not named:
        return [WeightedLine(f"{folder} ({len(inside):,} files)", USEFUL)]
    if len(named) == 1:
        return [WeightedLine(folder + named[0], STRONG, _turn_group(folder))]
    rows = _rows(named)
    count = f" ({_count_extensions(named)})" if len(rows) > 1 else ""
    first = WeightedLine(f"{folder or './'}{count}: {rows[0]}", STRONG, _turn_group(folder))
    return [first, *(WeightedLine(f"  {row}", PLAIN, folder) for row in rows[1:])]


def _turn_group(folder: str) -> str:
    """Folders far apart take turns."""
    return "/".join(folder.split("/")[:3])


def _rows(names: Sequence[str]) -> list[str]:
    rows, row = list[str](), ""
    for name in names:
        if row and len(row) + len(name) > _ROW_CHARS:
            rows.append(row)
            row = ""
        row += f", {name}" if row else name
    return [*rows, row]


def _count_extensions(names: Sequence[str]) -> str:
    """How many files a big folder holds, and of what kinds."""
    kinds = Counter("." + name.rsplit(".", 1)[-1].split(" ")[0] for name in names if "." in name[1:])
    best = sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))[:4]
    counts = ", ".join(f"{count:,} {kind}" for kind, count in best)
    return counts if best and best[0][1] == len(names) else f"{len(names):,}: {counts}" if counts else f"{len(names):,}"


def _reduce_tree(lines: Sequence[str], limit: int) -> str:
    """Branches near the root first."""
    out = []
    for line in lines:
        depth = len(line) - len(line.lstrip("│|`├└─ \u00a0\t+-"))
        out.append(WeightedLine(line, max(FILLER, VITAL - depth // 4)))
    return fit_lines(out, limit)
