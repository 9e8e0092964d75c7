"""Copies of a store's file: whole and consistent, readable by nobody else, and never over another file."""

from __future__ import annotations

import os
import re
from itertools import chain, count
from pathlib import Path

import apsw

_PARTS = ("", "-wal", "-shm")


def copy_database(source: Path, target: Path) -> None:
    """A consistent copy, while others may be writing; FileExistsError if the target is taken.

    It appears under its name only when it is whole and on the disk.
    """
    if target.exists():
        raise FileExistsError(17, "there is a file already", str(target))
    draft = target.with_name(f"{target.name}.draft-{os.getpid()}")
    draft.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        _copy_pages(source, draft)
        draft.rename(target)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(target.parent)


def _copy_pages(source: Path, target: Path) -> None:
    reader = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
    writer = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with writer.backup("main", reader, "main") as backup:
            while not backup.done:
                backup.step(-1)
    finally:
        writer.close()
        reader.close()


def sync_folder(folder: Path) -> None:
    """Makes a new name durable, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def backup_name(path: Path, version: int) -> Path:
    """``<name>.backup-v<version>``, or with -2, -3 … when that is taken."""
    first = path.with_name(f"{path.name}.backup-v{version}")
    more = (path.with_name(f"{first.name}-{number}") for number in count(2))
    return next(name for name in chain((first,), more) if not name.exists())


def damaged_name(path: Path) -> Path:
    """``<name>.damaged-<n>`` with the first number that is free."""
    names = (path.with_name(f"{path.name}.damaged-{number}") for number in count(1))
    return next(name for name in names if not name.exists())


def set_aside(path: Path, target: Path) -> None:
    """Renames a database with the files that belong to it; an empty log is left out."""
    for part in _PARTS:
        file = path.with_name(path.name + part)
        if part and file.exists() and not file.stat().st_size:
            file.unlink()
        elif file.exists():
            file.rename(target.with_name(target.name + part))
    sync_folder(path.parent)


def other_copies(path: Path) -> list[Path]:
    """Backups, quarantined files and unfinished copies of a store, which hold its content too, in order of name."""
    if not path.parent.is_dir():
        return []
    kinds = r"(\.backup-v\d+(-\d+)?(\.draft-\d+)?|\.damaged-\d+|-salvage-(old|new))"
    name = re.compile(re.escape(path.name) + kinds + "(-wal|-shm|-journal)?")
    return sorted(file for file in path.parent.iterdir() if name.fullmatch(file.name))


__all__ = ["backup_name", "copy_database", "damaged_name", "other_copies", "set_aside", "sync_folder"]
