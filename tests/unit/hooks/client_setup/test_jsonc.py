from __future__ import annotations

import json

import pytest

from clew.hooks.client_setup.jsonc import parse

COMMENTED = """\ufeff{
  // about a
  "a": [1, 2.5e3, -1, /* two */ null, true,], "b": {"c": "\\u00e4 // no comment"},
}
"""


def test_comments_and_trailing_commas_are_read_over() -> None:
    assert parse(COMMENTED).value == {"a": [1, 2500.0, -1, None, True], "b": {"c": "ä // no comment"}}


def test_every_value_knows_its_text() -> None:
    root = parse(COMMENTED)
    member = root.get("b")
    assert member
    assert COMMENTED[member.start : member.end] == '"b": {"c": "\\u00e4 // no comment"}'
    assert COMMENTED[member.node.start : member.node.end] == '{"c": "\\u00e4 // no comment"}'


def test_of_two_members_of_one_name_the_last_counts() -> None:
    member = parse('{"a": 1, "a": 2}').get("a")
    assert member
    assert member.node.value == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1', "a comma or } is missing in line 1"),
        ('{"a" 1}', "a colon is missing in line 1, column 6"),
        ("{a: 1}", "a name in quotes is missing"),
        ('{"a": 01}', "01 is no value"),
        ('{"a": tru}', "tru is no value"),
        ('{"a": "x\ny"}', "'\"' was not expected in line 1, column 7"),
        ('{"a": 1}\n}', "more after the end in line 2, column 1"),
        ("[" * 300, "too deeply nested"),
        ("", "a value is missing"),
        ("{'a': 1}", '"\'" was not expected'),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ValueError, match="line") as error:
        parse(text)
    assert said in str(error.value)


def test_plain_json_is_read_as_the_standard_reader_does() -> None:
    value = {"a": [1, -2.5, {"b": [[], {}, '\t"\\ü😀']}], "": None}
    for text in (json.dumps(value), json.dumps(value, indent=4, ensure_ascii=False)):
        assert parse(text).value == value
