"""JSON that is cut off anywhere."""

from __future__ import annotations

import json

import pytest

from clew.codecs.jsonio import parse_truncated
from tests.codec_examples.providers import EXAMPLES, FORMATS


@pytest.mark.parametrize("format", FORMATS)
def test_json_that_is_cut_anywhere_reads_as_far_as_it_goes(format: str) -> None:
    text = json.dumps({"n": -1.5e3, "é\u2028": 'a\\"é\ud83d\ude00', **EXAMPLES[format]})
    whole = text.encode("utf-8")
    assert parse_truncated(whole) == json.loads(whole)
    names = list(json.loads(whole))
    for end in range(1, len(whole), 3):
        found = parse_truncated(whole[:end])
        assert isinstance(found, dict)
        assert list(found)[:-1] == names[: max(len(found) - 1, 0)]


@pytest.mark.parametrize("rest", ['{"b":', "[", '"', ' \n {"b": 1}'])
def test_lines_are_no_json_that_is_cut_off(rest: str) -> None:
    assert parse_truncated(f'{{"a": 1}}\n{rest}'.encode()) is None


def test_a_word_that_was_begun_is_left_out() -> None:
    assert parse_truncated(b'{"a": 1}\ntru') == {"a": 1}
    assert parse_truncated(b'[{"a": 1},\n{"b"') == [{"a": 1}, {"b": None}]
