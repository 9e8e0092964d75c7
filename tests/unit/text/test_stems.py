"""Forms of one word share a stem, whatever the stems are for; what only looks like an ending stays."""

from __future__ import annotations

import pytest

from clew.text.stems import index_stem, topic_stem, topic_stems


@pytest.mark.parametrize("word", ["string", "status", "need", "bus", "is", "class", "speed", "thing"])
def test_what_only_looks_like_an_ending_stays(word: str) -> None:
    assert index_stem(word) == word


@pytest.mark.parametrize(
    ("one", "other"),
    [("organization", "organize"), ("happily", "happy"), ("running", "runs"), ("user's", "users"), ("Boxes", "box")],
)
def test_telling_tokens_meet_in_whatever_form_a_word_has(one: str, other: str) -> None:
    assert topic_stem(one) == topic_stem(other)


def test_the_stems_of_a_text_leave_out_what_says_nothing() -> None:
    assert list(topic_stems("Please use the parsers’ settings, a to z")) == ["parser", "set"]


@pytest.mark.parametrize(
    ("one", "other"), [("queries", "query"), ("commits", "commit"), ("stopped", "stopping"), ("linting", "linted")]
)
def test_two_rules_share_a_subject_in_any_number_and_tense(one: str, other: str) -> None:
    assert index_stem(one) == index_stem(other)


@pytest.mark.parametrize("word", ["status", "class", "коммиты"])
def test_a_subject_keeps_what_is_no_ending(word: str) -> None:
    assert index_stem(word) == word


@pytest.mark.parametrize("word", ["parser", "commit", "query", "stopp", "box", "tri", "lint", "flow"])
def test_a_word_without_an_ending_is_its_stem(word: str) -> None:
    assert index_stem(word) == word
    assert {index_stem(word + ending) for ending in ("ss", "eed")} == {word + "ss", word + "eed"}
