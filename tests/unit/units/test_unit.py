"""Clipped texts keep whole words, and whole lines where they have many."""

from __future__ import annotations

from clew.units.unit import clip_middle


def test_lines_are_not_welded_together() -> None:
    text = "\n".join(f"def function_{at}(): return {at}" for at in range(40))
    lines = clip_middle(text, 300).split("\n")
    assert "[…]" in lines
    assert set(lines) - {"[…]"} <= set(text.split("\n"))


def test_words_of_one_line_stay_whole() -> None:
    clipped = clip_middle("word " * 100, 60)
    assert set(clipped.split()) == {"word", "[…]"}
