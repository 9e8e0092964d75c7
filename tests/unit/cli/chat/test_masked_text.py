"""Text that is shown as it comes is what would be shown of the whole, and never holds a secret meanwhile."""

from __future__ import annotations

import pytest

from clew.cli.chat.masked_text import MaskedText
from clew.text.secrets import mask

KEY = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 4 + "-----END PRIVATE KEY-----"
TEXTS = [
    "one two\nthree  four\n\nfive",
    "the key is sk-ant-api03-" + "a1B2" * 12 + " and that is it\nnext line",
    f"before {KEY} after",
    "",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("size", [1, 3, 7, 1_000])
def test_the_pieces_are_the_whole(text: str, size: int) -> None:
    shown = MaskedText()
    pieces = [shown.feed(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join([*pieces, shown.close()]) == mask(text)


def test_words_are_shown_before_their_line_has_ended_and_control_characters_never() -> None:
    shown = MaskedText()
    assert shown.feed("one two thr") == "one two "
    assert "\x1b" not in shown.feed("ee \x1b[31mred ") + shown.close()
