"""A rule is taken back by saying so, and a ban by a permission for good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.signals.critical.candidates import find_candidates
from clew.signals.critical.items import Items, hearing_act
from clew.signals.critical.wordings.revocation import permits
from tests.builders import user


@pytest.mark.parametrize(
    "text",
    [
        "You may push to main now.",
        "You can push to main again.",
        "Pushing to main is allowed from now on.",
        "ok, pushing to main is fine now",
        "Forget the rule about pushing to main.",
        "Pushing to main is no longer forbidden.",
    ],
)
def test_a_permission_for_good_takes_a_ban_back(text: str) -> None:
    assert [(one.lifts, one.subject) for one in find_candidates(user(text))] == [(True, "main push")]


@pytest.mark.parametrize("text", ["You may push now.", "You can run the tests now.", "The build is fine now."])
def test_a_permission_for_once_takes_nothing_back(text: str) -> None:
    assert find_candidates(user(text)) == ()


def test_only_a_ban_is_taken_back_by_a_permission() -> None:
    assert permits("You may push to main now.")
    assert not permits("Forget the rule about pushing to main.")


_RULES = (
    "Always answer in French.",
    "Never push to main.",
    "Use tabs, not spaces, for indentation.",
    "Always run the tests before you commit.",
    "Please don't use emojis in your answers.",
)


def _in_force(*texts: str) -> list[str]:
    items = Items((), 0)
    for number, text in enumerate(texts, 1):
        for candidate in find_candidates(replace(user(text), id=f"m{number}")):
            items.apply(hearing_act(candidate, "person"))
    return [item.text for item in items.in_force()]


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Forget the French thing, you may answer in English again.", 0),
        ("You may answer in English again.", 0),
        ("You can go back to English.", 0),
        ("never mind about French", 0),
        ("OK, drop that French business, English works.", 0),
        ("Let's drop the French stuff, English is fine from here.", 0),
        ("About the French thing: forget it.", 0),
        ("The French rule is off.", 0),
        ("You no longer need to answer in French.", 0),
        ("I don't need French answers anymore.", 0),
        ("Don't worry about French any more.", 0),
        ("You can stop answering in French.", 0),
        ("French is no longer required.", 0),
        ("forget the pushing to main thing", 1),
        ("Scratch the tabs thing.", 2),
        ("You can use spaces again.", 2),
        ("You needn't run the tests before committing any more.", 3),
        ("You no longer have to run the tests before each commit, CI does it.", 3),
        ("Actually, forget that whole emoji idea.", 4),
        ("Emojis are okay again.", 4),
    ],
)
def test_a_rule_that_is_named_loosely_is_taken_back_where_it_is_clear_which(text: str, gone: int) -> None:
    assert _in_force(*_RULES, text) == [rule for at, rule in enumerate(_RULES) if at != gone]


@pytest.mark.parametrize(
    "text",
    [
        "Forget it.",
        "Never mind the failing test, look at the parser.",
        "Forget the tests thing for now.",
        "Do you no longer need to answer in French?",
        "Let's drop the caching idea.",
        "Drop the main table.",
        "You can use that again.",
        "There is no need to rush.",
    ],
)
def test_what_names_no_rule_takes_none_back(text: str) -> None:
    assert _in_force(*_RULES, text) == list(_RULES)


def test_of_two_rules_that_could_be_meant_none_is_taken_back() -> None:
    two = ["Always answer in French.", "Always use French quotes in the docs."]
    assert _in_force(*two, "Forget the French thing.") == two


def test_a_permission_for_another_case_leaves_a_choice_in_force() -> None:
    assert _in_force("Always write the docs in German.", "You may answer in English again.") == [
        "Always write the docs in German."
    ]
