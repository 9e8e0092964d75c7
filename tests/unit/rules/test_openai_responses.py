"""R1 to R7 and R12 beyond their first example."""

from __future__ import annotations

from clew.rules import check, repair
from tests.unit.rules.rule_examples import call, items, message, output, reasoning


def responses(request, **terms):
    return [(finding.rule, finding.at, finding.id) for finding in check(request, "openai-responses", **terms)]


def test_a_call_of_the_last_step_may_still_be_at_work():
    request = items(message("user"), call("c1"), call("c2"), output("c1"))
    assert responses(request) == []
    assert responses(request, final=True) == [("R2", 2, "c2")]


def test_a_call_that_an_earlier_step_left_open_is_named():
    request = items(message("user"), call("c1"), call("c2"), output("c2"), call("c3"), output("c3"))
    assert responses(request) == [("R2", 1, "c1")]


def test_an_output_before_its_call_answers_nothing():
    assert responses(items(message("user"), output("c1"), call("c1"), message("user"))) == [
        ("R1", 1, "c1"),
        ("R2", 2, "c1"),
    ]


def test_outputs_answer_calls_of_their_own_kind():
    custom = {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "x"}
    answer = {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"}
    assert responses(items(message("user"), custom, answer, message("user"))) == []
    assert responses(items(message("user"), custom, output("c1"), message("user"))) == [
        ("R2", 1, "c1"),
        ("R1", 2, "c1"),
    ]


def test_what_the_provider_keeps_may_hold_the_call():
    assert responses(items(output("c1"), previous_response_id="resp_1")) == []
    assert responses(items({"type": "item_reference", "id": "fc_1"}, output("c1"))) == []


def test_the_easy_shape_of_messages_is_read_too():
    assert (
        responses(items({"role": "user", "content": "go"}, reasoning(), {"role": "assistant", "content": "so"})) == []
    )
    assert responses(items({"role": "user", "content": "go"}, reasoning(), {"role": "user", "content": "on"})) == [
        ("R3", 1, "rs_1")
    ]
    assert responses({"input": "go"}) == []


def test_reasoning_at_the_end_waits_for_what_follows():
    request = items(message("user"), reasoning("rs_1"), reasoning("rs_2"))
    assert responses(request) == []
    assert responses(request, final=True) == [("R3", 1, "rs_1"), ("R3", 2, "rs_2")]


def test_reasoning_that_nothing_followed_is_dropped():
    request = items(message("user"), reasoning(), message("user"))
    assert repair(request, "openai-responses")[0] == items(message("user"), message("user"))


def test_reasoning_without_its_content_needs_the_store_and_its_item_stands_alone_after():
    request = items(message("user"), reasoning(seal=None), call("c1", id="fc_1"), output("c1"), store=False)
    assert responses(request) == [("R5", 1, "rs_1")]
    assert repair(request, "openai-responses")[0] == items(message("user"), call("c1"), output("c1"), store=False)
    assert responses(request | {"store": True}) == []


def test_foreign_ids_are_left_out_and_reasoning_gets_a_steady_one():
    request = items(message("user"), reasoning("item_1"), call("c1", id="item_2"), output("c1"))
    assert responses(request) == [("R6", 1, "item_1"), ("R6", 2, "item_2")]
    after, _ = repair(request, "openai-responses")
    assert after["input"][2] == call("c1")
    assert after["input"][1]["id"].startswith("rs_")
    assert repair(request, "openai-responses")[0] == after


def test_custom_calls_have_a_prefix_of_their_own():
    custom = {"type": "custom_tool_call", "id": "fc_1", "call_id": "c1", "name": "patch", "input": "x"}
    assert responses(items(message("user"), custom)) == [("R6", 1, "fc_1")]
    assert responses(items(message("user"), custom | {"id": "ctc_1"})) == []


def test_an_item_whose_reasoning_stands_elsewhere_is_without_it():
    previous = items(message("user"), reasoning(), call("c1", id="fc_1"), output("c1"))
    moved = items(message("user"), reasoning(), message("assistant"), call("c1", id="fc_1"), output("c1"))
    assert responses(moved, previous=previous) == [("R4", 3, "fc_1")]
    assert responses(previous, previous=previous) == []


def test_reasoning_and_references_that_come_twice_go_and_what_followed_stands_alone():
    step = [reasoning(), call("c1", id="fc_1"), output("c1")]
    again = [reasoning(), call("c2", id="fc_2"), output("c2")]
    request = items(message("user"), *step, *again, {"type": "item_reference", "id": "rs_1"})
    assert responses(request) == [("R12", 4, "rs_1"), ("R12", 7, "rs_1")]
    after = repair(request, "openai-responses")[0]
    assert after == items(message("user"), *step, call("c2"), output("c2"))
    assert responses(after) == []
