"""Removal of deleted content from a store's files: free pages, the log, the index of words, and backups."""

from __future__ import annotations

from pathlib import Path

import apsw

from clew.errors import NotFound, StoreBusy
from clew.ports import Erasure
from clew.storage.connections import connect
from clew.storage.failures import Failures
from clew.storage.file_copies import other_copies
from clew.storage.stores import BUSY_TIMEOUT_SECONDS
from clew.storage.word_index import rewrite_words


def erase_deleted(path: Path) -> Erasure:
    """Leaves nothing of what was deleted in the file, its log and its copies, and gives their room back to the system.

    Where another process reads the store, its log cannot be emptied; the result says so.
    """
    if not path.is_file():
        raise NotFound(f"there is no store at {path}", hint="name another", about="store")
    with Failures(path):
        copies = other_copies(path)
        for copy in copies:
            copy.unlink(missing_ok=True)
        _rewrite(path)
    return Erasure(tuple(map(str, copies)), _empty_log(path))


def _rewrite(path: Path) -> None:
    """Deleted rows were overwritten when they were deleted; the index of words only passes over them until now."""
    db = connect(path, durability="full", busy_timeout_seconds=BUSY_TIMEOUT_SECONDS)
    try:
        rewrite_words(db)
        db.execute("PRAGMA incremental_vacuum").fetchall()
    finally:
        db.close()


def _empty_log(path: Path) -> str:
    """What is left in the log, in words; nothing if it could be emptied."""
    try:
        with Failures(path):
            db = connect(path, durability="full", busy_timeout_seconds=BUSY_TIMEOUT_SECONDS)
            try:
                db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            finally:
                db.close()
    except StoreBusy:
        return f"{path}-wal still holds deleted content while another process reads the store; it goes when that ends"
    return ""


__all__ = ["erase_deleted"]
