"""Where transcripts are read from: a file, plain or compressed, or standard input.

Only what the user names is opened, never a path found inside a file, and nothing that could block or act
when opened: devices, pipes and sockets are refused.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from clew.errors import NoConversation, NotFound, UnreadableSource

#: Enough of a file to know its format by.
HEAD_BYTES = 1 << 16
STDIN = "-"
_BUFFER_BYTES = 1 << 18
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BLANK = b" \t\r\n\x00\xef\xbb\xbf"
_MAGIC = (b"%PDF-", b"SQLite format 3\x00", b"\x7fELF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"BZh")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: Control characters that no text has. NUL is not among them: a crash leaves runs of it in sound files.
_CONTROLS = bytes(code for code in range(1, 32) if code not in b"\t\n\v\f\r\x08\x1b")


@contextmanager
def open_source(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The bytes at the path, decompressed; UnreadableSource or NotFound in one sentence when there are none."""
    where = os.fspath(path)
    if where == STDIN:
        yield _text(_Rejoined.open_buffer(sys.stdin.buffer), "standard input")
        return
    with _regular(where) as file:
        yield _text(file, where)


def peek(stream: BinaryIO, size: int = HEAD_BYTES) -> bytes:
    """The next bytes of a stream; reading it starts with them all the same."""
    if isinstance(stream, io.BufferedReader):
        return stream.peek(size)[:size]
    position = stream.tell()
    head = stream.read(size)
    stream.seek(position)
    return head


def unreadable_reason(head: bytes) -> str:
    """What keeps a file that starts with these bytes from being a transcript, or nothing."""
    if not head.strip(_BLANK):
        return "is empty; name a file that holds a conversation"
    if head.startswith(_UTF16):
        return "is UTF-16 text; save it as UTF-8 and try again"
    if head.startswith(_MAGIC) or _share_of_noise(head[:8192]) > 0.1:
        return "is binary, not text; name a session file or a JSON file of messages"
    return ""


def _share_of_noise(head: bytes) -> float:
    controls = len(head) - len(head.translate(None, _CONTROLS))
    broken = head.decode("utf-8", "replace").count("\ufffd")
    return (controls + broken) / len(head)


@contextmanager
def _regular(where: str) -> Iterator[BinaryIO]:
    try:
        _refuse_odd(os.stat(where).st_mode, where)  # noqa: PTH116
        # A pipe put in the file's place meanwhile would wait for a writer.
        file = os.open(where, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise NotFound(f"no file {where}; check the path") from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UnreadableSource(f"{where} cannot be opened: {reason}; check the path and your rights to it") from None
    with os.fdopen(file, "rb", buffering=_BUFFER_BYTES) as opened:
        _refuse_odd(os.fstat(file).st_mode, where)
        yield opened


def _refuse_odd(mode: int, where: str) -> None:
    if stat.S_ISDIR(mode):
        raise UnreadableSource(f"{where} is a folder; name the files in it, such as {Path(where) / '*.jsonl'}")
    if not stat.S_ISREG(mode):
        raise UnreadableSource(f"{where} is a pipe or device, not a file; send its content to standard input as -")


def _text(stream: BinaryIO, where: str) -> BinaryIO:
    start = peek(stream, 4)
    if start.startswith(_GZIP):
        stream = _Rejoined.open_buffer(_Decompressed(stream, _Gzip, where))
    elif start.startswith(_ZSTD):
        stream = _Rejoined.open_buffer(_Decompressed(stream, zstd_module().ZstdDecompressor, where))
    if problem := unreadable_reason(peek(stream)):
        raise NoConversation(f"{where} {problem}", is_broken=not problem.startswith("is empty"))
    return stream


def zstd_module() -> Any:
    """Returns the module that unpacks zstd: of Python, or the one that stands in for it in older versions."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


class _Rejoined(io.RawIOBase):
    """A stream whose head was read ahead, however small the pieces in which it comes."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._head = stream, b""
        while len(self._head) < HEAD_BYTES and (piece := stream.read(HEAD_BYTES - len(self._head))):
            self._head += piece

    @classmethod
    def open_buffer(cls, stream: Any) -> Any:
        return io.BufferedReader(cls(stream), _BUFFER_BYTES)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._head or self._stream.read(len(buffer))
        piece, self._head = piece[: len(buffer)], piece[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


class _Gzip:
    """A decompressor of gzip with the ways of the one for zstd."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        """What follows, if it is a further member; tapes and tools leave padding."""
        rest = self._inner.unused_data
        return rest if rest.startswith(_GZIP[: len(rest)]) else b""


class _Decompressed:
    """Decompressed bytes. A file that is cut short gives what is there, as a torn line would; damage is said."""

    def __init__(self, stream: BinaryIO, make: Callable[[], Any], where: str) -> None:
        self._stream, self._make, self._where = stream, make, where
        self._inner = make()

    def read(self, size: int) -> bytes:
        try:
            return self._read(size)
        except (zlib.error, zstd_module().ZstdError) as error:
            raise UnreadableSource(f"{self._where} is damaged: {error}; decompress what is left of it first") from None

    def _read(self, size: int) -> bytes:
        while True:
            data, needed = b"", self._inner.needs_input
            if self._inner.eof:
                data, needed = self._inner.unused_data, True
                self._inner = self._make()
            data = data or (self._stream.read(HEAD_BYTES) if needed else b"")
            piece: bytes = self._inner.decompress(data, size)
            if piece or (needed and not data):
                return piece
