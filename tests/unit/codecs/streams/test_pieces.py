"""Texts that grow."""

from __future__ import annotations

from clew.codecs.streams.pieces import add_piece, as_interrupted, is_interrupted, join_pieces, parse_object
from clew.domain import Json


def test_pieces_are_joined_wherever_they_stand() -> None:
    target: Json = {"text": "a", "inner": [{}]}
    add_piece(target, "text", "b")
    add_piece(target["inner"][0], "new", "c")
    assert join_pieces(target) == {"text": "ab", "inner": [{"new": "c"}]}


def test_only_a_whole_object_is_one() -> None:
    assert parse_object('{"a": 1}') == {"a": 1}
    assert [parse_object(text) for text in ("", '{"a":', "[1]", "1", None)] == [None] * 5


def test_a_response_says_that_it_broke_off() -> None:
    assert as_interrupted({"id": "r"}, [], is_empty=False) == {"id": "r", "interrupted": True}
    assert is_interrupted(as_interrupted({}, [1], is_empty=True) or {})
    assert as_interrupted({"id": "r"}, [], is_empty=True) is None
    assert not is_interrupted({"interrupted": "yes"})
