"""Relevance: rare words, short messages and good neighbours lift a message."""

from __future__ import annotations

from math import log

import pytest

from clew.ports import Postings
from clew.retrieval.bm25 import K1, NEIGHBOURS, B, rank_messages


def order(holders: list[Postings], sizes: list[int], limit: int = 10) -> list[int]:
    return [number for number, _ in rank_messages(holders, sizes, limit)]


def apart(*sizes: int) -> list[int]:
    """Sizes of messages 1, 3, 5 … that are nobody's neighbours."""
    return [0, *(size for pair in zip(sizes, [0] * len(sizes), strict=True) for size in pair)]


def test_nothing_held_is_nothing_found() -> None:
    assert rank_messages([], [0, 3, 4], 5) == []


def test_the_score_is_bm25_with_a_word_counted_once() -> None:
    rarity = log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    length = 1 - B + B * 6 / ((6 + 4 + 2) / 3)
    [(number, score)] = rank_messages([Postings("rope", 1, (1,))], apart(6, 4, 2), 5)
    assert (number, score) == (1, pytest.approx(rarity * (K1 + 1) / (1 + K1 * length)))


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    assert order([Postings("rare", 1, (1,)), Postings("common", 2, (3, 5))], apart(4, 4, 4)) == [1, 5, 3]


def test_more_of_the_words_weigh_more() -> None:
    holders = [Postings("a", 2, (1, 3)), Postings("b", 2, (3, 5))]
    assert order(holders, apart(4, 4, 4)) == [3, 5, 1]


def test_a_short_message_comes_before_a_long_one() -> None:
    assert order([Postings("rope", 2, (1, 3))], apart(5, 50)) == [1, 3]


def test_of_equals_the_newest_comes_first() -> None:
    assert order([Postings("rope", 3, (1, 3, 5))], apart(4, 4, 4), limit=2) == [5, 3]


def test_neighbours_are_given_a_share_of_the_score() -> None:
    found = dict(rank_messages([Postings("rope", 1, (2,))], [0, 4, 4, 4, 4], 10))
    assert found == {2: found[2], 1: NEIGHBOURS * found[2], 3: NEIGHBOURS * found[2]}


def test_what_is_not_to_be_found_is_neither_a_hit_nor_a_neighbour() -> None:
    assert order([Postings("rope", 4, (1, 2, 9))], [0, 4, 0, 4]) == [1]
