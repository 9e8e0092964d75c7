"""What images, sound and documents cost. Base64 is never counted as text.

An image is priced by its size in pixels where its first bytes tell it, and as the dearest of its model
otherwise. Documents, sound and video are priced by their bytes, which is a rule of thumb: 3,000 tokens to
50 KB of a document (a dense page), 32 tokens to a second of sound at 128 kbit/s, 300 to a second of video at
1 Mbit/s.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from math import ceil

from clew.domain import Media
from clew.tokens.models import ImagePrice, ModelInfo

#: Of the base64; a JPEG may hold a preview and colour tables before its size.
_HEAD_CHARS = 256 << 10
_DOCUMENT_BYTES_TO_TOKEN = 50 * 1024 / 3_000
_SOUND_BYTES_TO_TOKEN = 500
_VIDEO_BYTES_TO_TOKEN = 400
#: For what stands behind an address or an id and cannot be weighed: ten pages.
_UNSEEN_TOKENS = 10 * 3_000


def media_tokens(media: Media, info: ModelInfo) -> int:
    """Tokens of the media when sent to the model; text documents are not for here."""
    if media.media_type.startswith("image"):
        return _image_tokens(image_size(media.data or ""), info.image)
    if media.data is None:
        return _UNSEEN_TOKENS
    size = len(media.data) * 3 / 4
    if media.media_type.startswith("audio"):
        return ceil(size / _SOUND_BYTES_TO_TOKEN)
    if media.media_type.startswith("video"):
        return ceil(size / _VIDEO_BYTES_TO_TOKEN)
    return ceil(size / _DOCUMENT_BYTES_TO_TOKEN)


def _image_tokens(size: tuple[int, int] | None, price: ImagePrice) -> int:
    if size is None:
        return price.most
    squares = ceil(size[0] / price.side) * ceil(size[1] / price.side)
    return min(price.most, price.base + ceil(squares * price.each))


def image_size(data: str) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF, WebP or JPEG in base64; None when its first bytes do not tell."""
    head = _decoded(data[:_HEAD_CHARS])
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        return _pair(head[16:24], 4)
    if head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= 10:
        return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _webp_size(head)
    return _jpeg_size(head) if head.startswith(b"\xff\xd8") else None


def _decoded(data: str) -> bytes:
    try:
        return b64decode(data[: len(data) // 4 * 4])
    except (Error, ValueError):
        return b""


def _pair(data: bytes, width: int) -> tuple[int, int]:
    return int.from_bytes(data[:width], "big"), int.from_bytes(data[width : 2 * width], "big")


def _webp_size(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if kind == b"VP8X" and len(head) >= 30:
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if kind == b"VP8 " and len(head) >= 30:
        return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF
    if kind == b"VP8L" and len(head) >= 25:
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return None


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        # A frame header (C0 to CF) holds the size; C4, C8 and CC in that range are tables.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = _pair(head[at + 5 : at + 9], 2)
            return width, height
        at += 2 + max(2, int.from_bytes(head[at + 2 : at + 4], "big"))
    return None
