"""The order of documents by words and meaning."""

from __future__ import annotations

from collections.abc import Mapping

from clew.ports import Postings
from clew.retrieval.document_order import CloseDocuments, RankedDocument, order_documents
from clew.retrieval.fusion import Nearness
from clew.retrieval.vector_rows import NearnessScale

SIZES = [0, 0, 0, 10, 0, 0, 10, 0, 0, 10]


def close(products: Mapping[int, float]) -> CloseDocuments:
    near = Nearness(sorted(products, key=lambda one: -products[one]), lambda _: 0.0, products.get)
    return CloseDocuments(near, NearnessScale(0.2, 0.4))


def order(found: list[RankedDocument]) -> list[int]:
    return [one.number for one in found]


def test_without_vectors_words_decide_and_the_best_has_all_of_the_score() -> None:
    found = order_documents(["oak", "elm"], [Postings("oak", 1, (3,)), Postings("elm", 2, (3, 6))], SIZES)
    assert order(found) == [3, 6]
    assert (found[0].score, found[0].why, found[0].nearness) == (1.0, {"words": 1.0}, None)


def test_meaning_finds_what_has_no_word_of_the_query_and_chance_finds_nothing() -> None:
    found = order_documents(["oak"], [], SIZES, close=close({3: 0.1, 6: 0.5, 9: 0.3}))
    assert order(found) == [6, 9]
    assert [round(one.nearness or 0, 3) for one in found] == [1.5, 0.5]


def test_a_stray_word_counts_for_little_beside_a_meaning_that_fits() -> None:
    words = ["oak", "elm", "ash", "fir", "yew", "box"]
    found = order_documents(words, [Postings("oak", 1, (3,))], SIZES, close=close({3: 0.2, 6: 0.6}))
    assert order(found) == [6, 3]
    assert order(order_documents(words[:1], [Postings("oak", 1, (3,))], SIZES, close=close({3: 0.3, 6: 0.4}))) == [3, 6]


def test_what_has_no_vector_yet_counts_by_its_words() -> None:
    postings = [Postings("oak", 2, (3, 6))]
    [first, second] = order_documents(["oak"], postings, SIZES, close=close({3: 0.25, 9: 0.15}))
    assert (first.number, first.nearness, first.score) == (6, None, 1.0)
    assert (second.number, second.nearness is None) == (3, False)
