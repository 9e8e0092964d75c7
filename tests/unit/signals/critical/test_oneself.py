"""What people say of themselves, in plain varied words, is heard; what they say of others, or of the moment, is not."""

from __future__ import annotations

import pytest

from clew.domain.critical import Candidate, ItemKind, Scope
from clew.signals.critical.candidates import find_candidates
from tests.builders import user

SAID = """
Hi! My name is Priya and I work in Go on the payments team. Can you look at the retry code?
I'm a data scientist at a hospital, so please keep patient data out of examples. Plot this csv.
I'm colour-blind, red and green look the same to me. Which palette should the chart use?
I live in Lisbon. What time is the meeting if it's 9am in Tokyo?
I usually write Rust but this repo is Python, fix the import please
I don't eat meat and I'm allergic to peanuts. Plan dinners for the week.
English isn't my first language, so use simple words when you explain things to me.
I've been programming for twenty years, you can skip the basics.
My editor is Neovim, my shell is fish. How do I set PATH?
I only have a 2013 laptop with 4 GB of RAM. Which model can I run?
We use Postgres at work and we're not allowed to use cloud services.
As a lawyer I need sources for every claim.
I mostly code in Elixir these days.
I can't use anything GPL at my company.
Our team is four people and we all work remotely.
My wife and I are vegetarians.
I build furniture for a living.
I'm in the UK, so dates go day first.
Please call me Sam.
I love hiking and film photography.
My partner's name is Iris
I'm 34 and left-handed
"""
NOT_SAID = """
My boss says "I am a Java person". What should I answer him?
If I were a vegan, what would I eat in Rome?
Let's play a game: you are a pirate, and I am a captain who hates the navy. Start the story.
Write a cover letter in the voice of a nurse: I am a nurse and I live in Oslo.
My colleague Tom works in Scala and hates tests. How do I convince him?
I'm getting an error when I run make. I'm on line 40 now. I work on the parser right now.
I am trying to fix the login, I want the button blue. I need this by tonight.
I'm not sure whether I live in the right timezone for this, do I prefer UTC?
Imagine I live on Mars and I always use base 12. What is 10+5?
The customer wrote: I am diabetic and I never eat sugar. Draft a reply.
Translate to German: I live in Paris and I love cats.
I have a component that renders twice, and a phone field in the form.
I use the fetch api to load users but get a 401.
I'm a bit confused about the output. My terminal is frozen.
I like the second version better. I love it.
As a user I want to reset my password.
Do you think I'm a good writer?
I'm in the src folder and I run the tests.
My mother is visiting today.
I'm 20 and counting.
"""


def of_user(text: str) -> list[Candidate]:
    return [one for one in find_candidates(user(text)) if one.scope is Scope.USER and not one.doubtful]


@pytest.mark.parametrize("text", SAID.strip().splitlines())
def test_what_people_are_have_and_do_is_heard(text: str) -> None:
    assert of_user(text)


@pytest.mark.parametrize("text", NOT_SAID.strip().splitlines())
def test_what_is_said_of_others_or_of_the_moment_is_not(text: str) -> None:
    assert of_user(text) == []


def test_a_reason_is_of_the_kind_of_what_it_is_given_for() -> None:
    (item,) = of_user("I'm a data scientist at a hospital, so please keep patient data out of examples.")
    assert (item.kind, item.scope) == (ItemKind.CONSTRAINT, Scope.USER)
    assert of_user("I live in Lisbon.")[0].kind is ItemKind.CUSTOM


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("My name is Bob and I live in Oslo.", ["My name is Bob", "I live in Oslo."]),
        ("I'm vegetarian and live in Oslo", ["I'm vegetarian", "I live in Oslo"]),
        ("I love hiking and film photography.", ["I love hiking and film photography."]),
    ],
)
def test_each_fact_is_one_for_itself(text: str, facts: list[str]) -> None:
    assert [one.text for one in of_user(text)] == facts
