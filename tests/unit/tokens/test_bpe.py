"""A tokenizer says how it counts."""

from __future__ import annotations

import pytest

from clew.tokens import tokenizer_for


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("text", "by o200k_base"),
        ("gpt-4-0613", "by cl100k_base"),
        ("claude-opus-4-5", "upper estimate for claude-opus-4-5: 1.35 times o200k_base"),
    ],
)
def test_a_count_is_labelled_with_how_it_was_made(model: str, label: str) -> None:
    assert tokenizer_for(model).label == label
