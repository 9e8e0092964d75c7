"""Bodies of requests and replies: compressed or not, read no further than a limit."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import Any

import anyio

from clew.codecs.sources import zstd_module
from clew.errors import UsageError

#: Compressions that are read here, of what clients may send and what they may accept.
ENCODINGS = ("gzip", "deflate", "zstd", "identity")
_GZIP_BITS, _ZLIB_BITS, _RAW_BITS = 31, 15, -15
#: How long a client may take to send a body.
_MOST_SECONDS = 300.0


class BodyRefused(UsageError):
    """A body is too large, comes too slowly, or cannot be read. ``status`` is what its client is told."""

    def __init__(self, reason: str, status: int = 413) -> None:
        super().__init__(reason)
        self.status = status


async def read_body(pieces: AsyncIterator[bytes], most: int, *, seconds: float = _MOST_SECONDS) -> bytes:
    """Returns a body whole. Raises BodyRefused where it is larger than ``most`` bytes, or does not come in time."""
    read = bytearray()
    try:
        with anyio.fail_after(seconds):
            async for piece in pieces:
                read += piece
                if len(read) > most:
                    reason = f"the body is larger than {most:,} bytes; gateway.max_body_bytes sets the limit"
                    raise BodyRefused(reason)
    except TimeoutError:
        raise BodyRefused(f"the body did not come within {seconds:g} seconds", status=408) from None
    return bytes(read)


def decompress(data: bytes, encoding: str, most: int) -> bytes:
    """Returns what a body says. Raises UsageError for one that is broken or more than one, and BodyRefused for one
    that is too large once unpacked, or in an encoding that is not known here.
    """
    unpack = Decompressor(encoding)
    if not unpack.is_known:
        raise BodyRefused(f"bodies are read as {', '.join(ENCODINGS)}, not in another content encoding", status=415)
    found = unpack.feed(data, most + 1)
    if len(found) > most:
        raise BodyRefused(f"the body is larger than {most:,} bytes once it is unpacked")
    if not unpack.is_whole:  # who unpacks all of it would read something else
        raise UsageError("the body breaks off, or goes on behind its end")
    return found


class Decompressor:
    """Unpacks a body as it comes. What it does not know, or what is broken, it leaves."""

    def __init__(self, encoding: str) -> None:
        names = _names(encoding)
        self.is_known = len(names) < 2 and all(name in ENCODINGS for name in names)
        self._name = names[0] if names and self.is_known else ""
        self._unpacker: Any = None

    @property
    def is_whole(self) -> bool:
        """True where one body has ended, and nothing stands behind it."""
        one = self._unpacker
        return not self._name or bool(one is not None and one.eof and not one.unused_data)

    def feed(self, data: bytes, most: int = -1) -> bytes:
        """Returns what these bytes add, or as many bytes of it as may come. Raises UsageError for broken ones."""
        if not self._name or not data:
            return data
        try:
            self._unpacker = self._unpacker or _unpacker(self._name, data)
            return bytes(self._unpacker.decompress(data, most if self._name == "zstd" else max(most, 0)))
        except Exception as error:  # each compression has errors of its own
            raise UsageError(f"the body cannot be unpacked: {error}") from None


def _unpacker(name: str, data: bytes) -> Any:
    if name == "zstd":
        return zstd_module().ZstdDecompressor()
    if name == "gzip":
        return zlib.decompressobj(_GZIP_BITS)
    # What is called deflate has a head of its own by the rule, and comes without from many.
    has_head = data[0] & 0x0F == 8 and (len(data) < 2 or int.from_bytes(data[:2]) % 31 == 0)
    return zlib.decompressobj(_ZLIB_BITS if has_head else _RAW_BITS)


def _names(encoding: str) -> list[str]:
    names = [name.strip().lower() for name in encoding.split(",")]
    return [name for name in names if name and name != "identity"]
