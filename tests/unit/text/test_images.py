"""Pixel sizes, read from heads that are built here byte by byte."""

from __future__ import annotations

import base64
import struct

import pytest

from clew.text.images import pixels

EXIF = b"\xff\xe1" + struct.pack(">H", 60_000) + bytes(59_998)
FRAME = b"\xff\xc2" + struct.pack(">HBHH", 17, 8, 480, 640) + bytes(10)

HEADS = {
    "png": b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + bytes(9),
    "gif": b"GIF89a" + struct.pack("<HH", 640, 480) + bytes(9),
    "webp extended": b"RIFF"
    + bytes(4)
    + b"WEBPVP8X"
    + bytes(8)
    + (639).to_bytes(3, "little")
    + (479).to_bytes(3, "little"),
    "webp lossless": b"RIFF"
    + bytes(4)
    + b"WEBPVP8L"
    + bytes(4)
    + b"\x2f"
    + struct.pack("<I", 639 | 479 << 14)
    + bytes(9),
    "webp lossy": b"RIFF"
    + bytes(4)
    + b"WEBPVP8 "
    + bytes(7)
    + b"\x9d\x01\x2a"
    + struct.pack("<HH", 640, 480)
    + bytes(9),
    "jpeg": b"\xff\xd8" + FRAME,
    "jpeg with a long preamble and a fill byte": b"\xff\xd8" + EXIF + EXIF + b"\xff" + FRAME,
}


@pytest.mark.parametrize("kind", HEADS)
def test_width_and_height_are_read_from_the_head(kind):
    assert pixels(base64.b64encode(HEADS[kind]).decode()) == (640, 480)


@pytest.mark.parametrize("data", ["", "A", "not base64 at all", "é" * 40, "AAAA" * 20, "/9j/4AAQSkZJRg=="])
def test_what_is_no_image_has_no_size(data):
    assert pixels(data) is None


def test_a_file_of_nothing_but_segments_ends():
    assert pixels(base64.b64encode(b"\xff\xd8" + b"\xff\xe0\x00\x02" * 5_000).decode()) is None
