"""Features of lines: equal words have equal numbers, names are known by their form, tokens are about right."""

from __future__ import annotations

import pytest

from clew.packing.features import FeatureTable, estimate_word_tokens


def test_lines_share_the_features_of_the_words_they_share() -> None:
    table = FeatureTable()
    first, second = table.features_of("open the door"), table.features_of("close the door")
    assert len(set(first.grams) & set(second.grams)) == len(["the", "door", "the door"])


def test_a_word_counts_once_for_a_line() -> None:
    grams = FeatureTable().features_of("no no no").grams
    assert len(grams) == len(set(grams)) == len(["no", "no no"])


def test_names_are_known_by_their_form() -> None:
    line = (
        "parse_header and HeaderParser in src/net/header.go, since 3f9a1c2d7 (was maxSize); nothing else, e.g. deadbeef"
    )
    assert FeatureTable().features_of(line).names == (
        "parse_header",
        "HeaderParser",
        "3f9a1c2d7",
        "maxSize",
        "header.go",
    )


def test_words_of_every_program_are_no_names() -> None:
    assert FeatureTable().names_in("file_path old_string TypeScript") == []


def test_what_is_too_long_is_data() -> None:
    assert FeatureTable().names_in("aB" * 200) == []


def test_a_feature_never_weighs_more_than_certainty() -> None:
    table = FeatureTable()
    grams = table.features_of("word").grams
    table.add_weight(grams, 0.5)
    half = table.weights()
    table.add_weight(grams, 7.0)
    assert [weight / 2 for weight in table.weights()] == half


@pytest.mark.parametrize(
    ("word", "tokens"), [("the", 1), ("getUserName", 3), ("user_name", 2), ("20240115", 3), ("=>", 1)]
)
def test_tokens_of_a_word_are_about_right(word: str, tokens: int) -> None:
    assert estimate_word_tokens(word) == pytest.approx(tokens, abs=0.75)
