"""What SQLite and the system raise, as Clew's errors: what happened, where, and what to do next."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import TracebackType

import apsw

from clew.errors import ClewError, StorageError, StoreBusy, StoreDamaged, StoreFull, StoreReadOnly, UsageError

_BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)
_READ_ONLY = (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError)
_DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
_FULL_NUMBERS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_READ_ONLY_NUMBERS = {errno.EACCES, errno.EPERM, errno.EROFS}

#: What a caller of the library can do about a store that fails, or is damaged.
_CHECK = "clew.storage.doctor.inspect(path) checks it"
_SAVE = "clew.storage.salvage.salvage(path) saves what can be read and keeps the file"


class Failures:
    """Used as ``with failures:`` around every call to SQLite or the file system that is about this file."""

    __slots__ = ("path",)

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, apsw.Error | OSError | UnicodeError):
            raise clew_error(error, self.path) from error


def clew_error(error: apsw.Error | OSError | UnicodeError, path: Path) -> ClewError:
    """The error of ours that says what this one means."""
    if isinstance(error, UnicodeEncodeError):
        return UsageError(f"{error.object!r} is not valid Unicode, so it cannot name anything in {path}; rename it")
    if isinstance(error, UnicodeError):
        return damage_error(path, f"a text is none: {error}")
    if isinstance(error, OSError):
        return _of_system(error, path)
    return _of_sqlite(error, path)


def _of_sqlite(error: apsw.Error, path: Path) -> StorageError:
    if isinstance(error, _BUSY):
        return StoreBusy(f"{path} is in use: another process held its lock for too long; try again ({error})")
    if isinstance(error, apsw.FullError):
        return StoreFull(f"no space left for {path}; free some or move the store, then try again ({error})")
    if isinstance(error, _READ_ONLY):
        return read_only(path, str(error))
    if isinstance(error, _DAMAGED):
        return damage_error(path, str(error))
    if isinstance(error, apsw.CantOpenError) and not os.access(path.parent, os.W_OK):
        return read_only(path, "its folder may not be written")
    if isinstance(error, apsw.CantOpenError):
        return StorageError(f"{path} cannot be opened ({error}); check that it and its folder may be read and written")
    if isinstance(error, apsw.IOError):
        return StorageError(f"{path} cannot be read or written ({error})", hint="check the disk", about="disk")
    if isinstance(error, apsw.ConnectionClosedError):
        return StorageError(f"{path} has been closed; open it again")
    return StorageError(f"{path} failed ({type(error).__name__}: {error})", hint=_CHECK, about="soundness")


def _of_system(error: OSError, path: Path) -> StorageError:
    reason = error.strerror or str(error)
    if error.errno in _FULL_NUMBERS:
        return StoreFull(f"no space left for {path} ({reason}); free some or move the store, then try again")
    if error.errno in _READ_ONLY_NUMBERS:
        return read_only(path, reason)
    if error.errno == errno.EISDIR:
        return StorageError(f"{path} is a folder, and a store is a file", hint="name a file in it", about="store")
    return StorageError(f"{path} cannot be used ({reason})", hint="name another store", about="store")


def no_store(path: Path) -> StorageError:
    """The error for a file of another kind."""
    return StorageError(f"{path} is no store of Clew's, and is left as it is", hint="name another store", about="store")


def read_only(path: Path, reason: str) -> StoreReadOnly:
    """The error for a file that may not be written."""
    return StoreReadOnly(
        f"the store {path} is read-only ({reason}); what is there can be read",
        hint="to write, allow it or name another store",
        about="access",
    )


def damage_error(path: Path, reason: str) -> StoreDamaged:
    """The error for a file that is damaged or no database."""
    return StoreDamaged(f"{path} is damaged or no database ({reason})", hint=_SAVE, about="damage")


__all__ = ["Failures", "clew_error", "damage_error", "no_store", "read_only"]
