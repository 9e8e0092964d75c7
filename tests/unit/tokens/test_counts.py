"""What parts and messages cost."""

from __future__ import annotations

import pytest

from clew.domain import Call, Media, Message, Opaque, Output, Part, Reasoning, Role, Text, Wire
from clew.tokens import count_message, count_part, quick_count, tokenizer_for
from clew.tokens.encodings import count

TEXT = tokenizer_for("text")
CLAUDE = tokenizer_for("claude-opus-4-5")


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


def test_the_quick_estimate_needs_bytes_only() -> None:
    assert [quick_count(text) for text in ("", "a", "abcd", "日本", "\ud800")] == [0, 1, 2, 2, 1]
