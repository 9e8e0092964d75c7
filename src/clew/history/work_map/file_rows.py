"""The work map's rows of files during an update: one for each file, by the path it is known under.

A file is named in several ways (``a.py``, ``src/a.py``, ``/home/me/app/src/a.py``). They share one row: a shorter path
finds the longer one that ends with it, and a longer one takes over the row of the shorter.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field, replace
from math import log2
from typing import Any

from clew.domain.values import fields_of
from clew.ports import Rows

FILE, NAME, COMMAND, CHANGED = "f:", "n:", "c:", "e:"
#: What the row of a change says of its file: when it was changed, and what the file is worth.
_OF_CHANGE = ("path", "score", "read", "edits", "created", "copied", "edited", "deleted", "restored", "noted")
#: Files kept for a session. Beyond that the least useful go, which are ones that a listing showed once.
MAX_FILES = 2_000
#: Rows are dropped in runs, so that a long session does not look through all of them at every message.
FILES_SLACK = 200
#: Names kept with a file: more than a reader can use, enough to choose from.
MAX_NAMES = 40
#: Ways of being known by one file name (index.ts); the oldest are forgotten.
_MAX_SAME_NAME = 40
_OUTSIDE = ("/node_modules/", "/site-packages/", "/__pycache__/", "/dev/", "/proc/", "/.venv/")

#: The address of a repository, and a path that git or a program has shortened.
_NO_FILE = re.compile(r"\.git$|(?:^|/)(?:\.{3}|…)(?:/|$)|…")
#: People write hooks; the rest of that folder is git's own.
_GIT_FOLDER, _GIT_HOOKS = "/.git/", "/.git/hooks/"


@dataclass(slots=True)
class FileRow:
    """What is kept of a file, while it is brought up to date; ``FileFacts`` says what its fields mean to readers.

    Scores, of the file and of its ``names``, are a number and the message of which it holds. ``read`` counts reads,
    ``reads`` are the newest with their message; ``seen`` is how often the file was mentioned, where last, and at which
    line. ``arrived`` is the message that moved it to its path, ``shown`` says that an output has shown it there.
    """

    path: str
    score: list[Any]
    named: str = ""
    deed: str = ""
    at: int = 0
    read: int = 0
    reads: list[list[int]] = field(default_factory=list)
    edits: int = 0
    edited: int = 0
    created: int = 0
    copied: int = 0
    deleted: int = 0
    restored: int = 0
    arrived: int = 0
    where: list[int] | None = None
    symbols: list[str] = field(default_factory=list)
    names: dict[str, list[Any]] = field(default_factory=dict)
    excerpts: list[list[Any]] = field(default_factory=list)
    definitions: list[list[Any]] = field(default_factory=list)
    moved: int = 0
    seen: list[int] = field(default_factory=lambda: [0, 0, 0])
    shown: bool = False
    noted: list[Any] = field(default_factory=lambda: [0, ""])

    @property
    def changed_at(self) -> int:
        """The number of the message in which the file was last changed; 0 for never."""
        return max(self.edited, self.deleted, self.created, self.restored)

    @property
    def change_name(self) -> str:
        """The name of the row that lists the file among those changed, in the order of changes and of the model's notes
        on them; empty for one that never was.
        """
        number = max(self.changed_at, self.noted[0])
        return f"{CHANGED}{number:010d}:{self.path}" if number else ""

    def stored_fields(self) -> dict[str, Any]:
        """Returns the fields that say something, as they are stored."""
        return {name: value for name, value in fields_of(self).items() if value != _NOTHING[name]}


#: What a field has that says nothing; a path and a score always do.
_NOTHING = fields_of(FileRow("", [])) | {"path": None, "score": None}
#: Half-life of scores in messages: a few tasks of an agent, not its last step.
HALF_LIFE = 120


def decayed_score(score: list[Any] | None, now: int) -> float:
    """Returns what is left of an earlier score now."""
    return float(score[0]) * 0.5 ** ((now - score[1]) / HALF_LIFE) if score else 0.0


def raise_score(score: list[Any] | None, by: float, now: int) -> list[Any]:
    """Returns the score as of now, with an amount added."""
    return [round(decayed_score(score, now) + by, 3), now]


def file_score(row: dict[str, Any], now: int) -> float:
    """Returns how useful a file is now:
    the decayed worth of what was done with it, and a little if it was ever changed.
    """
    return decayed_score(row["score"], now) + 0.5 * log2(1 + row.get("edits", 0)) + 0.1 * log2(1 + row.get("read", 0))


def normal_path(path: str) -> str:
    """Returns a path in one spelling; empty for a path outside the work."""
    path = path.strip().removeprefix("file://").replace("\\", "/").split("\n", 1)[0]
    path = path[1:] if path.startswith(("@/", "@.", "@~")) else path  # how people point clients at a file
    if not path or len(path) > 400:
        return ""
    path = posixpath.normpath(path)
    return "" if path in {".", "/", ".."} or _NO_FILE.search(path) or _is_outside(f"/{path}") else path


def _is_outside(path: str) -> bool:
    return any(piece in path for piece in _OUTSIDE) or (_GIT_FOLDER in path and _GIT_HOOKS not in path)


def is_rooted(path: str) -> bool:
    """Returns True for a path from the root of a disk or from a home."""
    return path.startswith(("/", "~")) or path[1:2] == ":"


def moved_path(path: str, named: str, place: str) -> str:
    """Returns the path of a file after it, or its folder, was moved to a place. A command names both from where it was
    run; the file may be known by a longer path."""
    named = normal_path(named)
    if path.startswith(f"{named}/"):
        return normal_path(f"{place}{path[len(named) :]}")
    head = path[: len(path) - len(named)] if path.endswith(named) else ""
    return normal_path(place if is_rooted(place) else f"{head}{place}")


class FileRows:
    """Rows by path, read once and written back by ``flush``. ``count`` is how many there are.

    A changed file has a second, small row, by which the newest changes are found without reading all files.
    """

    def __init__(self, rows: Rows, count: int) -> None:
        self._rows, self.count = rows, count
        self._loaded: dict[str, FileRow] = {}
        self._listed: dict[str, str] = {}
        self._paths: dict[str, list[str]] = {}

    def known_path(self, path: str) -> str:
        """Returns the path under which a file is kept; empty if there is none."""
        path = normal_path(path)
        same = self._same_name(path)
        if path in same:
            return path
        if not is_rooted(path):
            longer = [other for other in reversed(same) if other.endswith(f"/{path}")]
            return next((other for other in longer if self._load(other).edits), (longer or [""])[0])
        return ""

    def row(self, path: str, now: int) -> FileRow | None:
        """Returns the row of a file, a new one if need be; None for a path outside the work."""
        path = normal_path(path)
        if not path:
            return None
        if name := self.known_path(path) or self._take_over(path):
            row = self._load(name)
            if is_rooted(name) and not is_rooted(path) and len(path) > len(row.named):
                row.named = path
            return row
        self.count += 1
        self._loaded[path] = FileRow(path, [0.0, now])
        self._remember(path)
        return self._loaded[path]

    def paths_in(self, folder: str) -> list[str]:
        """Returns the paths of files kept in a folder, in the spelling in which it is given. A path that is kept as a
        file is no folder."""
        folder = normal_path(folder)
        if not folder or self.known_path(folder):
            return []
        start = f"{folder}/"
        stored = (key[len(FILE) :] for key, _ in self._rows.scan(FILE + start, f"{FILE}{folder}0"))
        return sorted({*stored, *(path for path in self._loaded if path.startswith(start))})

    def changed_since(self, number: int) -> list[str]:
        """Returns the paths of files that were changed after a message."""
        listed = self._rows.scan(f"{CHANGED}{number + 1:010d}:", f"{CHANGED[0]};")
        stored = {row["path"] for _, row in listed}
        return sorted(path for path in stored | self._loaded.keys() if self._load(path).changed_at > number)

    def take(self, path: str) -> FileRow:
        """Removes the row of a file and returns it."""
        row = self._load(path)
        self._drop(path)
        self.count -= 1
        return row

    def put(self, row: FileRow) -> None:
        """Keeps a row under its path, in place of the one there."""
        path = row.path
        if path in self._same_name(path):
            self._load(path)
        else:
            self.count += 1
            self._remember(path)
        self._loaded[path] = row
        self.mark_newest(path)

    def mark_newest(self, path: str) -> None:
        """Makes this file the one that its bare name stands for, if several files have that name."""
        same = self._same_name(path)
        if same and same[-1] != path and path in same:
            same.remove(path)
            same.append(path)

    def flush(self, now: int) -> None:
        """Writes all rows back. If there are too many, the least useful are removed."""
        for path in sorted(self._loaded):
            self._rows.put(FILE + path, self._loaded[path].stored_fields())
            self._list_change(path)
        for name in sorted(self._paths):
            self._rows.put(NAME + name, self._paths[name])
        if self.count > MAX_FILES + FILES_SLACK:
            self._evict(now)

    def _load(self, path: str) -> FileRow:
        if path not in self._loaded:
            stored = self._rows.get(FILE + path)
            self._loaded[path] = FileRow(**stored) if stored else FileRow(path, [0.0, 0])
            self._listed[path] = self._loaded[path].change_name
        return self._loaded[path]

    def _list_change(self, path: str) -> None:
        """Lists a file with its last change, and no longer with the one before."""
        row, before = self._loaded[path], self._listed.get(path, "")
        name = self._listed[path] = row.change_name
        if before and before != name:
            self._rows.remove(before)
        if name:
            self._rows.put(name, {key: value for key, value in row.stored_fields().items() if key in _OF_CHANGE})

    def _same_name(self, path: str) -> list[str]:
        name = path.rsplit("/", 1)[-1]
        if name not in self._paths:
            paths = self._rows.get(NAME + name)
            if paths is None:
                return []
            self._paths[name] = list(paths)
        return self._paths[name]

    def _remember(self, path: str) -> None:
        same = self._same_name(path)
        self._paths[path.rsplit("/", 1)[-1]] = [*same, path][-_MAX_SAME_NAME:]

    def _take_over(self, path: str) -> str:
        """A row kept under a shorter way to the same file goes on under the longer one. A file that was only spoken of
        by its bare name is the one that a longer path is known of."""
        same = self._same_name(path)
        shorter = [other for other in same if not is_rooted(other) and path.endswith(f"/{other}")]
        if not is_rooted(path):
            shorter = [
                other
                for other in shorter
                if "/" not in other and not (self._load(other).deed or self._load(other).shown)
            ]
        if not shorter:
            return ""
        row = self._load(shorter[-1])
        named = shorter[-1] if is_rooted(path) else row.named
        self._loaded[path] = replace(row, path=path, named=named)
        self._drop(shorter[-1])
        self._remember(path)
        return path

    def _drop(self, path: str) -> None:
        self._load(path)
        del self._loaded[path]
        self._rows.remove(FILE + path)
        if name := self._listed.pop(path, ""):
            self._rows.remove(name)
        self._same_name(path).remove(path)

    def _evict(self, now: int) -> None:
        rows = self._rows.scan(FILE, FILE + "\U0010ffff")
        rows.sort(key=lambda item: (-file_score(item[1], now), item[0]))
        for name, row in rows[MAX_FILES:]:
            self._rows.remove(name)
            if change := FileRow(**row).change_name:
                self._rows.remove(change)
            same = [path for path in self._same_name(row["path"]) if path != row["path"]]
            key = NAME + row["path"].rsplit("/", 1)[-1]
            self._paths[key[len(NAME) :]] = same
            self._rows.put(key, same) if same else self._rows.remove(key)
        self.count = min(len(rows), MAX_FILES)


def bind_names(row: FileRow, names: dict[str, float], now: int) -> None:
    """Adds names used together with a file to its row, weighted by how often and how lately; the best are kept."""
    scores = row.names
    for name, weight in names.items():
        scores[name] = raise_score(scores.get(name), weight, now)
    if len(scores) > 2 * MAX_NAMES:
        row.names = dict(sorted(scores.items(), key=lambda item: (-decayed_score(item[1], now), item[0]))[:MAX_NAMES])
