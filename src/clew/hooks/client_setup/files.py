"""Settings files of clients: read with care, written as a whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp

from clew.errors import NotFound, UsageError

#: No client has settings of this size; the largest seen have 3 MB.
MOST_BYTES = 16 << 20
_WRITE_BITS = 0o222


def digest(data: bytes) -> str:
    """Returns the hash of a file's bytes, with the name of the method."""
    return f"sha256:{sha256(data).hexdigest()}"


def read_settings(path: Path) -> bytes | None:
    """Returns the bytes of a file; None where there is none.

    Raises UsageError for what must not be edited: a link, a folder, a file that is read-only, or larger than settings
    are.
    """
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(status.st_mode):
        raise UsageError(f"{path} is a link to {path.readlink()}; nothing was changed, set the client up by hand")
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path} is no plain file; nothing was changed, move it away and try again")
    if status.st_size > MOST_BYTES:
        raise UsageError(f"{path} has {status.st_size >> 20} MB, too large for settings; nothing was changed")
    if not status.st_mode & _WRITE_BITS or not os.access(path, os.W_OK):
        raise UsageError(f"{path} is read-only; nothing was changed, allow writing (chmod u+w) and try again")
    return path.read_bytes()


def decode_utf8(data: bytes, path: Path) -> str:
    """Returns the text of a file. Raises UsageError for one that is no UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is no UTF-8 text (byte {error.start}); nothing was changed, mend it and try again"
        ) from None


def make_folder(folder: Path) -> list[str]:
    """Makes a folder and those above it; returns those that were not there, the innermost first."""
    made = []
    place = folder
    while not place.is_dir():
        made.append(str(place))
        place = place.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise NotFound(f"{folder} cannot be made: a file is in its way; nothing was changed") from None
    return made


def remove_folders(folders: list[str]) -> None:
    """Removes folders that are empty, the innermost first."""
    for folder in folders:
        with suppress(OSError):
            Path(folder).rmdir()


def write_settings(path: Path, data: bytes, *, expected: bytes | None) -> None:
    """Puts new bytes in the place of a file, with the rights that it had.

    Raises UsageError if the file is no longer as ``expected``: somebody wrote to it meanwhile.
    """
    mode = stat.S_IMODE(path.stat().st_mode) if expected is not None else 0o600
    handle, beside = mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            os.fsync(handle)
        Path(beside).chmod(mode)
        ensure_unchanged(path, expected)
        os.replace(beside, path)  # noqa: PTH105
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def ensure_unchanged(path: Path, expected: bytes | None) -> None:
    """Raises UsageError unless a file has the bytes that were read; None is for one that was not there."""
    if read_settings(path) != expected:
        raise UsageError(f"{path} was changed meanwhile; nothing was written, try again")
