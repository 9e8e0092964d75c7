"""Compression of bodies by zstd where that makes them smaller, and the way back."""

from __future__ import annotations

import sys

#: Loading ``typing`` takes longer than all that is done here, and a status line waits for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

#: Below this, a frame's own bytes eat most of the gain.
_MIN_BYTES = 256
#: The fastest level: transcripts shrink to a third, at several hundred MB a second. The checksum tells a body that
#: a bad disk has changed from a sound one; SQLite itself would not notice.
_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 1, zstd.CompressionParameter.checksum_flag: 1}

PLAIN, ZSTD = 0, 1


class Compressor:
    """One compressor, used again and again: making a new one for each body costs more than its work.

    Not for several threads at once.
    """

    __slots__ = ("_compressor",)

    def __init__(self) -> None:
        self._compressor: Any = zstd.ZstdCompressor(options=_OPTIONS)

    def compress(self, data: bytes) -> tuple[int, bytes]:
        """How the bytes are kept, and the bytes to keep."""
        if len(data) > _MIN_BYTES:
            smaller = self._compressor.compress(data, self._compressor.FLUSH_FRAME)
            if len(smaller) < len(data):
                return ZSTD, smaller
        return PLAIN, data


def decompress(kept: int, data: bytes) -> bytes:
    """The bytes as they were given; ValueError when they can no longer be made out."""
    if kept == PLAIN:
        return data
    if kept != ZSTD:
        raise ValueError(f"unknown way of keeping bytes: {kept}")
    reader = zstd.ZstdDecompressor()
    try:
        whole: bytes = reader.decompress(data)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error
    if not reader.eof:
        raise ValueError("the frame ends early")
    return whole


__all__ = ["PLAIN", "ZSTD", "Compressor", "decompress"]
