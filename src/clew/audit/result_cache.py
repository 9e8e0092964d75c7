"""Results of an audit, kept in the user's cache folder, so that a second one over the same files takes a moment.

An entry is named by a hash of all it follows from: the content and place of the file, what was asked for, and the
program's own code. So none is ever stale, and processes that write the same one write the same bytes. Secrets are
masked before anything is written. An entry that cannot be read is made anew.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any, TypeVar

import clew
from clew.codecs import jsonio
from clew.domain.values import from_json, to_json
from clew.environment import cache_folder
from clew.text.secrets import mask

V = TypeVar("V")
#: All entries together stay below this; those that were not used for longest go first.
_MOST_BYTES = 64 << 20
_ENDING = ".audit"
#: Members that say where something is: by them what was found is told from what others found.
_PLACES = frozenset({"path", "source"})


def audit_cache() -> Path:
    """Returns the folder of the entries."""
    return cache_folder() / "audit"


def clear_audit_cache() -> int:
    """Deletes all entries, and returns how many there were."""
    count = len(list(_entries(audit_cache())))
    shutil.rmtree(audit_cache(), ignore_errors=True)
    return count


@dataclass(frozen=True, slots=True)
class ResultCache:
    """The entries in a folder."""

    folder: Path

    def find(self, path: str, kind: type[V], given: tuple[Any, ...]) -> list[V] | None:
        """Returns what was found in a file when it was asked for before; None where that is not known."""
        entry = self._entry(path, kind, given)
        try:
            data = entry.read_bytes() if entry else b""
            results = [from_json(kind, row) for row in jsonio.loads_exact(zlib.decompress(data))] if data else None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, zlib.error):
            return None
        if entry and results is not None:
            with suppress(OSError):
                os.utime(entry)
        return results

    def keep(self, path: str, kind: type[V], given: tuple[Any, ...], make: Callable[[], list[V]]) -> list[V]:
        """Makes what is to be found in a file and keeps it, unless the file changes meanwhile. Where nothing can be
        written, nothing is kept.
        """
        entry = self._entry(path, kind, given)
        results = make()
        if entry is None or entry != self._entry(path, kind, given):
            return results
        value = _mask_value([to_json(result) for result in results])
        with suppress(OSError):
            self._write(entry, zlib.compress(jsonio.dumps_exact(value), 1))
        return [from_json(kind, row) for row in value]

    def prune(self) -> None:
        """Deletes the entries that were not used for longest, until the rest is small enough."""
        entries = sorted(_entries(self.folder), key=lambda pair: -pair[1].st_mtime)
        size = 0
        for entry, stat in entries:
            size += stat.st_size
            if size > _MOST_BYTES:
                entry.unlink(missing_ok=True)

    def _entry(self, path: str, kind: type[Any], arguments: tuple[Any, ...]) -> Path | None:
        if not Path(path).is_file():
            return None
        try:
            with Path(path).open("rb") as stream:
                content = file_digest(stream, "blake2b").hexdigest()
        except OSError:
            return None
        parts = (content, str(Path(path).absolute()), kind.__name__, arguments, _code())
        return self.folder / (blake2b(repr(parts).encode("utf-8", "replace"), digest_size=16).hexdigest() + _ENDING)

    def _write(self, entry: Path, data: bytes) -> None:
        """Writes a draft that only its owner may read, then puts it in place: nobody sees half of it."""
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=entry.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(draft).replace(entry)
        finally:
            Path(draft).unlink(missing_ok=True)


def _entries(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for entry in folder.glob(f"*{_ENDING}"):
        with suppress(OSError):  # another process has deleted it
            yield entry, entry.stat()


def _mask_value(value: Any, name: str = "") -> Any:
    if isinstance(value, str):
        return value if name in _PLACES else mask(value)
    if isinstance(value, dict):
        return {key: _mask_value(item, key) for key, item in value.items()}
    return [_mask_value(item, name) for item in value] if isinstance(value, list) else value


@cache
def _code() -> str:
    """What tells this code from any other: names, sizes and times of the program's files."""
    root = Path(clew.__file__).parent
    files = [(str(file.relative_to(root)), file.stat()) for file in sorted(root.rglob("*.py"))]
    return blake2b(repr([(name, stat.st_size, stat.st_mtime_ns) for name, stat in files]).encode()).hexdigest()
