"""Words that say nothing: each purpose has its set, and all of them are built alike."""

from __future__ import annotations

import pytest

from clew.text import stop_words
from clew.text.stop_words import QUERY_STOP_WORDS, RULE_STOP_WORDS, STATEMENT_STOP_WORDS, STOP_WORDS, TOPIC_STOP_WORDS

ALL = [name for name in vars(stop_words) if name.endswith("STOP_WORDS")]


@pytest.mark.parametrize("name", ALL)
def test_stop_words_are_as_they_are_compared(name: str) -> None:
    assert all(word == word.casefold() for word in getattr(stop_words, name))


def test_the_general_sets_share_one_base() -> None:
    assert QUERY_STOP_WORDS & TOPIC_STOP_WORDS & STATEMENT_STOP_WORDS == STOP_WORDS


@pytest.mark.parametrize("word", ["again", "between", "until"])
def test_what_tells_one_rule_from_another_counts_there(word: str) -> None:
    assert word in STOP_WORDS
    assert word not in RULE_STOP_WORDS
