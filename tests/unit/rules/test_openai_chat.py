"""O1 to O3 beyond their first example."""

from __future__ import annotations

from clew.rules import check, repair
from tests.unit.rules.rule_examples import calls, messages, says, tool


def chat(request, **terms):
    return [(finding.rule, finding.at, finding.id) for finding in check(request, "openai-chat", **terms)]


def test_calls_at_the_end_may_still_be_at_work():
    request = messages(says("user"), calls("c1", "c2"), tool("c1"))
    assert chat(request) == []
    assert chat(request, final=True) == [("O1", 1, "c2")]


def test_any_other_message_between_a_call_and_its_answer_breaks_both_sides():
    request = messages(says("user"), calls("c1"), says("developer"), tool("c1"))
    assert chat(request) == [("O1", 1, "c1"), ("O2", 3, "c1")]


def test_a_call_is_answered_once():
    assert chat(messages(says("user"), calls("c1"), tool("c1"), tool("c1"))) == [("O2", 3, "c1")]


def test_long_ids_that_differ_only_at_the_end_stay_apart():
    long, longer = "c" * 41, "c" * 42
    request = messages(says("user"), calls(long, longer), tool(longer), tool(long))
    after, repairs = repair(request, "openai-chat")
    ids = [made["id"] for made in after["messages"][1]["tool_calls"]]
    assert [len(id) for id in ids] == [40, 40]
    assert [after["messages"][3]["tool_call_id"], after["messages"][2]["tool_call_id"]] == ids
    assert len(repairs) == 2
    assert chat(after) == []
