"""The work map's rows while it is brought up to date: one for each file, by the path it is known under.

A file is spoken of in several ways (``a.py``, ``src/a.py``, ``/home/me/app/src/a.py``). They meet in one row: a shorter
way finds the longer one that ends with it, and a longer one takes over the row of the shorter.
"""

from __future__ import annotations

import posixpath
from math import log2
from typing import Any

from clew.ports import Rows

FILE, NAME, COMMAND = "f:", "n:", "c:"
#: What a file or a name is worth halves in so many messages: a few tasks of an agent, not its last step.
HALF_LIFE = 120
#: Files kept for a session. Beyond that the least useful go, which are ones that a listing showed once.
MAX_FILES = 2_000
#: Rows are dropped in runs, so that a long session does not look through all of them at every message.
FILES_SLACK = 200
#: Names kept with a file: more than a reader can use, enough to choose from.
MAX_NAMES = 40
#: Ways of being known by one file name (index.ts); the oldest are forgotten.
_MAX_SAME_NAME = 40
_OUTSIDE = ("/node_modules/", "/.git/", "/site-packages/", "/__pycache__/", "/dev/", "/proc/", "/.venv/")

FileRow = dict[str, Any]


def decayed(score: list[Any] | None, now: int) -> float:
    """What a score of some time ago is worth now."""
    return float(score[0]) * 0.5 ** ((now - score[1]) / HALF_LIFE) if score else 0.0


def raised(score: list[Any] | None, by: float, now: int) -> list[Any]:
    return [round(decayed(score, now) + by, 3), now]


def worth(row: FileRow, now: int) -> float:
    """How useful a file is now: what was done with it, decayed, and a little for what was ever changed."""
    return decayed(row["score"], now) + 0.5 * log2(1 + row.get("edits", 0)) + 0.1 * log2(1 + row.get("read", 0))


def normal(path: str) -> str:
    """A path in one spelling; empty for what lies outside anybody's work."""
    path = path.strip().removeprefix("file://").replace("\\", "/").split("\n", 1)[0]
    if not path or len(path) > 400:
        return ""
    path = posixpath.normpath(path)
    return "" if any(piece in f"/{path}" for piece in _OUTSIDE) or path in {".", "/", ".."} else path


def is_rooted(path: str) -> bool:
    return path.startswith(("/", "~")) or path[1:2] == ":"


class Files:
    """Rows by path, read once and written back by ``flush``. ``count`` is how many there are."""

    def __init__(self, rows: Rows, count: int) -> None:
        self._rows, self.count = rows, count
        self._loaded: dict[str, FileRow] = {}
        self._paths: dict[str, list[str]] = {}

    def known(self, path: str) -> str:
        """The path under which a file is kept, if it is."""
        path = normal(path)
        same = self._same_name(path)
        if path in same:
            return path
        if not is_rooted(path):
            return next((other for other in reversed(same) if other.endswith(f"/{path}")), "")
        return ""

    def row(self, path: str, now: int) -> FileRow | None:
        """The row of a file, a new one if need be; None for what is outside the work."""
        path = normal(path)
        if not path:
            return None
        name = self.known(path) or self._taken_over(path)
        if name:
            return self._load(name)
        self.count += 1
        self._loaded[path] = {"path": path, "score": [0.0, now]}
        self._remember(path)
        return self._loaded[path]

    def touched(self, path: str) -> None:
        """Of several files of one name, the one last worked on is meant from here on."""
        same = self._same_name(path)
        if same and same[-1] != path and path in same:
            same.remove(path)
            same.append(path)

    def flush(self, now: int) -> None:
        for path in sorted(self._loaded):
            self._rows.put(FILE + path, self._loaded[path])
        for name in sorted(self._paths):
            self._rows.put(NAME + name, self._paths[name])
        if self.count > MAX_FILES + FILES_SLACK:
            self._evict(now)

    def _load(self, path: str) -> FileRow:
        if path not in self._loaded:
            self._loaded[path] = self._rows.get(FILE + path) or {"path": path, "score": [0.0, 0]}
        return self._loaded[path]

    def _same_name(self, path: str) -> list[str]:
        name = path.rsplit("/", 1)[-1]
        if name not in self._paths:
            known = self._rows.get(NAME + name)
            if known is None:
                return []
            self._paths[name] = list(known)
        return self._paths[name]

    def _remember(self, path: str) -> None:
        same = self._same_name(path)
        self._paths[path.rsplit("/", 1)[-1]] = [*same, path][-_MAX_SAME_NAME:]

    def _taken_over(self, path: str) -> str:
        """A row kept under a shorter way to the same file goes on under the longer one."""
        same = self._same_name(path)
        shorter = [other for other in same if not is_rooted(other) and path.endswith(f"/{other}")]
        if not shorter or not is_rooted(path):
            return ""
        row = self._load(shorter[-1])
        self._loaded[path] = row | {"path": path}
        self._drop(shorter[-1])
        self._remember(path)
        return path

    def _drop(self, path: str) -> None:
        self._loaded.pop(path, None)
        self._rows.remove(FILE + path)
        self._same_name(path).remove(path)

    def _evict(self, now: int) -> None:
        kept = self._rows.scan(FILE, FILE + "\U0010ffff")
        kept.sort(key=lambda item: (-worth(item[1], now), item[0]))
        for name, row in kept[MAX_FILES:]:
            self._rows.remove(name)
            same = [path for path in self._same_name(row["path"]) if path != row["path"]]
            key = NAME + row["path"].rsplit("/", 1)[-1]
            self._paths[key[len(NAME) :]] = same
            self._rows.put(key, same) if same else self._rows.remove(key)
        self.count = min(len(kept), MAX_FILES)


def bind(row: FileRow, names: dict[str, float], now: int) -> None:
    """Names used together with a file, by how often and how lately."""
    held: dict[str, list[Any]] = row.setdefault("names", {})
    for name, weight in names.items():
        held[name] = raised(held.get(name), weight, now)
    if len(held) > 2 * MAX_NAMES:
        row["names"] = dict(sorted(held.items(), key=lambda item: (-decayed(item[1], now), item[0]))[:MAX_NAMES])
