"""Prose is cut into sentences, and nothing else is."""

from __future__ import annotations

import pytest

from clew.text.sentences import sentences, spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix it. Then run the tests!", ("Fix it.", "Then run the tests!")),
        ("Look at src/a.py. It reads v1.2.", ("Look at src/a.py.", "It reads v1.2.")),
        ("See https://a.example/b?c=d. Done", ("See https://a.example/b?c=d.", "Done")),
        ("Use a list, e.g. this one, i.e. no set.", ("Use a list, e.g. this one, i.e. no set.",)),
        ("Is it No. 4? no. Right.", ("Is it No. 4?", "no.", "Right.")),
        ("J. Smith et al. said so etc. and left.", ("J. Smith et al. said so etc. and left.",)),
        ("wait... maybe not. ok", ("wait... maybe not.", "ok")),
        ("Call `a. b` now. Then stop", ("Call `a. b` now.", "Then stop")),
        ("你好。再见！ok", ("你好。", "再见！", "ok")),
        ("one line\nthat goes on.", ("one line that goes on.",)),
        ("", ()),
        (" \n--- \n***\n", ()),
    ],
)
def test_a_dot_ends_a_sentence_only_where_a_sentence_ends(text: str, expected: tuple[str, ...]) -> None:
    assert sentences(text) == expected


def test_items_headings_and_rows_are_sentences_of_their_own() -> None:
    text = (
        "# The plan\nWe do:\n- first. And more\n- [ ] second\n2) third\n> quoted\n| a | b |\n|---|---|\n| c | d |\nEnd"
    )
    assert sentences(text) == (
        "The plan",
        "We do:",
        "first.",
        "And more",
        "second",
        "third",
        "quoted",
        "| a | b |",
        "| c | d |",
        "End",
    )


def test_code_blocks_are_no_prose() -> None:
    assert sentences("Before.\n```py\nx = 1. \n- no\n```\nAfter.\n~~~\nunclosed.") == ("Before.", "After.")


def test_spans_point_at_what_they_found() -> None:
    text = "  - One. Two?\n\nThree"
    assert [text[start:end] for start, end in spans(text)] == ["One.", "Two?", "Three"]


@pytest.mark.parametrize("piece", [".", "a. ", "`", "`a. ", "- ", "\n", "```\n", "a", "(a.) ", "# a\n"])
def test_hostile_text_is_read_to_its_end(piece: str) -> None:
    assert len(sentences(piece * 20_000)) <= 20_000
