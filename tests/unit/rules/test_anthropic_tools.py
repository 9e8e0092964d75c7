"""A1 to A5 beyond their first example: calls and results."""

from __future__ import annotations

from clew.rules import check, repair
from tests.unit.rules.rule_examples import assistant, messages, result, text, use, user


def found(request, **terms):
    return [(finding.rule, finding.at, finding.id) for finding in check(request, "anthropic", **terms)]


def repaired(request, **terms):
    return repair(request, "anthropic", **terms)[0]


def server_use(id):
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}


def server_result(id):
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": []}


def test_a_pending_call_at_the_end_is_a_fault_only_of_a_final_request():
    request = messages(user("go"), assistant(use("t1")))
    assert found(request) == []
    assert found(request, final=True) == [("A1", 1, "t1"), ("A13", 1, "")]


def test_a_parallel_call_that_was_left_out_of_the_results_is_named():
    assert found(messages(user("go"), assistant(use("t1"), use("t2")), user(result("t1")))) == [("A1", 1, "t2")]


def test_results_that_come_a_message_late_break_both_sides():
    request = messages(user("go"), assistant(use("t1")), user("wait"), user(result("t1")))
    assert found(request) == [("A1", 1, "t1"), ("A2", 3, "t1")]


def test_a_call_in_a_user_message_and_a_result_in_an_assistant_message_are_refused():
    assert found(messages(user(use("t1")), assistant(result("t1")))) == [("A1", 0, "t1"), ("A2", 1, "t1")]


def test_a_server_tool_is_answered_within_its_turn():
    id = "srvtoolu_1"
    assert found(messages(user("go"), assistant(server_use(id), server_result(id), text("so")), user("on"))) == []
    assert found(messages(user("go"), assistant(server_use(id)), user("on"))) == [("A1", 1, id)]
    assert found(messages(user("go"), assistant(server_result(id)), user("on"))) == [("A2", 1, id)]


def test_a_paused_turn_may_end_with_a_server_tool_at_work():
    assert found(messages(user("go"), assistant(server_use("srvtoolu_1")))) == []


def test_a_server_tool_may_answer_after_the_calls_it_made_of_the_client():
    step = assistant(server_use("srvtoolu_1"), use("t1"))
    assert (
        found(messages(user("go"), step, user(result("t1")), assistant(server_result("srvtoolu_1"), text("so")))) == []
    )


def test_an_id_used_for_two_calls_is_told_at_the_second():
    step = (assistant(use("t1")), user(result("t1")))
    assert found(messages(user("go"), *step, *step)) == [("A3", 3, "t1")]


def test_server_ids_have_a_pattern_of_their_own():
    request = messages(user("go"), assistant(server_use("toolu_1"), server_result("toolu_1")))
    assert found(request) == [("A4", 1, "toolu_1")]
    assert found(repaired(request)) == []


def test_renamed_ids_stay_apart_and_stay_the_same_as_the_conversation_grows():
    def request(*ids):
        steps = [step for id in ids for step in (assistant(use(id)), user(result(id)))]
        return messages(user("go"), *steps)

    short, long = repaired(request("a.b")), repaired(request("a.b", "a:b", "a_b"))
    assert long["messages"][:3] == short["messages"]
    assert len({long["messages"][at]["content"][0]["id"] for at in (1, 3, 5)}) == 3
    assert long["messages"][5]["content"][0]["id"] == "a_b"
    assert found(long) == []


def test_moved_results_keep_their_order_and_so_does_the_rest():
    request = messages(
        user("go"), assistant(use("t1"), use("t2")), user(text("a"), result("t1"), text("b"), result("t2"))
    )
    assert repaired(request)["messages"][2] == user(result("t1"), result("t2"), text("a"), text("b"))
