"""A profile lifts the modules that name what its user works with: within bounds, always alike, and said why."""

from __future__ import annotations

import pytest

import clew
from clew.config import Config, CriticalConfig
from clew.domain.modules import Module, Priority
from clew.engine.engine import Engine
from clew.engine.knowledge.profile_lift import profile_words
from tests.builders import says, user

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]

GO = Module(id="zz-go", name="Queues", content="A queue retries each payment.", tags=("go",), category="payments")
JAVA = Module(id="aa-java", name="Queues", content="A queue retries each payment.", tags=("java",), category="payments")
QUERY = "how does the queue retry?"


def order(engine: Engine) -> list[str]:
    return [one.module for one in engine.knowledge.search(QUERY)]


def test_what_the_user_works_with_comes_first_and_says_why(engine: Engine) -> None:
    engine.knowledge.add(GO, JAVA)
    assert order(engine) == ["aa-java", "zz-go"]
    engine.session("s").record([user("I work in Go on the payments team."), says("Good.")])
    assert order(engine) == ["zz-go", "aa-java"]
    assert engine.knowledge.search(QUERY)[0].why == "profile p1: payment, go"


def test_what_the_user_does_not_want_is_not_lifted(engine: Engine) -> None:
    engine.knowledge.add(GO, JAVA)
    engine.profile().set("I work on payments.")
    engine.profile().set("Never show me Java.", kind="constraint")
    found = engine.knowledge.search(QUERY)
    assert [(one.module, one.why) for one in found] == [("zz-go", "profile p1: payment"), ("aa-java", "")]


def test_the_lift_is_bounded() -> None:
    with clew.open(":memory:", person="default") as engine:
        engine.profile().set("I like one two three four five six seven eight.")
        module = Module(id="m", name="M", content="x", tags=("one", "two", "three", "four", "five"))
        assert profile_words(engine.profile().show()).lift(module).factor == 1.25


def test_choices_are_told_apart_clause_by_clause() -> None:
    with clew.open(":memory:", person="default") as engine:
        engine.profile().set("I write Rust rather than Java, and I don't use Windows.")
        words = profile_words(engine.profile().show())
    assert "rust" in words.named
    assert "java" in words.refused
    assert "java" not in words.named


def test_a_scope_that_query_and_profile_name_together_requires_a_module(engine: Engine) -> None:
    engine.knowledge.add(
        Module(id="ship", name="Ship", content="Tag it.", usage_scope="release, go, payments", priority=Priority.HIGH),
        Module(id="rules", name="Rules", content="Never push on Fridays.", usage_scope="always"),
    )
    session = engine.session("s", model="claude-sonnet-5")
    session.record([user("I work in Go on the payments team."), says("Good.")])
    (sources,) = [one.sources for one in session.pack("release it", budget=8_000).sections if one.name == "knowledge"]
    assert sources == ("ship#1", "rules#1")
    other = engine.session("t", user="ben", model="claude-sonnet-5")
    other.record([user("Hello."), says("Hi.")])
    (sources,) = [one.sources for one in other.pack("release it", budget=8_000).sections if one.name == "knowledge"]
    assert sources == ("rules#1",)


def test_without_the_switch_the_profile_lifts_nothing() -> None:
    with clew.open(":memory:", config=Config(critical=CriticalConfig(profile=False)), person="default") as engine:
        engine.knowledge.add(GO, JAVA)
        engine.profile().set("I work in Go.")
        assert order(engine) == ["aa-java", "zz-go"]
