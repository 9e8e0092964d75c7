"""What media cost."""

from __future__ import annotations

from base64 import b64encode
from struct import pack

import pytest

from clew.domain import Media
from clew.text.images import pixels
from clew.tokens import count_part, tokenizer_for

TEXT = tokenizer_for("text")
GPT = tokenizer_for("gpt-4o")
CLAUDE = tokenizer_for("claude-opus-4-5")


def png(width: int, height: int) -> str:
    return b64encode(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + pack(">II", width, height) + b"\x00" * 3_000).decode()


def image(width: int, height: int) -> Media:
    return Media(media_type="image/png", data=png(width, height))


@pytest.mark.parametrize(
    ("size", "gpt", "claude"),
    [((256, 256), 85 + 170, 100), ((1_024, 1_024), 85 + 4 * 170, 1_369), ((4_032, 3_024), 1_445, 1_600)],
)
def test_an_image_is_priced_by_its_pixels(size: tuple[int, int], gpt: int, claude: int) -> None:
    assert (count_part(image(*size), GPT), count_part(image(*size), CLAUDE)) == (gpt, claude)


def test_an_image_of_unknown_size_costs_the_most() -> None:
    unseen = [Media(media_type="image/png", url="https://example.org/a.png"), Media(media_type="image/png", data="!")]
    assert [count_part(media, CLAUDE) for media in unseen] == [1_600, 1_600]


@pytest.mark.parametrize(("kind", "tokens"), [("application/pdf", 9_000), ("audio/mpeg", 308), ("video/mp4", 384)])
def test_other_media_are_priced_by_their_bytes(kind: str, tokens: int) -> None:
    assert count_part(Media(media_type=kind, data=b64encode(b"\x00" * 153_600).decode()), TEXT) == tokens


def test_media_that_cannot_be_weighed_cost_ten_pages() -> None:
    assert count_part(Media(media_type="application/pdf", url="https://example.org/a.pdf"), TEXT) == 30_000


def jpeg(width: int, height: int) -> bytes:
    preview = b"\xff\xe1" + pack(">H", 502) + b"\x00" * 500
    return b"\xff\xd8" + preview + b"\xff\xc0\x00\x11\x08" + pack(">HH", height, width) + b"\x03" + b"\x00" * 20


@pytest.mark.parametrize(
    "head",
    [
        jpeg(640, 480),
        b"GIF89a" + pack("<HH", 640, 480) + b"\x00" * 20,
        b"RIFF\x00\x00\x00\x00WEBPVP8X" + b"\x00" * 8 + b"\x7f\x02\x00\xdf\x01\x00" + b"\x00" * 6,
        b"RIFF\x00\x00\x00\x00WEBPVP8 " + b"\x00" * 10 + pack("<HH", 640, 480) + b"\x00" * 6,
        b"RIFF\x00\x00\x00\x00WEBPVP8L" + b"\x00" * 5 + pack("<I", 639 | 479 << 14) + b"\x00" * 6,
    ],
    ids=["jpeg", "gif", "webp", "webp lossy", "webp lossless"],
)
def test_the_first_bytes_tell_the_size(head: bytes) -> None:
    assert pixels(b64encode(head).decode()) == (640, 480)


@pytest.mark.parametrize("data", ["", "!!!!", "AAAA", b64encode(b"\xff\xd8\xff\xe1\x00\x00").decode(), png(1, 1)[:20]])
def test_bytes_that_do_not_tell_give_no_size(data: str) -> None:
    assert pixels(data) is None
