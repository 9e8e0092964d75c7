"""Whether somebody speaks in their own person, and what they have one of at a time."""

from __future__ import annotations

import pytest

from clew.signals.critical.own_words import is_of_oneself, is_others_text, own_subject, plays_on


@pytest.mark.parametrize("text", ["Always answer in English.", "Never push to main.", "Use tabs."])
def test_a_rule_for_the_work_speaks_of_nobody(text: str) -> None:
    assert not is_of_oneself(text)


@pytest.mark.parametrize("text", ["never show me Java", "Actually I now prefer spaces.", "I’m deaf", "My os is Arch."])
def test_words_of_oneself(text: str) -> None:
    assert is_of_oneself(text)


def test_a_text_for_others_says_i_of_anybody() -> None:
    assert is_others_text("draft a short reply to the customer")
    assert is_others_text("please translate this")
    assert not is_others_text("i work as a translator")


def test_a_part_is_played_until_somebody_ends_the_game() -> None:
    is_played = plays_on("let's role-play: you are the innkeeper", before=False)
    assert is_played
    assert plays_on("i live on a ship", before=is_played)
    assert not plays_on("ok, end of the game. i live in porto", before=is_played)


def test_a_person_has_one_home_one_name_and_one_editor() -> None:
    assert own_subject("i live in lisbon") == own_subject("i am now based in berlin") == "self:home"
    assert own_subject("call me sam") == own_subject("my name is samuel") == "self:name"
    assert own_subject("my editor is vim") != own_subject("my shell is fish")
    assert own_subject("i am a nurse") == ""
