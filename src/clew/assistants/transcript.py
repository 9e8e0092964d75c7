"""A transcript: the file in which an assistant keeps one session, and what an assistant must be able to say of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from clew.assistants.safe_paths import is_safe


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One session's file. ``updated`` is when it was last written, in seconds since 1970."""

    client: str
    session: str
    path: Path
    cwd: str
    updated: float


class Assistant(Protocol):
    """One client: its name, which is also that of its format, and its files."""

    name: str
    title: str

    def folder(self) -> Path:
        """Returns the folder that all its transcripts are in."""

    def of_folder(self, folder: Path) -> Iterator[Transcript]:
        """Yields the sessions that were begun in a working folder, in any order."""

    def of_session(self, id: str) -> Transcript | None:
        """Returns the transcript of a session; None where there is none."""

    def read(self, path: Path) -> Transcript | None:
        """Returns what a file of this client's is; None for one that holds no session of its own."""

    def subagents(self, transcript: Transcript, /) -> list[Path]:
        """Returns the files in which subagents of a session wrote, in order of name."""


def is_same_folder(one: str, other: str) -> bool:
    """Returns True for two spellings of one folder, whether it exists or not."""
    return os.path.realpath(one) == os.path.realpath(other)


def spellings(folder: Path) -> list[str]:
    """Returns the ways in which a client may have written down a folder: as it is given, and with links resolved."""
    return list(dict.fromkeys([os.path.abspath(folder), os.path.realpath(folder)]))  # noqa: PTH100


def modified_time(path: Path) -> float:
    """Returns when a file was last written; 0 for one that is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def files(folder: Path, pattern: str, *, root: Path) -> Iterator[Path]:
    """Yields the files of a folder by a pattern, but for links that lead out of the root."""
    yield from (path for path in sorted(folder.glob(pattern)) if is_safe(path, root))
