"""O4 to O8 beyond their first example."""

from __future__ import annotations

from typing import Any

import pytest

from clew.rules import check, repair
from tests.unit.rules.rule_examples import calls, messages, says, tool


def found(request: dict[str, Any]) -> list[tuple[str, int]]:
    return [(finding.rule, finding.at) for finding in check(request, "openai-chat")]


def repaired(request: dict[str, Any]) -> dict[str, Any]:
    after = repair(request, "openai-chat")[0]
    assert found(after) == []
    return after


def test_empty_arrays_are_dropped() -> None:
    request = messages(says("user"), says("assistant", tool_calls=[]), tools=[])
    assert found(request) == [("O4", -1), ("O4", 1)]
    assert repaired(request) == messages(says("user"), says("assistant"))


def test_a_reply_with_nothing_but_empty_calls_goes() -> None:
    request = messages(says("user"), says("assistant", None, tool_calls=[]), says("user", "on"))
    assert found(request) == [("O4", 1), ("O6", 1)]
    assert repaired(request) == messages(says("user"), says("user", "on"))


def test_an_empty_string_is_a_content_and_null_is_none() -> None:
    assert found(messages(says("user", ""))) == []
    assert found(messages(says("user", None))) == [("O6", 0)]
    assert found(messages(says("user"), calls("c1"), tool("c1") | {"content": None})) == [("O6", 2)]


def test_a_tools_answer_without_content_stays_with_its_call() -> None:
    request = messages(says("user"), calls("c1"), tool("c1") | {"content": None})
    assert repaired(request)["messages"][2] == {"role": "tool", "tool_call_id": "c1", "content": ""}


@pytest.mark.parametrize(("role", "becomes"), [("ai", "assistant"), ("model", "assistant"), ("human", "user")])
def test_an_unknown_role_becomes_the_side_it_meant(role: str, becomes: str) -> None:
    request = messages(says("user"), says(role))
    assert found(request) == [("O7", 1)]
    assert repaired(request)["messages"][1] == says(becomes)


def test_parts_of_another_format_become_text_and_words_are_kept() -> None:
    odd = [{"type": "redacted_thinking", "data": "hm"}, {"type": "output_text", "text": "hi"}, "bare"]
    request = messages(says("user"), {"role": "assistant", "content": odd})
    assert found(request) == [("O8", 1)] * 3
    texts = [part["text"] for part in repaired(request)["messages"][1]["content"]]
    assert texts == ["[redacted_thinking block: not shown here]", "hi", "bare"]


@pytest.mark.parametrize("kind", ["video_url", "audio_url", "document_url", "thinking"])
def test_parts_that_only_some_servers_know_are_left_alone(kind: str) -> None:
    part = {"type": kind, kind: [{"type": "text", "text": "hm"}]}
    request = messages(says("user"), {"role": "assistant", "content": [part]})
    assert (found(request), repaired(request)) == ([], request)


def test_arguments_that_are_no_string_are_written_as_one() -> None:
    call = {"id": "c1", "function": {"name": "read", "arguments": {"path": "a"}}}
    request = messages(says("user"), {"role": "assistant", "content": None, "tool_calls": [call]}, tool("c1"))
    assert found(request) == [("O8", 1)]
    function = {"name": "read", "arguments": '{"path":"a"}'}
    assert repaired(request)["messages"][1]["tool_calls"] == [{"id": "c1", "type": "function", "function": function}]


def test_a_call_without_a_name_is_named_in_words() -> None:
    call = {"id": "c1", "type": "function", "function": {}}
    request = messages(says("user"), says("assistant", "so", tool_calls=[call]))
    assert found(request) == [("O8", 1)]
    assert repaired(request)["messages"][1] == {
        "role": "assistant",
        "content": [{"type": "text", "text": "so"}, {"type": "text", "text": "[function block: not shown here]"}],
    }
