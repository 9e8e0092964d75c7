"""Finds the files of a folder that may be transcripts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

#: How names of session files end, apart from what compression adds.
_ENDINGS = (".jsonl", ".json", ".md", ".traj")
_COMPRESSED = (".gz", ".zst")
#: Folders in which programs keep what nobody said.
_PASSED_OVER = {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "site-packages", "__pycache__"}


@dataclass(slots=True)
class FolderWalk:
    """One walk through a folder. ``others`` counts files whose names are not those of transcripts; ``failed`` holds
    folders that cannot be listed, each with the reason.
    """

    root: str
    others: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    _seen: set[tuple[int, int]] = field(default_factory=set)

    def files(self) -> Iterator[str]:
        """Yields files that may be transcripts, sorted within each folder.

        Links are followed, and each folder and file is visited once, so that a loop of links ends.
        """
        folders = [self.root]
        while folders:
            inner: list[str] = []
            for entry in self._entries(folders.pop()):
                if _is(entry.is_dir):
                    inner += [] if entry.name in _PASSED_OVER else [entry.path]
                elif _may_be_transcript(entry.name) and _is(entry.is_file) and self._is_first(entry.path):
                    yield entry.path
                else:
                    self.others += 1
            folders += reversed(inner)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            if not self._is_first(folder):
                return []
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.failed.append((folder, f"{folder} cannot be listed: {error.strerror}; check your rights to it"))
            return []

    def _is_first(self, path: str) -> bool:
        status = Path(path).stat()
        place = (status.st_dev, status.st_ino)
        is_first = place not in self._seen
        self._seen.add(place)
        return is_first


def _is(test: Callable[[], bool]) -> bool:
    """False for what cannot be told, such as a link to itself."""
    try:
        return test()
    except OSError:
        return False


def _may_be_transcript(name: str) -> bool:
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return name.lower().endswith(_ENDINGS)
