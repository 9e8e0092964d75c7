"""Clipped texts keep whole words, and whole lines where they have many."""

from __future__ import annotations

from clew.units.unit import GAP, clip_middle, indent


def test_lines_are_not_welded_together() -> None:
    text = "\n".join(f"def function_{at}(): return {at}" for at in range(40))
    lines = clip_middle(text, 300).split("\n")
    assert "[…]" in lines
    assert set(lines) - {"[…]"} <= set(text.split("\n"))


def test_words_of_one_line_stay_whole() -> None:
    clipped = clip_middle("word " * 100, 60)
    assert set(clipped.split()) == {"word", "[…]"}


def test_what_was_clipped_before_has_one_mark() -> None:
    once = clip_middle(" ".join(f"tests/part_{at}.py" for at in range(40)), 130)
    for limit in range(40, 120, 5):
        twice = clip_middle(once, limit)
        assert twice.count(GAP) <= 2
        assert f"{GAP} {GAP}" not in twice


def test_blank_lines_take_no_room() -> None:
    assert (
        indent("# Plan\n\n1. Move the berths\n  \n   - to the pier\n")
        == "# Plan\n  1. Move the berths\n     - to the pier"
    )
