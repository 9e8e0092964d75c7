"""Texts are put on one line and cut between words."""

from __future__ import annotations

from clew.text.trim import cut_at_word, one_line, shorten


def test_blanks_and_breaks_become_one_blank() -> None:
    assert one_line("  a\n\tb  c ") == "a b c"


def test_a_text_is_cut_between_words_where_there_are_any() -> None:
    assert cut_at_word("one two three", 9) == "one two"
    assert cut_at_word("one two three", 7) == "one two"
    assert cut_at_word("x" * 20, 8) == "x" * 8
    assert cut_at_word("short", 8) == "short"


def test_a_shortened_text_is_one_line_with_a_mark() -> None:
    assert shorten("one,\ntwo, three", 12) == "one, two…"
    assert shorten("one\ntwo", 8) == "one two"
