from __future__ import annotations

from typing import Any

import pytest

from clew.hooks.client_setup.json_text import created_paths, with_entries, without_entries
from clew.hooks.client_setup.jsonc import parse

HOOK = {"hooks": [{"type": "command", "command": "clew hook claude-code PreCompact"}]}
SERVER = {"command": "clew", "args": ["mcp"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "mcpServers": {\n    "clew": {\n      "command": "clew"\n    }\n  }\n}'),
        ("{ }\n", '{\n  "mcpServers": {\n    "clew": {\n      "command": "clew"\n    }\n  }\n }\n'),
        (
            '{ // me\n    "a": 1\n}',
            '{ // me\n    "mcpServers": {\n      "clew": {\n        "command": "clew"\n      }\n    },\n    "a": 1\n}',
        ),
        ('{"a": 1}', '{"mcpServers": { "clew": { "command": "clew" } }, "a": 1}'),
        (
            '{\r\n\t"mcpServers": {\r\n\t\t"x": {}\r\n\t}\r\n}',
            '{\r\n\t"mcpServers": {\r\n\t\t"clew": {\r\n\t\t  "command": "clew"\r\n\t\t},\r\n\t\t"x": {}\r\n\t}\r\n}',
        ),
        ("", '{\n  "mcpServers": {\n    "clew": {\n      "command": "clew"\n    }\n  }\n}\n'),
    ],
)
def test_entries_go_in_as_the_file_is_written(before: str, after: str) -> None:
    text, pieces = with_entries(before, {"mcpServers": {"clew": {"command": "clew"}}})
    assert text == after
    assert len(pieces) == 1
    assert text.replace(pieces[0], "") == before


def test_a_list_gets_an_element_beside_those_of_the_user() -> None:
    text, _ = with_entries('{"hooks": {"PreCompact": [{"hooks": []}]}}', {"hooks": {"PreCompact": [HOOK]}})
    assert parse(text).value == {"hooks": {"PreCompact": [HOOK, {"hooks": []}]}}


def test_what_is_there_already_is_not_put_in_again() -> None:
    once, _ = with_entries("{}", {"hooks": {"PreCompact": [HOOK]}, "mcpServers": {"clew": SERVER}})
    assert with_entries(once, {"hooks": {"PreCompact": [HOOK]}, "mcpServers": {"clew": SERVER}}) == (once, [])


def test_a_value_of_the_user_under_our_name_stays_as_it_is() -> None:
    text = '{"mcpServers": {"clew": {"command": "other"}}}'
    assert with_entries(text, {"mcpServers": {"clew": SERVER}}) == (text, [])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"a": 1, "mcpServers": {"x": {}, "clew": {"args": ["mcp"], "command": "clew", "env": {}}}}', {"a": 1}),
        ('{\n // mine\n "mcpServers": {"clew": {"command":"clew","args":["mcp"]}, "x": {}} // end\n}', {}),
        ('{"mcpServers": {"x": {}, "clew": {"command":"clew","args":["mcp"]},}}', {}),
    ],
)
def test_entries_are_found_however_they_are_written_now(text: str, left: dict[str, Any]) -> None:
    found = without_entries(text, {"mcpServers": {"clew": SERVER}}, [["mcpServers"]])
    assert parse(found).value == left | {"mcpServers": {"x": {}}}


@pytest.mark.parametrize("text", ['{"mcpServers": {"clew": %s}}', '{"a": 1,\n "mcpServers": {\n "clew": %s,\n },}'])
def test_containers_of_ours_go_when_nothing_else_is_left_in_them(text: str) -> None:
    text %= '{"command": "clew", "args": ["mcp"]}'
    assert "mcpServers" not in parse(without_entries(text, {"mcpServers": {"clew": SERVER}}, [["mcpServers"]])).value
    assert parse(without_entries(text, {"mcpServers": {"clew": SERVER}}, [])).value["mcpServers"] == {}


def test_entries_of_others_are_not_ours() -> None:
    text = '{"mcpServers": {"clew": {"command": "theirs", "args": ["mcp"]}}}'
    assert without_entries(text, {"mcpServers": {"clew": SERVER}}, [["mcpServers"]]) == text


def test_the_containers_that_have_to_be_made_are_known() -> None:
    entries = {"hooks": {"PreCompact": [HOOK]}, "mcpServers": {"clew": SERVER}}
    assert created_paths('{"hooks": {}}', entries) == [["hooks", "PreCompact"], ["mcpServers"]]
    assert created_paths("", {"mcpServers": {"clew": SERVER}}) == [["mcpServers"]]
