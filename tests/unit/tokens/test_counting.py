"""What each kind of part costs when it is sent."""

from __future__ import annotations

from base64 import b64encode
from struct import pack

import pytest

from clew.domain import Call, Media, Message, Opaque, Output, Part, Reasoning, Role, Text, Wire
from clew.text.images import pixels
from clew.tokens import count_message, count_part, quick, tokenizer_for
from clew.tokens.encodings import count

TEXT = tokenizer_for("text")
GPT = tokenizer_for("gpt-4o")
CLAUDE = tokenizer_for("claude-opus-4-5")


def png(width: int, height: int) -> str:
    return b64encode(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + pack(">II", width, height) + b"\x00" * 3_000).decode()


def image(width: int, height: int) -> Media:
    return Media(media_type="image/png", data=png(width, height))


@pytest.mark.parametrize(
    ("part", "tokens"),
    [
        (Text(text="hello world"), 2),
        (Text(text=""), 0),
        (Call(id="c1", name="Read", arguments={"path": "a.py"}), count("Read") + count('{"path":"a.py"}')),
        (Call(id="c1", name="patch", arguments="*** Begin"), count("patch") + count("*** Begin")),
        (Call(id="c1", name="big", arguments={"n": 2**70}), count("big") + count(str({"n": 2**70}))),
        (Output(call_id="c1", content=(Text(text="hello world"), Text(text="hello"))), 3),
        (Output(call_id="c1"), 0),
        (Reasoning(text="hello world"), 2),
        (Reasoning(text="hello world", seal="x" * 1_000), 200),
        (Reasoning(seal="x" * 1_001), 201),
        (Opaque(kind="new", wire=Wire("f", {"type": "new", "n": 1})), count('{"type":"new","n":1}')),
        (Opaque(kind="new"), count("new")),
        (Media(media_type="text/plain", data="hello world"), 2),
    ],
)
def test_plain_text_costs_of_each_part(part: Part, tokens: int) -> None:
    assert count_part(part, TEXT) == tokens


def test_the_frame_is_added_for_a_model() -> None:
    call = Call(id="c1", name="Read", arguments={})
    assert count_part(call, CLAUDE) - CLAUDE.count("Read") - CLAUDE.count("{}") == 45
    assert count_part(Output(call_id="c1"), CLAUDE) == 45


def test_a_message_costs_its_parts_and_its_frame() -> None:
    parts = (Text(text="hello world"), Call(id="c1", name="Read", arguments={"path": "a.py"}))
    message = Message(role=Role.ASSISTANT, parts=parts)
    assert count_message(message, TEXT) == sum(count_part(part, TEXT) for part in parts)
    assert count_message(message, CLAUDE) == sum(count_part(part, CLAUDE) for part in parts) + 7


def test_what_a_seal_hides_is_scaled_like_text() -> None:
    assert count_part(Reasoning(seal="x" * 1_000), CLAUDE) == 270


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


def test_the_quick_estimate_needs_bytes_only() -> None:
    assert [quick(text) for text in ("", "a", "abcd", "日本", "\ud800")] == [0, 1, 2, 2, 1]
