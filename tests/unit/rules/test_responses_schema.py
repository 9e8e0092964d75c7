"""R8 to R11 beyond their first example."""

from __future__ import annotations

from typing import Any

from clew.rules import check, repair
from tests.unit.rules.rule_examples import call, items, message, output


def found(request: dict[str, Any]) -> list[tuple[str, int]]:
    return [(finding.rule, finding.at) for finding in check(request, "openai-responses")]


def repaired(request: dict[str, Any]) -> list[Any]:
    after = repair(request, "openai-responses")[0]
    assert found(after) == []
    return after["input"]


def test_items_and_pieces_of_a_kind_that_no_format_knows_are_left_alone() -> None:
    spoken = message("assistant", content=[{"type": "hologram", "at": None}])
    request = items(message("user"), {"type": "hologram"}, {"type": "hologram_output", "call_id": "c"}, spoken)
    assert (found(request), repaired(request)) == ([], request["input"])


def test_items_of_another_format_become_messages_that_name_them() -> None:
    request = items(message("user"), {"type": "tool_use"}, 7)
    assert found(request) == [("R10", 1), ("R10", 2)]
    _, item, odd = repaired(request)
    assert item == message("assistant", content=[{"type": "output_text", "text": "[tool_use block: not shown here]"}])
    assert odd["role"] == "user"


def test_pieces_of_another_api_keep_their_words() -> None:
    request = items(
        message("user", content=[{"type": "text", "text": "hi"}, {"type": "image_url"}]),
        message("assistant", content=[{"type": "input_text", "text": "so"}]),
    )
    assert found(request) == [("R10", 0), ("R10", 0), ("R10", 1)]
    asked, said = repaired(request)
    assert asked["content"] == [
        {"type": "input_text", "text": "hi"},
        {"type": "input_text", "text": "[image_url block: not shown here]"},
    ]
    assert said["content"] == [{"type": "output_text", "text": "so"}]


def test_a_role_of_the_chat_api_becomes_the_users() -> None:
    (item,) = repaired(items(message("tool")))
    assert item == message("user")


def test_a_call_gets_the_call_id_that_it_is_paired_by_and_arguments_as_a_string() -> None:
    bare = {"type": "function_call", "id": "fc_1", "name": "read", "arguments": {"a": 1}}
    request = items(message("user"), bare, output("fc_1"))
    assert ("R10", 1) in found(request)
    assert repaired(request)[1] == bare | {"call_id": "fc_1", "arguments": '{"a":1}'}


def test_a_message_without_content_gets_an_empty_one() -> None:
    (item,) = repaired(items(message("user", content=None)))
    assert item == message("user", content="")


def test_items_that_the_provider_makes_itself_are_known() -> None:
    own = [{"type": "web_search_call", "id": "ws_1"}, {"type": "compaction", "encrypted_content": "x"}]
    assert found(items(message("user"), *own, call("c1"), output("c1"))) == []
