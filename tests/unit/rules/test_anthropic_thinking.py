"""A7 to A11 beyond their first example: thinking."""

from __future__ import annotations

from clew.packing.own_request import repair_own_request
from clew.rules import check, repair
from tests.unit.rules.rule_examples import MARK, ON, assistant, messages, result, text, thinking, use, user


def found(request, **terms):
    return [(finding.rule, finding.at, finding.id) for finding in check(request, "anthropic", **terms)]


def repaired(request, **terms):
    return repair(request, "anthropic", **terms)[0]


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


def test_what_a_turn_under_way_needs_depends_on_the_mode_and_on_the_model():
    step = (assistant(use("t1")), user(result("t1")))
    bare, thought = messages(user("go"), *step), messages(user("go"), assistant(thinking(), use("t1")), step[1])
    assert found(bare | {"thinking": ON}) == [("A7", 1, "")]
    assert found(bare | {"thinking": {"type": "adaptive"}}) == []
    assert found(thought | {"thinking": {"type": "disabled"}}) == [("A9", 1, "")]
    unstated = {model: found(thought | {"max_tokens": 9, "model": model}) for model in ("claude-opus-4-5", "house")}
    assert unstated == {"claude-opus-4-5": [("A9", 1, "")], "house": []}
    assert found(thought | {"max_tokens": 9, "model": "claude-opus-5-5"}) == []


def test_words_of_the_user_behind_results_leave_the_turn_open():
    request = messages(user("go"), assistant(use("t1")), user(result("t1")), user("faster"), thinking=ON)
    assert found(request) == [("A7", 1, "")]


def test_a_turn_that_began_without_thinking_is_told_as_text_and_the_mode_stays():
    request = messages(
        user("go"),
        assistant(use("t1")),
        user(result("t1")),
        assistant(thinking(), use("t2")),
        user(result("t2")),
        thinking=ON,
    )
    after, repairs = repair_own_request(request, "anthropic")
    assert (after["thinking"], found(after), [one.rule for one in repairs]) == (ON, [], ["A7"])
    assert [message["role"] for message in after["messages"]] == ["user", "user"]
    assert repair_own_request(after, "anthropic") == (after, ())


def test_a_bare_history_does_not_say_that_thinking_is_off_but_a_whole_request_does():
    history = messages(user("go"), assistant(thinking(), use("t1")), user(result("t1")))
    assert found(history) == []
    assert found(history | {"max_tokens": 100, "model": "claude-opus-4-5"}) == [("A9", 1, "")]


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
