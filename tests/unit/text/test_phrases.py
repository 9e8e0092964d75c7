"""Wordings become patterns that find them in sentences."""

from __future__ import annotations

from clew.text.phrases import any_of, compile_phrases, has_match


def test_one_of_the_wordings_is_found_as_a_whole_word() -> None:
    pattern = any_of("use", "go with")
    assert has_match(pattern, "we go with it")
    assert not has_match(pattern, "it is useful")


def test_phrases_are_found_in_any_case_and_with_either_apostrophe() -> None:
    phrases = compile_phrases(any_of("don't"), any_of("never"))
    assert all(phrases.search(text) for text in ("Don't push", "don’t push", "NEVER push"))
    assert not phrases.search("dont push")
