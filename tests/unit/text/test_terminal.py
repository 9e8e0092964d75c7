"""Nothing that a terminal would obey gets through, and all that is text does."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.terminal import safe


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[38:2::255:0:0mcolon colours\x1b[m", "colon colours"),
        ("\x9b31mred\x9bm", "red"),
        ("\x1b[2J\x1b[Hcleared\x1b[?25l", "cleared"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\a link\x1b]8;;\x1b\\ and on", "a link and on"),
        ("\x1b]52;c;ZXZpbA==\x07clipboard", "clipboard"),
        ("\x9d0;a title\x9ctext", "text"),
        ("\x1bPq#0;2;0;0;0\x1b\\sixel", "sixel"),
        ("\x1b_an application's\x1b\\own", "own"),
        ("\x1b(B\x1b7\x1b8\x1bMcharset and cursor", "charset and cursor"),
        ("\x1b]0;never ended\nnext line", "0;never ended\nnext line"),
        ("\x1b[31", "31"),
        ("end\x1b", "end"),
        ("\x1b\x1b[31mred", "red"),
        ("one\r\ntwo\n", "one\ntwo\n"),
        ("10 %\r20 %", "10 %␍20 %"),
        ("bell\x07 back\x08 nul\x00 del\x7f", "bell␇ back␈ nul␀ del␡"),
        ("c1\x85\x84 gone", "c1 gone"),
        ("if admin\u202e }\u2066 or\u2069", "if admin } or"),
        ("\u200fmarks\u200e of\u061c direction", "marks of direction"),
        ("half \ud83d a character", "half \ufffd a character"),
    ],
)
def test_what_a_terminal_would_obey_is_gone(text: str, shown: str) -> None:
    assert safe(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain\ttext\n",
        "family 👨\u200d👩\u200d👧\u200d👦, flag 🏴\U000e0067\U000e0062\U000e007f, heart ❤\ufe0f",
        "e\u0301 combining, ñ, 漢字, עברית, العربية, नमस्ते",
        "\u200cjoiners\u200d and\u200bblanks\u00a0stay",
        "[31m is text without its escape",
    ],
)
def test_plain_text_comes_back_as_it_is(text: str) -> None:
    assert safe(text) == text


SEQUENCES = st.lists(
    st.one_of(
        st.sampled_from(["\x1b", "\x1b[", "\x1b]", "\x9b", "\x9d", "\x1bP", "\x1b\\", "\x07", "31m", ";", "\r", "\n"]),
        st.characters(),
    )
).map("".join)


@given(SEQUENCES)
def test_no_control_is_left_and_twice_is_once(text: str) -> None:
    shown = safe(text)
    assert not [letter for letter in shown if unicodedata.category(letter) in {"Cc", "Cs"} and letter not in "\n\t"]
    assert not [letter for letter in shown if unicodedata.bidirectional(letter) in {"LRE", "RLE", "PDF", "LRO", "RLO"}]
    assert safe(shown) == shown


def test_a_megabyte_of_broken_sequences_is_read_once() -> None:
    assert safe("\x1b]" * 500_000) == ""
    assert safe("\x1b[" * 500_000) == ""
    assert safe("\x1b]0;" * 250_000) == "0;" * 250_000


@pytest.mark.parametrize("start", ["\x90", "\x9d", "\x9b", "\x1b]", "\x1b[", "\x9d0;"])
def test_a_long_run_of_beginnings_is_read_once(start: str) -> None:
    assert not set(safe(start * 200_000)) & {"\x1b", "\x90", "\x9b", "\x9d"}
