"""Bodies of requests and replies: compressed or not, read no further than a limit."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from clew.codecs.sources import zstd_module
from clew.errors import UsageError

#: Compressions that are read here, of what clients may send and what they may accept.
_GZIP_BITS, _ZLIB_BITS = 31, 15
ENCODINGS = ("gzip", "deflate", "zstd", "identity")


class BodyTooLarge(UsageError):
    """A body is larger than the server takes."""


async def read_body(pieces: AsyncIterator[bytes], most: int) -> bytes:
    """Returns a body whole. Raises BodyTooLarge where it is larger than ``most`` bytes."""
    read = bytearray()
    async for piece in pieces:
        read += piece
        if len(read) > most:
            raise BodyTooLarge(f"the body is larger than {most:,} bytes; gateway.max_body_bytes sets the limit")
    return bytes(read)


def decompress(data: bytes, encoding: str, most: int) -> bytes:
    """Returns what a body says. Raises UsageError for one that is broken, unknown or too large once unpacked."""
    if not _names(encoding):
        return data
    unpack = Decompressor(encoding)
    if not unpack.is_known:
        raise UsageError(f"the content encoding {encoding!r} is not known")
    found = unpack.feed(data, most + 1)
    if len(found) > most:
        raise BodyTooLarge(f"the body is larger than {most:,} bytes once it is unpacked")
    return found


class Decompressor:
    """Unpacks a body as it comes. What it does not know, or what is broken, it leaves."""

    def __init__(self, encoding: str) -> None:
        names = _names(encoding)
        self.is_known = len(names) < 2 and all(name in ENCODINGS for name in names)
        self._unpack: Callable[[bytes, int], bytes] = _unpacker(names[0]) if names and self.is_known else _as_it_is

    def feed(self, data: bytes, most: int = 0) -> bytes:
        """Returns what these bytes add. Raises UsageError for broken ones."""
        try:
            return self._unpack(data, most)
        except Exception as error:  # each compression has errors of its own
            raise UsageError(f"the body cannot be unpacked: {error}") from None


def _unpacker(name: str) -> Callable[[bytes, int], bytes]:
    if name == "zstd":
        unzstd: Any = zstd_module().ZstdDecompressor()
        return lambda data, most: unzstd.decompress(data, max_length=most or -1)
    unzip = zlib.decompressobj(_GZIP_BITS if name == "gzip" else _ZLIB_BITS)
    return unzip.decompress


def _as_it_is(data: bytes, _most: int) -> bytes:
    return data


def _names(encoding: str) -> list[str]:
    names = [name.strip().lower() for name in encoding.split(",")]
    return [name for name in names if name and name != "identity"]
