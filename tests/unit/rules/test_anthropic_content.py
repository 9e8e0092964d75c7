"""Texts, cache marks, roles and characters of the Messages API, beyond the first example of each rule."""

from __future__ import annotations

from clew.rules import OUTSIDE, check, repair
from tests.unit.rules.rule_examples import HOUR, MARK, assistant, messages, result, text, use, user


def found(request, **terms):
    return [(finding.rule, finding.at, finding.id) for finding in check(request, "anthropic", **terms)]


def repaired(request, **terms):
    return repair(request, "anthropic", **terms)[0]


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


def test_half_characters_are_replaced_wherever_they_stand():
    request = messages(
        user("go"), assistant(use("t1", input={"a\ud800": ["\udc00"]})), user(result("t1")), system="\udfff"
    )
    assert found(request) == [("A16", OUTSIDE, ""), ("A16", 1, "")]
    after = repaired(request)
    assert after["system"] == "\ufffd"
    assert after["messages"][1] == assistant(use("t1", input={"a\ufffd": ["\ufffd"]}))
