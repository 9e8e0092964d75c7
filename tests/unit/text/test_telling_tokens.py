"""The tokens by which two texts are seen to say the same."""

from __future__ import annotations

import pytest

from clew.text.telling_tokens import DIGIT, ID, NAME, NUMBER, WORD, telling_tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("commit 1a2b3c4d5e6f", {"commit": WORD, "1a2b3c4": ID}),
        ("PR #302", {"302": ID}),
        ("ENT-241", {"ent-241": ID}),
        ("src/shop/cart.py:142", {"cart.py": NAME, "142": NUMBER}),
        ("parseCart returned 3", {"parsecart": NAME, "return": WORD, "3": DIGIT}),
        ("the tests in it", {"test": WORD}),
        ("pytest (m12)", {"pytest": WORD}),
    ],
)
def test_ids_numbers_names_and_words_are_told_apart(text: str, expected: dict[str, float]) -> None:
    assert telling_tokens(text) == expected
