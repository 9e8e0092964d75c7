"""G1 to G6 beyond their first example."""

from __future__ import annotations

from clew.rules import check, repair
from clew.rules.gemini import UNSIGNED
from tests.unit.rules.rule_examples import called, contents, model, person, responded, said


def found(request, **terms):
    return [(finding.rule, finding.at, finding.id) for finding in check(request, "gemini", **terms)]


def repaired(request, **terms):
    return repair(request, "gemini", **terms)[0]


def test_pending_calls_are_a_fault_only_of_a_final_request():
    request = contents(person(said()), model(called()))
    assert found(request) == []
    assert found(request, final=True) == [("G1", 1, ""), ("G6", 1, "")]
    assert repaired(request, final=True) is request


def test_a_call_that_nobody_answered_is_told():
    assert found(contents(person(said()), model(called()), person(said()))) == [("G1", 1, "")]


def test_responses_that_were_split_are_joined():
    request = contents(
        person(said()), model(called("f1"), called("f2", None)), person(responded("f1")), person(responded("f2"))
    )
    assert found(request) == [("G1", 1, ""), ("G3", 3, "")]
    assert repaired(request) == contents(
        person(said()), model(called("f1"), called("f2", None)), person(responded("f1"), responded("f2"))
    )


def test_calls_that_were_split_are_joined_and_need_one_signature():
    request = contents(
        person(said()), model(called("f1")), model(called("f2", None)), person(responded("f1"), responded("f2"))
    )
    assert found(request) == [("G2", 2, ""), ("G4", 2, "f2")]
    after, repairs = repair(request, "gemini")
    assert after == contents(
        person(said()), model(called("f1"), called("f2", None)), person(responded("f1"), responded("f2"))
    )
    assert [made.rule for made in repairs] == ["G2"]


def test_a_history_that_starts_with_a_call_gets_a_user_turn_first():
    request = contents(model(called()), person(responded()))
    assert found(request) == [("G2", 0, "")]
    after = repaired(request)
    assert [content["role"] for content in after["contents"]] == ["user", "model", "user"]
    assert found(after) == []


def test_each_step_of_the_turn_under_way_is_signed_and_earlier_turns_need_not_be():
    old = (person(said()), model(called("f0", None)), person(responded("f0")), model(said()))
    now = (
        person(said()),
        model(called("f1")),
        person(responded("f1")),
        model(called("f2", None)),
        person(responded("f2")),
    )
    request = contents(*old, *now)
    assert found(request) == [("G4", 7, "f2")]
    after = repaired(request)
    assert after["contents"][7] == model(called("f2", UNSIGNED))
    assert after["contents"][:7] == request["contents"][:7]


def test_a_turn_that_is_over_needs_no_signatures():
    assert found(contents(person(said()), model(called("f1", None)), person(responded("f1")), model(said()))) == []


def test_models_from_before_signatures_need_none():
    request = contents(person(said()), model(called("f1", None)), person(responded("f1")))
    assert found(request | {"model": "models/gemini-2.5-pro"}) == []
    assert found(request | {"model": "gemini-3-pro"}) == [("G4", 1, "f1")]


def test_the_stand_in_is_no_altered_signature():
    previous = contents(person(said()), model(called("f1", "s1")))
    request = contents(person(said()), model(called("f1", UNSIGNED)), person(responded()))
    assert found(request, previous=previous) == []


def test_equal_parts_may_bear_any_of_their_signatures():
    previous = contents(person(said()), model(said("so", thoughtSignature="a"), said("so", thoughtSignature="b")))
    assert found(contents(person(said()), model(said("so", thoughtSignature="b"))), previous=previous) == []
    assert found(contents(person(said()), model(said("so", thoughtSignature="c"))), previous=previous) == [
        ("G5", 1, "")
    ]


def test_other_roles_become_the_ones_that_are_known():
    request = contents(
        {"role": "system", "parts": [said()]}, model(called()), {"role": "function", "parts": [responded()]}
    )
    assert found(request) == [("G6", 0, ""), ("G6", 2, "")]
    assert repaired(request) == contents(person(said()), model(called()), person(responded()))


def test_a_content_without_a_role_is_the_users():
    assert found(contents({"parts": [said()]})) == []


def test_a_final_request_that_ends_with_the_model_is_asked_to_go_on():
    request = contents(person(said()), model(said()))
    assert found(request, final=True) == [("G6", 1, "")]
    assert found(repaired(request, final=True), final=True) == []


def test_the_spelling_with_underscores_is_read_too():
    call = {"function_call": {"name": "read", "args": {}}, "thought_signature": "s1"}
    response = {"function_response": {"name": "read", "response": {}}}
    assert found(contents(person(said()), model(call), person(response))) == []
    assert found(contents(person(said()), model(said()), person(response))) == [("G3", 2, "")]
