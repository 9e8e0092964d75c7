"""An answer is in the script and language of the person; where that is not sure, nothing is said."""

from __future__ import annotations

import pytest

from clew.summaries.languages import mismatch
from tests.unit.text.languages import CHINESE, ENGLISH, FRENCH, GERMAN, JAPANESE, RUSSIAN, SPANISH


@pytest.mark.parametrize(
    ("asked", "answer", "reason"),
    [
        (ENGLISH, CHINESE, "it is written in han, not latin script"),
        (CHINESE, ENGLISH, "it is written in latin, not han script"),
        (RUSSIAN, ENGLISH, "it is written in latin, not cyrillic script"),
        (ENGLISH, GERMAN, "it is written in German, not English"),
        (GERMAN, ENGLISH, "it is written in English, not German"),
        (GERMAN, FRENCH, "it is written in French, not German"),
    ],
)
def test_another_language_is_told(asked: str, answer: str, reason: str) -> None:
    assert mismatch(asked, answer) == reason


@pytest.mark.parametrize("text", [ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE, JAPANESE, RUSSIAN])
def test_the_same_language_is_fine_with_code_and_english_headings_in_it(text: str) -> None:
    answer = f"## Overview\n- {text}\n## Codebase status\n- `parse_rows` in src/importer.py, `LIMIT_SECONDS = 7`"
    assert mismatch(text, answer) == ""


@pytest.mark.parametrize("asked", ["", "ok", "fix src/a.py", "yes please", "```\nif x:\n```"])
def test_too_little_to_go_by_is_no_reason(asked: str) -> None:
    assert mismatch(asked, GERMAN) == ""


def test_halves_of_characters_do_no_harm() -> None:
    assert mismatch("\ud800 " + ENGLISH, ENGLISH + "\udfff") == ""
