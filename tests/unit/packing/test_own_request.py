"""A provider's own request is made valid without losing its settings or its words."""

from __future__ import annotations

from clew import rules
from clew.packing.own_request import repair_own_request

_CALL = {"type": "tool_use", "id": "t1", "name": "web.search", "input": {}}


def test_settings_stay_and_every_repair_is_told() -> None:
    request = {
        "model": "claude-sonnet-5",
        "max_tokens": 100,
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [_CALL]},
            {"role": "model", "content": "well"},
        ],
        "tools": [{"name": "web.search", "input_schema": {"type": "object"}}],
    }
    after, repairs = repair_own_request(request, "anthropic")
    assert rules.check(after, "anthropic") == []
    assert (after["model"], after["max_tokens"]) == ("claude-sonnet-5", 100)
    name = after["tools"][0]["name"]
    assert after["messages"][1]["content"][0]["name"] == name
    assert after["messages"][3] == {"role": "assistant", "content": "well"}
    assert [made.rule for made in repairs] == ["A17", "A19", "call-answered"]


def test_a_valid_request_is_left_alone_though_a_call_is_pending() -> None:
    request = {
        "messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": [_CALL | {"name": "x"}]}]
    }
    assert repair_own_request(request, "anthropic") == (request, ())
    after, _ = repair_own_request(request, "anthropic", final=True)
    assert rules.check(after, "anthropic", final=True) == []


def test_items_of_one_reply_stay_together() -> None:
    calls = [{"type": "function_call", "call_id": f"c{at}", "name": "r", "arguments": "{}"} for at in (1, 2)]
    outputs = [{"type": "function_call_output", "call_id": f"c{at}", "output": "ok"} for at in (1, 2)]
    asked = {"role": "tool", "content": "go"}
    after, _ = repair_own_request({"input": [asked, *calls, *outputs]}, "openai-responses")
    assert after == {"input": [asked | {"role": "user"}, *calls, *outputs]}
