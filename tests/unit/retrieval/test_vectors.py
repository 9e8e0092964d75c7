"""Vectors: passages, rows, and the nearest of many."""

from __future__ import annotations

from math import cos, sin

import pytest

from clew.retrieval import vectors
from clew.retrieval.vectors import VectorSet, content_digest, passages_of, to_row

pytest.importorskip("numpy")


def filled(**rows: list[list[float]]) -> VectorSet:
    found = VectorSet(2)
    found.put({int(name[1:]): to_row(content_digest(name), row) for name, row in rows.items()})
    return found


def test_passages_are_whole_sentences() -> None:
    text = " ".join(f"Sentence number {number} tells of the harbour." for number in range(40))
    found = passages_of(text)
    assert " ".join(found) == text
    assert all(one.endswith(".") and len(one) <= 500 for one in found)
    assert passages_of(" \n ") == []


def test_a_text_is_as_near_as_its_nearest_passage() -> None:
    near = filled(m1=[[0.0, 1.0]], m2=[[0.0, 1.0], [1.0, 0.0]], m4=[[0.6, 0.8]]).nearness([1.0, 0.0])
    assert near is not None
    assert sorted(near.nearest) == [2, 4]
    assert [near.of(2), near.of(1)] == [1.0, 0.0]
    assert near.of(4) == pytest.approx(0.6, abs=0.01)


def test_what_has_no_vector_is_of_middling_nearness() -> None:
    near = filled(m1=[[0.0, 1.0]], m3=[[1.0, 0.0]]).nearness([1.0, 0.0])
    assert near is not None
    assert 0 < near.of(2) < 1
    assert near.of(99) == near.of(2)
    assert VectorSet(2).nearness([1.0, 0.0]) is None


def test_rows_put_again_replace_and_others_sizes_are_passed_over() -> None:
    found = filled(m1=[[0.0, 1.0]])
    found.put({1: to_row(content_digest("new"), [[1.0, 0.0]]), 2: to_row(content_digest("odd"), [[1.0, 0.0, 0.0]])})
    near = found.nearness([1.0, 0.0])
    assert near is not None
    assert list(near.nearest) == [1]
    assert (near.product(1), near.product(2)) == (1.0, None)


def test_many_are_found_by_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usearch")
    monkeypatch.setattr(vectors, "EXACT", 2)
    near = filled(m1=[[0.0, 1.0]], m2=[[0.8, 0.6]], m3=[[1.0, 0.0]]).nearness([1.0, 0.0])
    assert near is not None
    assert max((near.of(number), number) for number in (1, 2, 3))[1] == 3


def test_what_is_new_is_put_behind_the_rest_and_nothing_is_built_anew() -> None:
    rows = {number: [[cos(number), sin(number)]] * (1 + number % 2) for number in range(1, 40)}
    grown = VectorSet(2)
    for number, vectors_of_text in rows.items():
        grown.put({number: to_row(content_digest(f"half {number}"), [[1.0, 0.0]])})
        grown.put({number: to_row(content_digest(str(number)), vectors_of_text)})
        assert number == 1 or grown._matrix is not None
        assert grown.nearness([0.6, 0.8]) is not None
    grown.put({7: to_row(content_digest("another"), [[0.6, 0.8]])})
    fresh = VectorSet(2)
    fresh.put({number: to_row(content_digest(str(number)), row) for number, row in (rows | {7: [[0.6, 0.8]]}).items()})
    one, other = grown.nearness([0.6, 0.8]), fresh.nearness([0.6, 0.8])
    assert one is not None
    assert other is not None
    assert [one.of(number) for number in range(45)] == [other.of(number) for number in range(45)]
