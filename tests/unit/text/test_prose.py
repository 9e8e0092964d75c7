"""Prose comes in pieces that can be quoted alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.text.prose import Block, BlockKind, blocks


def test_a_list_comes_with_the_line_that_leads_to_it() -> None:
    text = "It fails because:\n\n- the lock is held\n  by another\n\n- nobody waits"
    assert list(blocks(text)) == [
        Block(BlockKind.LIST, "- the lock is held\n  by another\n- nobody waits", "It fails because:")
    ]


def test_a_table_comes_with_its_header_and_heading() -> None:
    text = "## Files\n| file | change |\n|---|---|\n| a.py | new |\n\nThat is all."
    assert list(blocks(text)) == [
        Block(BlockKind.TABLE, "| file | change |\n|---|---|\n| a.py | new |", "## Files"),
        Block(BlockKind.PARAGRAPH, "That is all."),
    ]


def test_code_keeps_its_fences_and_blank_lines() -> None:
    text = "Now:\n```go\nx := 1\n\ny := 2\n```\nDone."
    assert [(one.kind, one.whole) for one in blocks(text)] == [
        (BlockKind.CODE, "Now:\n```go\nx := 1\n\ny := 2\n```"),
        (BlockKind.PARAGRAPH, "Done."),
    ]


def test_a_lead_to_nothing_is_a_piece_of_its_own() -> None:
    assert list(blocks("Next, the parser:")) == [Block(BlockKind.PARAGRAPH, "", "Next, the parser:")]


@given(st.text(alphabet=st.sampled_from("ab:-#*`|\n 1."), max_size=120))
def test_no_word_is_lost_and_none_is_said_twice(text: str) -> None:
    joined = "\n".join(one.whole for one in blocks(text))
    assert "".join(joined.split()) == "".join(text.split())
