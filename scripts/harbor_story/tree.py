"""The project as it stands at each moment of the story: files in memory, read and changed as tools would."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch


class Tree:
    """Paths are relative to the project's folder. A change that does not apply raises ValueError."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)

    def numbered(self, path: str, *, offset: int = 1, limit: int | None = None) -> str:
        """The file as a reading tool shows it: line numbers, an arrow, the line."""
        lines = self.files[path].splitlines()
        last = len(lines) if limit is None else min(len(lines), offset - 1 + limit)
        return "\n".join(f"{at:>6}→{lines[at - 1]}" for at in range(offset, last + 1))

    def write(self, path: str, content: str) -> None:
        self.files[path] = content

    def replace(self, path: str, old: str, new: str) -> None:
        """Puts ``new`` in the place of ``old``, which must stand in the file exactly once."""
        found = self.files[path].count(old)
        if found != 1 or old == new:
            raise ValueError(f"{path}: expected once and different, found {found} times: {old[:80]!r}")
        self.files[path] = self.files[path].replace(old, new)

    def matches(self, pattern: str, under: str) -> Iterator[tuple[str, int, str]]:
        """Path, line number and line of every match, in order of path."""
        wanted = re.compile(pattern)
        for path in self.paths(under):
            for at, line in enumerate(self.files[path].splitlines(), 1):
                if wanted.search(line):
                    yield path, at, line

    def paths(self, under: str = "") -> list[str]:
        """Files at or below ``under``, sorted; all files when it is empty."""
        folder = under.rstrip("/") + "/"
        return sorted(path for path in self.files if not under or path == under or path.startswith(folder))

    def glob(self, pattern: str) -> list[str]:
        flat = pattern.replace("**/", "*")
        return [path for path in self.paths() if fnmatch(path, flat)]
