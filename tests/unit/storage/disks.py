"""Disks that misbehave on purpose: layers between SQLite and the real file system."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

_SECTOR_BYTES = 512
#: How SQLite opens a database, in the flags of xOpen.
_READ_WRITE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


class _Layer(apsw.VFS):
    def __init__(self, name: str, make_file: Callable[..., apsw.VFSFile], on_delete: Callable[[str], object]) -> None:
        super().__init__(name, base="")
        self.make_file = make_file
        self.on_delete = on_delete

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return self.make_file(name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self.on_delete(Path(filename).name)


@contextmanager
def mounted(
    make_file: Callable[..., apsw.VFSFile], on_delete: Callable[[str], object] = lambda _: None
) -> Iterator[str]:
    """The name under which SQLite finds a layer whose files are made so."""
    layer = _Layer("misbehaving", make_file, on_delete)
    try:
        yield "misbehaving"
    finally:
        layer.unregister()


class ReadOnlyFile(apsw.VFSFile):
    """As on a file system that is mounted read-only."""

    def __init__(self, name: Any, flags: list[int]) -> None:
        flags[0] = (flags[0] & ~_READ_WRITE) | apsw.SQLITE_OPEN_READONLY
        super().__init__("", name, flags)
        flags[1] |= apsw.SQLITE_OPEN_READONLY


class Quota:
    """Room for so many more bytes; each write takes of it. ``error`` is what a write beyond it gets."""

    def __init__(self, error: type[apsw.Error] = apsw.FullError) -> None:
        self.left: int | None = None
        self.error = error

    def file(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return _QuotaFile(self, name, flags)


class _QuotaFile(apsw.VFSFile):
    def __init__(self, quota: Quota, name: Any, flags: list[int]) -> None:
        self.quota = quota
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        if self.quota.left is not None:
            self.quota.left -= len(data)
            if self.quota.left < 0:
                raise self.quota.error
        super().xWrite(data, offset)


class PowerCuts:
    """Remembers what has certainly reached the disk, and what has only been handed to the system.

    ``cut`` gives the files as a power cut at this moment might leave them: all that was synced, and of the
    rest some sectors, in no order.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.synced: dict[str, bytearray] = {}
        self.pending: dict[str, list[tuple[int, bytes]]] = {}
        self.on_write: Callable[[], None] = lambda: None

    def file(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return _PowerFile(self, name, flags)

    def forget(self, name: str) -> None:
        self.synced.pop(name, None)
        self.pending.pop(name, None)

    def cut(self) -> dict[str, bytes]:
        return {name: self._left(bytearray(image), self.pending[name]) for name, image in self.synced.items()}

    def _left(self, image: bytearray, pending: list[tuple[int, bytes]]) -> bytes:
        share = self.random.choice((0.0, 0.3, 0.9, 1.0))
        for offset, data in pending:
            for at in range(0, len(data), _SECTOR_BYTES):
                if self.random.random() < share:
                    put(image, offset + at, data[at : at + _SECTOR_BYTES])
        return bytes(image)


class _PowerFile(apsw.VFSFile):
    def __init__(self, power: PowerCuts, name: Any, flags: list[int]) -> None:
        self.power = power
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self.name = Path(path).name if path else ""
        super().__init__("", name, flags)
        if self.name:
            power.synced.setdefault(self.name, bytearray())
            power.pending.setdefault(self.name, [])

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        if self.name:
            self.power.pending[self.name].append((offset, bytes(data)))
            self.power.on_write()

    def xTruncate(self, size: int) -> None:
        super().xTruncate(size)
        if self.name:
            self._settle()
            del self.power.synced[self.name][size:]

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        if self.name:
            self._settle()

    def _settle(self) -> None:
        for offset, data in self.power.pending[self.name]:
            put(self.power.synced[self.name], offset, data)
        self.power.pending[self.name] = []


def put(image: bytearray, offset: int, data: bytes) -> None:
    if len(image) < offset:
        image.extend(bytes(offset - len(image)))
    image[offset : offset + len(data)] = data
