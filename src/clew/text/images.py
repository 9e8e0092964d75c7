"""The size of an image in pixels, from the head of its base64 text: no image is decoded for it."""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple


class Pixels(NamedTuple):
    width: int
    height: int


#: JPEG markers of frames, which hold the size: all of C0 to CF but tables (C4), JPG (C8) and arithmetic (CC).
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: Real files have a few dozen segments before the frame; a hostile one could have thousands.
_MAX_SEGMENTS = 500


def pixels(data: str) -> Pixels | None:
    """Width and height of a PNG, GIF, WebP or JPEG, or None for what is none of them."""
    head = _bytes(data, 0, 30)
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        return Pixels(int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big"))
    if head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= 10:
        return Pixels(int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little"))
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP" and len(head) >= 30:
        return _webp(head)
    if head.startswith(b"\xff\xd8"):
        return _jpeg(data)
    return None


def _bytes(data: str, start: int, size: int) -> bytes:
    """A slice of the decoded bytes; only the characters that spell it are decoded."""
    first = start // 3
    last = (start + size + 2) // 3
    piece = data[first * 4 : last * 4]
    try:
        decoded = base64.b64decode(piece + "=" * (-len(piece) % 4))
    except (ValueError, binascii.Error):
        return b""
    return decoded[start - first * 3 :][:size]


def _webp(head: bytes) -> Pixels | None:
    kind = head[12:16]
    if kind == b"VP8X":
        return Pixels(int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1)
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return Pixels((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8 ":
        width, height = int.from_bytes(head[26:28], "little"), int.from_bytes(head[28:30], "little")
        return Pixels(width & 0x3FFF, height & 0x3FFF)
    return None


def _jpeg(data: str) -> Pixels | None:
    offset = 2
    for _ in range(_MAX_SEGMENTS):
        segment = _bytes(data, offset, 9)
        if len(segment) < 9 or segment[0] != 0xFF:
            return None
        if segment[1] == 0xFF:  # a fill byte
            offset += 1
        elif segment[1] in _FRAMES:
            return Pixels(int.from_bytes(segment[7:9], "big"), int.from_bytes(segment[5:7], "big"))
        else:
            offset += 2 + int.from_bytes(segment[2:4], "big")
    return None
