"""What holds for every rule, shown on one example each."""

from __future__ import annotations

from copy import deepcopy

import pytest

from clew.errors import UsageError
from clew.rules import PROVIDERS, RULES, check, repair, rules_for
from tests.unit.rules.rule_examples import EXAMPLES

REPAIRABLE = [rule.id for rule in RULES if rule.repair is not None]
COMPARING = {"A8", "A10", "A11", "R4", "R7", "G5"}
#: A response that never came is not made up here; responses that were split are joined (see there).
PARTLY = {"G1"}


def without_previous(terms):
    return {name: value for name, value in terms.items() if name != "previous"}


def test_every_rule_has_an_example_and_an_id_of_its_own():
    assert [rule.id for rule in RULES] == sorted({rule.id for rule in RULES}, key=[r.id for r in RULES].index)
    assert set(EXAMPLES) == {rule.id for rule in RULES}


def test_all_ids_that_users_know_are_there():
    ranges = {"A": 19, "O": 8, "R": 12, "G": 9}
    known = {f"{letter}{number}" for letter, last in ranges.items() for number in range(1, last + 1)}
    assert {rule.id for rule in RULES} == known | {"M1", "M2", "D1", "B1"}


@pytest.mark.parametrize("id", EXAMPLES)
def test_a_broken_request_breaks_this_rule_alone(id):
    example = EXAMPLES[id]
    found = check(example.broken, example.provider, **example.terms)
    assert [(finding.rule, finding.at, finding.id) for finding in found] == [(id, example.at, example.id)]
    assert found[0].message


@pytest.mark.parametrize("id", EXAMPLES)
def test_its_smallest_sound_neighbour_breaks_none(id):
    example = EXAMPLES[id]
    assert check(example.sound, example.provider, **example.terms) == []


@pytest.mark.parametrize("id", sorted(COMPARING))
def test_rules_that_compare_say_nothing_without_an_earlier_request(id):
    example = EXAMPLES[id]
    assert check(example.broken, example.provider) == []


@pytest.mark.parametrize("id", [rule.id for rule in RULES if rule.dialect])
def test_rules_of_a_dialect_say_nothing_unless_it_is_named(id):
    example = EXAMPLES[id]
    assert check(example.broken, example.provider) == []


@pytest.mark.parametrize("id", [id for id in REPAIRABLE if id not in COMPARING | PARTLY])
def test_a_repair_makes_the_broken_request_sound_and_tells_what_it_did(id):
    example = EXAMPLES[id]
    terms = without_previous(example.terms)
    before = deepcopy(example.broken)
    repaired, repairs = repair(example.broken, example.provider, **terms)
    assert check(repaired, example.provider, **terms) == []
    assert {made.rule for made in repairs} == {id}
    assert example.broken == before


@pytest.mark.parametrize("id", EXAMPLES)
def test_a_sound_request_comes_back_as_the_same_object(id):
    example = EXAMPLES[id]
    assert repair(example.sound, example.provider, **without_previous(example.terms)) == (example.sound, ())
    assert repair(example.sound, example.provider)[0] is example.sound or example.terms.get("final")


@pytest.mark.parametrize("id", [rule.id for rule in RULES if rule.repair is None])
def test_what_only_the_history_can_mend_is_left_as_it_is(id):
    example = EXAMPLES[id]
    assert repair(example.broken, example.provider) == (example.broken, ())


def test_an_unknown_provider_or_dialect_is_told_with_what_to_choose():
    with pytest.raises(UsageError, match="anthropic, openai-chat, openai-responses, gemini"):
        check({}, "closedai")
    with pytest.raises(UsageError, match="no dialect 'mistral' of gemini"):
        rules_for("gemini", "mistral")


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "request_body",
    [
        {},
        {"messages": None, "input": None, "contents": None},
        {"messages": "hi", "input": "hi", "contents": "hi"},
        {"messages": [None, 1, "x", []], "input": [None, 1, "x", []], "contents": [None, 1, "x", []]},
    ],
)
def test_what_is_no_conversation_is_judged_without_an_error(provider, request_body):
    check(request_body, provider, final=True, previous=request_body)
    repair(request_body, provider, final=True)
