"""G7 to G9 beyond their first example, and G6 where a history begins with the model."""

from __future__ import annotations

from typing import Any

import pytest

from clew.rules import check, repair
from tests.unit.rules.rule_examples import contents, model, person, said


def found(request: dict[str, Any]) -> list[tuple[str, int]]:
    return [(finding.rule, finding.at) for finding in check(request, "gemini")]


def repaired(request: dict[str, Any]) -> list[Any]:
    after = repair(request, "gemini")[0]
    assert found(after) == []
    return after["contents"]


def test_a_history_that_begins_with_the_model_gets_a_turn_of_the_user_first() -> None:
    request = contents(model(said("hello")), person(said("hi")))
    assert found(request) == [("G6", 0)]
    first, *rest = repaired(request)
    assert first["role"] == "user"
    assert rest == request["contents"]


@pytest.mark.parametrize("parts", [[], None, [said("")], [{}]])
def test_contents_that_say_nothing_are_found_and_dropped(parts: Any) -> None:
    request = contents(person(said()), {"role": "user", "parts": parts})
    assert found(request) == [("G8", 1)]
    assert repaired(request) == [person(said())]


def test_an_empty_text_that_bears_a_signature_is_sound() -> None:
    assert found(contents(person(said()), model(said("", thoughtSignature="s")))) == []


def test_a_chat_history_is_no_gemini_request_and_keeps_its_words() -> None:
    plain = contents({"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"})
    assert found(plain) == [("G8", 0), ("G6", 1), ("G8", 1)]
    assert repaired(plain) == [person(said("hi")), model(said("hello"))]


def test_unknown_parts_become_text_and_words_are_kept() -> None:
    nameless = {"functionCall": {"args": {}}, "thoughtSignature": "s"}
    request = contents(person({"type": "text", "text": "hi"}, {"hologram": 1}), model(nameless))
    assert found(request) == [("G9", 0), ("G9", 0), ("G9", 1)]
    texts = [part["text"] for content in repaired(request) for part in content["parts"]]
    assert texts == ["hi", "[hologram block: not shown here]", "[functionCall block: not shown here]"]


def test_parts_of_a_kind_that_is_not_known_are_left_alone() -> None:
    request = contents(person({"hologram": {"light": 1}}, said("hi")))
    assert (found(request), repaired(request)) == ([], request["contents"])


def test_args_and_responses_that_are_no_objects_are_wrapped() -> None:
    called = {"functionCall": {"name": "f", "args": "ls"}, "thoughtSignature": "s"}
    request = contents(person(said()), model(called), person({"functionResponse": {"name": "f", "response": "a"}}))
    assert found(request) == [("G9", 1), ("G9", 2)]
    _, asked, answered = repaired(request)
    assert asked["parts"][0]["functionCall"]["args"] == {"input": "ls"}
    assert answered["parts"][0]["functionResponse"]["response"] == {"output": "a"}
