"""Output files: written beside their place first, so that a failure leaves what was there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from clew.errors import StorageError


def write_file(out: Path, pieces: Iterable[bytes], *, verify: Callable[[Path], None] | None = None) -> int:
    """Writes a file and returns its size. ``verify`` looks at the draft before it replaces anything.

    Raises StorageError if it cannot be written; whatever ``verify`` raises leaves the old file as it was.
    """
    is_device = out.exists() and not out.is_file()
    place = out.resolve() if out.is_symlink() else out
    draft = Path(tempfile.gettempdir() if is_device else place.parent) / f".{place.name}.part"
    try:
        size = _write_draft(draft, pieces)
        if verify is not None:
            verify(draft)
        if is_device:
            out.write_bytes(draft.read_bytes())
        else:
            draft.replace(place)
    except OSError as error:
        raise StorageError(f"cannot write {out}: {error.strerror}; choose another place") from None
    finally:
        draft.unlink(missing_ok=True)
    return size


def _write_draft(draft: Path, pieces: Iterable[bytes]) -> int:
    with open(draft, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        return sum(file.write(piece) for piece in pieces)
