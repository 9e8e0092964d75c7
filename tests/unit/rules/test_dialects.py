"""What Mistral, DeepSeek and Bedrock demand, beyond the first example of each rule."""

from __future__ import annotations

from clew.rules import check, repair
from tests.unit.rules.rule_examples import assistant, calls, messages, result, says, tool, use, user


def chat(request, **terms):
    return [(finding.rule, finding.at, finding.id) for finding in check(request, "openai-chat", **terms)]


def test_mistral_ids_are_made_of_the_old_id_alone():
    request = messages(says("user"), calls("call_1"), tool("call_1"))
    longer = messages(*request["messages"], calls("call_2"), tool("call_2"))
    first, _ = repair(request, "openai-chat", dialect="mistral")
    second, _ = repair(longer, "openai-chat", dialect="mistral")
    assert second["messages"][:3] == first["messages"]
    assert chat(second, dialect="mistral") == []


def test_deepseek_wants_reasoning_only_in_exchanges_with_tools():
    plain = messages(says("user"), says("assistant"), says("user"))
    assert chat(plain, dialect="deepseek") == []
    mixed = messages(says("user"), calls("c1", reasoning_content="hm"), tool("c1"), says("assistant"), says("user"))
    assert chat(mixed, dialect="deepseek") == [("D1", 3, "")]


def test_deepseek_without_thinking_wants_none():
    request = messages(says("user"), calls("c1"), tool("c1"))
    assert chat(request | {"thinking": {"type": "disabled"}}, dialect="deepseek") == []
    assert chat(request | {"model": "deepseek-chat"}, dialect="deepseek") == []


def test_bedrock_gets_definitions_of_the_tools_that_were_called():
    request = messages(user("go"), assistant(use("t1")), user(result("t1")))
    after, _ = repair(request, "anthropic", dialect="bedrock")
    assert after["tools"] == [{"name": "read", "input_schema": {"type": "object"}}]


def test_bedrock_in_its_own_shape_gets_a_tool_config():
    call = {"toolUse": {"toolUseId": "t1", "name": "read", "input": {}}}
    request = messages({"role": "user", "content": [{"text": "go"}]}, {"role": "assistant", "content": [call]})
    after, repairs = repair(request, "anthropic", dialect="bedrock")
    spec = {"toolSpec": {"name": "read", "inputSchema": {"json": {"type": "object"}}}}
    assert after == request | {"toolConfig": {"tools": [spec]}}
    assert [made.rule for made in repairs] == ["B1"]
