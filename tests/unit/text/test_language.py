"""The script and the language of a text are told where they are sure."""

from __future__ import annotations

import pytest

from clew.text.language import LANGUAGES, clear_language, detect_language, main_script
from tests.unit.text.languages import CHINESE, ENGLISH, FRENCH, GERMAN, JAPANESE, RUSSIAN, SPANISH


@pytest.mark.parametrize(
    ("text", "name"),
    [(ENGLISH, "english"), (GERMAN, "german"), (FRENCH, "french"), (SPANISH, "spanish"), ("parse_rows csv", "")],
)
def test_the_language_is_known_by_its_common_words(text: str, name: str) -> None:
    assert clear_language(text.casefold().split()) == name


@pytest.mark.parametrize(("text", "name"), [(CHINESE, "han"), (RUSSIAN, "cyrillic"), (ENGLISH, "latin"), ("ok", "")])
def test_the_script_is_known_by_its_letters(text: str, name: str) -> None:
    assert main_script(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (ENGLISH, "english"),
        (GERMAN, "german"),
        (FRENCH, "french"),
        (SPANISH, "spanish"),
        (CHINESE, "chinese"),
        (JAPANESE, "japanese"),
        (RUSSIAN, "russian"),
    ],
)
def test_a_short_text_is_known_by_its_letters_or_its_words(text: str, name: str) -> None:
    assert detect_language(text) == (name, True)
    assert name in LANGUAGES


@pytest.mark.parametrize("text", ["", "Thanks!", "`der die das und` src/ist/nicht.py " * 5])
def test_code_and_too_little_text_are_of_no_language(text: str) -> None:
    assert detect_language(text) == ("", False)
