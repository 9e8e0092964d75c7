"""A repeat is one rule, a change of mind leaves a link, a rule taken back is out of force; nothing is forgotten."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain.critical import Candidate, CriticalItem, ItemKind, ItemState, Scope
from clew.signals.critical.candidates import find_candidates
from clew.signals.critical.merge import merge_candidate
from tests.builders import user


def heard(*texts: str) -> list[CriticalItem]:
    """The items after a person said these things, one message each."""
    items: dict[str, CriticalItem] = {}
    for number, text in enumerate(texts, 1):
        for candidate in find_candidates(replace(user(text), id=f"m{number}")):
            items |= {item.id: item for item in merge_candidate(list(items.values()), candidate)}
    return list(items.values())


def told(*texts: str) -> list[tuple[str, str, str]]:
    return [(item.id, item.state.value, item.supersedes) for item in heard(*texts)]


def test_the_first_word_is_pinned_with_its_source() -> None:
    assert heard("Never use tabs.") == [
        CriticalItem(
            id="p1",
            kind=ItemKind.CONSTRAINT,
            text="Never use tabs.",
            source="m1",
            subject="indentation",
            scope=Scope.PROJECT,
        )
    ]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Never push to main.", "Never push to main!"),
        ("Always run the linter before committing.", "Remember to always run the linter before you commit."),
        ("Don't use emojis.", "Please don't use any emojis in your answers."),
        ("Use tabs.", "Always use tabs."),
    ],
)
def test_the_same_rule_in_other_words_is_one_item(first: str, again: str) -> None:
    assert [(item.id, item.text, item.repeats) for item in heard(first, again)] == [("p1", first, ("m2",))]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Use spaces.", "Use tabs."),
        ("Use tabs for indentation.", "Use spaces."),
        ("Keep lines under 80 characters.", "Keep lines under 100 characters."),
        ("Never use semicolons.", "Actually, always use semicolons."),
        ("We've decided to go with Postgres.", "We've decided to switch to MySQL."),
        ("Answer in German.", "From now on, reply in English."),
        ("I like my answers short.", "I want detailed answers from now on."),
        ("I prefer React over Vue.", "I prefer Vue over React."),
        ("Use Postgres, not MySQL.", "We decided to use MySQL."),
    ],
)
def test_a_later_word_takes_the_place_of_an_earlier_one(earlier: str, later: str) -> None:
    assert told(earlier, later) == [("p1", "superseded", ""), ("p2", "pinned", "p1")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always use tabs.", "Use spaces for Python."),
        ("Keep functions short.", "I want detailed answers from now on."),
        ("Use YAML.", "Always validate JSON before saving."),
        ("Always include version numbers when I ask about libraries.", "Always include prices when I ask about books."),
        ("Never push to main.", "Never push on Fridays."),
    ],
)
def test_rules_that_can_both_hold_do(one: str, other: str) -> None:
    assert told(one, other) == [("p1", "pinned", ""), ("p2", "pinned", "")]


@pytest.mark.parametrize(
    ("rule", "word"),
    [
        ("Always use tabs.", "Actually, forget the rule about tabs."),
        ("Never commit without asking me.", "You don't have to ask me before committing any more."),
        ("Don't add comments.", "You can add comments again."),
        ("Use two spaces.", "Never mind the rule about indentation."),
    ],
)
def test_a_rule_can_be_taken_back(rule: str, word: str) -> None:
    (item,) = heard(rule, word)
    assert (item.state, item.ended_in, item.ended_reason) == (ItemState.UNPINNED, "m2", "taken back")


def test_a_word_that_could_mean_several_rules_takes_none_back() -> None:
    assert told("Always ask me before pushing.", "Never push on Fridays.", "Forget the rule about pushing.") == [
        ("p1", "pinned", ""),
        ("p2", "pinned", ""),
    ]


def test_a_rule_said_again_after_it_was_taken_back_is_a_new_one() -> None:
    assert told("Always use tabs.", "Forget the rule about tabs.", "Always use tabs.") == [
        ("p1", "unpinned", ""),
        ("p2", "pinned", ""),
    ]


def test_hearing_a_message_twice_changes_nothing() -> None:
    (candidate,) = find_candidates(replace(user("Never use tabs."), id="m1"))
    (item,) = merge_candidate([], candidate)
    assert merge_candidate([item], candidate) == ()
    assert merge_candidate([replace(item, state=ItemState.UNPINNED)], candidate) == ()


def test_a_doubtful_word_is_proposed_and_supersedes_nothing() -> None:
    assert told("Use spaces.", "Maybe we should always use tabs.") == [("p1", "pinned", ""), ("p2", "proposed", "")]


def test_a_plain_word_settles_what_was_proposed() -> None:
    assert told("Maybe we should always use tabs.", "Always use tabs.") == [("p1", "pinned", "")]


def test_ids_go_on_after_all_that_were_ever_given() -> None:
    known = CriticalItem(
        id="p7", kind=ItemKind.CUSTOM, text="Ship on Friday", source="", subject="", state=ItemState.UNPINNED
    )
    new = Candidate(
        kind=ItemKind.DECISION, text="Use JWT", source="m9", span=(0, 7), scope=Scope.PROJECT, subject="authentication"
    )
    assert [item.id for item in merge_candidate([known], new)] == ["p8"]
