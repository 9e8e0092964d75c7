"""A1 to A16 beyond their first example."""

from __future__ import annotations

from clew.rules import OUTSIDE, check, repair
from tests.unit.rules.rule_examples import HOUR, MARK, ON, assistant, messages, png, result, text, thinking, use, user


def found(request, **terms):
    return [(finding.rule, finding.at, finding.id) for finding in check(request, "anthropic", **terms)]


def repaired(request, **terms):
    return repair(request, "anthropic", **terms)[0]


def server_use(id):
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}


def server_result(id):
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": []}


# ── calls and results ────────────────────────────────────────────────────────────────────────────────


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


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────


def test_empty_content_is_a_fault_but_for_the_last_assistant_message():
    assert found(messages({"role": "user", "content": []})) == [("A6", 0, "")]
    assert found(messages(user("go"), {"role": "assistant", "content": []}, user("on"))) == [("A6", 1, "")]
    assert found(messages(user("go"), {"role": "assistant", "content": []})) == []


def test_a_tool_may_say_nothing():
    request = messages(user("go"), assistant(use("t1")), user(result("t1", [text("")])))
    assert found(request) == []
    assert repaired(request) is request


def test_an_empty_system_text_is_told_and_dropped():
    request = messages(user("go"), system=[text("be kind"), text("")])
    assert found(request) == [("A6", OUTSIDE, "")]
    assert repaired(request)["system"] == [text("be kind")]


def test_messages_that_say_nothing_go_and_the_last_one_gets_a_dot():
    assert repaired(messages(user("go"), assistant(" "), user("on"))) == messages(user("go"), user("on"))
    assert repaired(messages(user(" "))) == messages(user("."))


# ── thinking ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_turn_may_think_once_and_then_call_several_times():
    steps = (
        assistant(thinking(), use("t1")),
        user(result("t1")),
        assistant(use("t2")),
        user(result("t2")),
    )
    assert found(messages(user("go"), *steps, thinking=ON)) == []


def test_a_new_request_of_the_user_needs_no_thinking_before_it():
    assert found(messages(user("go"), assistant("gone"), user("on"), thinking={"type": "adaptive"})) == []


def test_a_turn_that_began_without_thinking_goes_on_with_thinking_off():
    request = messages(
        user("go"),
        assistant(use("t1")),
        user(result("t1")),
        assistant(thinking(), use("t2")),
        user(result("t2")),
        thinking=ON,
    )
    after = repaired(request)
    assert after["thinking"] == {"type": "disabled"}
    assert after["messages"][3] == assistant(use("t2"))
    assert found(after) == []


def test_a_bare_history_does_not_say_that_thinking_is_off_but_a_whole_request_does():
    history = messages(user("go"), assistant(thinking(), use("t1")), user(result("t1")))
    assert found(history) == []
    assert found(history | {"max_tokens": 100}) == [("A9", 1, "")]


def test_a_cache_mark_on_thinking_is_told_and_taken_off():
    request = messages(user("go"), assistant(thinking(**MARK), text("so")), user("on"))
    assert found(request) == [("A8", 1, "")]
    assert repaired(request) == messages(user("go"), assistant(thinking(), text("so")), user("on"))


def test_two_messages_that_think_the_same_are_not_taken_for_one():
    previous = messages(user("go"), assistant(thinking("hm", "s1"), use("t1")), user(result("t1")))
    request = messages(*previous["messages"], assistant(thinking("hm", "s2"), use("t2")), user(result("t2")))
    assert found(request, previous=previous) == []


def test_another_signature_under_the_same_words_is_told():
    previous = messages(user("go"), assistant(thinking("hm", "s1"), text("so")))
    request = messages(user("go"), assistant(thinking("hm", "s2"), text("so")), user("on"))
    assert found(request, previous=previous) == [("A8", 1, "")]


def test_thinking_may_leave_whole_and_earlier_thinking_may_leave_too():
    previous = messages(user("go"), assistant(thinking(), text("so")), user("on"), assistant(thinking(), use("t1")))
    request = messages(user("go"), assistant(text("so")), user("on"), assistant(use("t1")), user(result("t1")))
    assert found(request, previous=previous) == []


def test_thinking_that_the_earlier_request_did_not_know_is_not_judged():
    previous = messages(user("go"), model="large")
    request = messages(user("go"), assistant(thinking(), use("t1")), user(result("t1")), model="small")
    assert found(request, previous=previous) == []


def test_all_thinking_after_an_edit_must_go_and_what_stands_before_it_may_stay():
    def talk(second):
        return messages(
            user("go"),
            assistant(thinking("a", "s1"), text("so")),
            user(second),
            assistant(thinking("b", "s2"), text("and")),
            user("on"),
            assistant(thinking("c", "s3"), use("t1")),
            user(result("t1")),
        )

    assert found(talk("edited"), previous=talk("as it was")) == [("A11", 3, ""), ("A11", 5, "")]


def test_a_changed_tool_or_system_prompt_unbinds_all_thinking():
    talk = messages(user("go"), assistant(thinking(), text("so")), user("on"))
    assert found(talk | {"system": "be kind"}, previous=talk) == [("A11", 1, "")]
    assert found(talk | {"tools": [{"name": "read"}]}, previous=talk) == [("A11", 1, "")]


def test_thinking_that_moved_up_is_told_too():
    first, second = assistant(thinking("a", "s1")), assistant(thinking("b", "s2"), text("so"))
    assert found(messages(user("go"), second), previous=messages(user("go"), first, second)) == [("A11", 1, "")]


def test_moving_cache_marks_edits_nothing():
    before = messages(user(text("go", **MARK)), assistant(thinking(), text("so")))
    after = messages(user(text("go")), assistant(thinking(), text("so")), user(text("on", **MARK)))
    assert found(after, previous=before) == []


def test_a_request_that_lets_the_provider_drop_blocks_may_edit():
    asks = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    before = messages(user("go"), assistant(thinking(), text("so")))
    assert (
        found(messages(user("went"), assistant(thinking(), text("so")), user("on"), thinking=asks), previous=before)
        == []
    )


# ── cache marks, roles, media, characters ────────────────────────────────────────────────────────────


def test_an_hour_never_comes_after_five_minutes():
    request = messages(user(text("go", **HOUR)), system=[text("be kind", **MARK)])
    assert found(request) == [("A12", 0, "")]
    assert repaired(request) == messages(user(text("go", **MARK)), system=[text("be kind", **MARK)])
    assert found(messages(user(text("go", **MARK)), system=[text("be kind", **HOUR)])) == []


def test_the_newest_marks_and_those_before_the_messages_are_kept():
    tools = [{"name": name, **MARK} for name in "ab"]
    request = messages(user(*[text(word, **MARK) for word in "cde"]), tools=tools, system=[text("s", **MARK)])
    after = repaired(request)
    assert after == messages(
        user(text("c"), text("d", **MARK), text("e", **MARK)),
        tools=[{"name": "a"}, {"name": "b", **MARK}],
        system=[text("s", **MARK)],
    )
    assert found(after) == []


def test_a_mark_on_the_whole_request_counts_as_one():
    request = messages(user(*[text("x", **MARK)] * 4), **MARK)
    assert found(request) == [("A12", OUTSIDE, "")]
    assert found(repaired(request)) == []


def test_a_property_that_is_called_cache_control_is_no_mark():
    assert found(messages(user("go"), assistant(use("t1", input=MARK)), user(result("t1")))) == []


def test_pending_calls_are_not_talked_over():
    request = messages(user("go"), assistant(use("t1")))
    assert repaired(request, final=True) is request


def test_system_messages_at_the_head_join_the_system_prompt():
    request = messages({"role": "system", "content": "be brief"}, user("go"), system="be kind")
    assert repaired(request) == messages(user("go"), system=[text("be kind"), text("be brief")])


def test_a_system_message_between_a_call_and_its_result_goes_before_the_call():
    request = messages(user("go"), assistant(use("t1")), {"role": "system", "content": "be kind"}, user(result("t1")))
    assert repaired(request) == messages(user("go"), user("be kind"), assistant(use("t1")), user(result("t1")))


def test_a_conversation_that_starts_with_the_assistant_gets_a_user_message_first():
    after = repaired(messages(assistant("gone"), user("on")))
    assert [message["role"] for message in after["messages"]] == ["user", "assistant", "user"]


def test_images_of_a_crowd_must_be_smaller_also_inside_results():
    crowd = [png(10, 10)] * 20
    request = messages(user("go"), assistant(use("t1")), user(result("t1", [png(10, 2001)]), *crowd))
    assert found(request) == [("A15", 2, "")]
    assert found(messages(user("go"), assistant(use("t1")), user(result("t1", [png(10, 2001)]), *crowd[1:]))) == []
    after = repaired(request)
    assert after["messages"][2]["content"][0]["content"][0]["text"].startswith("[image/png, ")
    assert found(after) == []


def test_an_image_of_too_many_bytes_is_named_instead():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * ((5 << 20) + 4)}}
    assert found(messages(user(image))) == [("A15", 0, "")]
    assert repaired(messages(user(image))) == messages(user(text("[image/png, 3,932,163 bytes: not shown here]")))


def test_the_oldest_media_leave_a_body_that_is_too_large():
    def page(letter):
        data = letter * (12 << 20)
        return {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": data}}

    request = messages(user(page("A")), user(page("B")), user(page("C")))
    assert found(request) == [("A15", OUTSIDE, "")]
    after = repaired(request)
    assert after == messages(user(text("[application/pdf, 9,437,184 bytes: not shown here]")), *request["messages"][1:])


def test_half_characters_are_replaced_wherever_they_stand():
    request = messages(
        user("go"), assistant(use("t1", input={"a\ud800": ["\udc00"]})), user(result("t1")), system="\udfff"
    )
    assert found(request) == [("A16", OUTSIDE, ""), ("A16", 1, "")]
    after = repaired(request)
    assert after["system"] == "\ufffd"
    assert after["messages"][1] == assistant(use("t1", input={"a\ufffd": ["\ufffd"]}))


# ── Bedrock ──────────────────────────────────────────────────────────────────────────────────────────


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
