"""A17 to A19 beyond their first example, and A6 in plain histories."""

from __future__ import annotations

from typing import Any

import pytest

from clew.rules import check, repair
from tests.unit.rules.rule_examples import assistant, messages, result, text, use, user


def found(request: dict[str, Any], **terms: Any) -> list[tuple[str, int]]:
    return [(finding.rule, finding.at) for finding in check(request, "anthropic", **terms)]


def repaired(request: dict[str, Any]) -> dict[str, Any]:
    after = repair(request, "anthropic")[0]
    assert found(after) == []
    return after


@pytest.mark.parametrize("content", ["", " ", "\n\t", None, [], [text("")], [text(" ")]])
def test_a_plain_content_that_says_nothing_is_found_and_dropped(content: Any) -> None:
    request = messages(user("go"), {"role": "user", "content": content})
    assert found(request) == [("A6", 1)]
    assert repaired(request) == messages(user("go"))


def test_a_block_of_another_format_becomes_a_text_that_names_it() -> None:
    request = messages(
        user({"type": "image_url", "image_url": "x"}, {"no": "type"}), assistant(text("so"), "bare words")
    )
    assert found(request) == [("A18", 0), ("A18", 0), ("A18", 1)]
    assert repaired(request) == messages(
        user(text("[image_url block: not shown here]"), text("[no block: not shown here]")),
        assistant(text("so"), text("bare words")),
    )


def test_words_in_another_formats_block_are_kept() -> None:
    request = messages(user({"type": "input_text", "text": "hi"}))
    assert repaired(request) == messages(user(text("hi")))


def test_a_block_of_another_format_inside_a_result_is_named_too() -> None:
    request = messages(user("go"), assistant(use("t1")), user(result("t1", [{"type": "image_url"}])))
    assert found(request) == [("A18", 2)]
    assert repaired(request)["messages"][2]["content"][0]["content"] == [text("[image_url block: not shown here]")]


def test_a_block_of_a_kind_that_no_format_knows_is_left_alone() -> None:
    new = {"type": "hologram", "data": "x", "at": None}
    request = messages(user(new), assistant(new, use("t1")), user(result("t1", [new])))
    assert (found(request), repaired(request)) == ([], request)


def test_blocks_that_the_provider_makes_itself_are_known() -> None:
    own = [
        {"type": "compaction", "content": "…"},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        {"type": "redacted_thinking", "data": "x"},
    ]
    assert found(messages(user("go"), assistant(*own), user("on"))) == []


def test_input_that_is_no_object_is_wrapped_and_a_result_that_is_no_text_is_written_out() -> None:
    request = messages(user("go"), assistant(use("t1", input="ls")), user(result("t1", {"ok": 1})))
    assert found(request) == [("A18", 1), ("A18", 2)]
    after = repaired(request)
    assert after["messages"][1]["content"][0]["input"] == {"input": "ls"}
    assert after["messages"][2]["content"][0]["content"] == '{"ok":1}'


def test_a_call_that_lacks_what_it_needs_is_named() -> None:
    request = messages(user("go"), assistant({"type": "tool_use", "name": "read", "input": {}}), user("on"))
    assert ("A18", 1) in found(request)
    assert repaired(request)["messages"][1] == assistant(text("[tool_use block: not shown here]"))


@pytest.mark.parametrize(
    ("role", "becomes"), [("tool", "user"), ("model", "assistant"), ("ai", "assistant"), (None, "user"), (7, "user")]
)
def test_an_unknown_role_becomes_the_side_it_meant(role: Any, becomes: str) -> None:
    request = messages(user("go"), {"role": role, "content": "well"})
    assert found(request) == [("A19", 1)]
    assert repaired(request)["messages"][1] == {"role": becomes, "content": "well"}


def test_a_developers_words_join_the_system_prompt() -> None:
    request = messages({"role": "developer", "content": "be kind"}, user("go"))
    assert repaired(request) == messages(user("go"), system=[text("be kind")])


def test_bedrocks_own_shape_is_judged_as_such_only_where_it_is_named() -> None:
    request = messages({"role": "user", "content": [{"text": "go"}]})
    assert found(request, dialect="bedrock") == []
    assert found(request) == [("A18", 0)]
