"""Relevance: rare words, short messages and good neighbours lift a message."""

from __future__ import annotations

from math import log

import pytest

from clew.ports import Postings
from clew.retrieval.bm25 import K1, NEIGHBOURS, SELF_CONTAINED, B, own_scores, scores_with_neighbours


def order(holders: list[Postings], sizes: list[int]) -> list[int]:
    scores = scores_with_neighbours(own_scores(holders, sizes), sizes)
    return sorted(scores, key=lambda number: (-scores[number], -number))


def apart(*sizes: int) -> list[int]:
    """Sizes of messages 1, 4, 7 … that are nobody's neighbours."""
    return [0, *(one for size in sizes for one in (size, 0, 0))]


def test_nothing_held_is_nothing_found() -> None:
    assert order([], [0, 3, 4]) == []


def test_the_score_is_bm25_with_a_word_counted_once() -> None:
    rarity = log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    length = 1 - B + B * 6 / ((6 + 4 + 2) / 3)
    found = own_scores([Postings("rope", 1, (1,))], apart(6, 4, 2))
    assert found == {1: pytest.approx(rarity * (K1 + 1) / (1 + K1 * length))}


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    assert order([Postings("rare", 1, (1,)), Postings("common", 2, (4, 7))], apart(4, 4, 4)) == [1, 7, 4]


def test_more_of_the_words_weigh_more() -> None:
    holders = [Postings("a", 2, (1, 4)), Postings("b", 2, (4, 7))]
    assert order(holders, apart(4, 4, 4)) == [4, 7, 1]


def test_a_short_message_comes_before_a_long_one() -> None:
    assert order([Postings("rope", 2, (1, 4))], apart(5, 50)) == [1, 4]


def test_what_came_before_a_message_lifts_it_more_than_what_came_after() -> None:
    sizes = [0, 4, 4, 4, 4, 4]
    [score] = own_scores([Postings("rope", 1, (3,))], sizes).values()
    found = scores_with_neighbours({3: score}, sizes)
    assert found == {3: score} | {3 + step: pytest.approx(share * score) for step, share in NEIGHBOURS.items()}
    assert found[4] > found[2] > found[1]


def test_a_long_message_stands_on_its_own() -> None:
    found = scores_with_neighbours({1: 1.0}, [0, 4, 2 * SELF_CONTAINED])
    assert found[2] == pytest.approx(NEIGHBOURS[1] / 2)


def test_what_is_not_to_be_found_is_neither_a_hit_nor_a_neighbour() -> None:
    assert order([Postings("rope", 4, (1, 2, 9))], [0, 4, 0]) == [1]
