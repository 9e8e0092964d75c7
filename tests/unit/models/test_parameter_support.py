"""Models that want to be asked differently: learned from one refusal, and remembered."""

from __future__ import annotations

from typing import Any

import pytest

from clew.errors import ModelOverflow, ModelRejected
from clew.ports import ModelRequest
from tests.model_dialects import ANTHROPIC, ASKED, LOCAL, OPENAI, Dialect, model_at
from tests.model_server import FaultyServer, HandRequestClock, answers


def refusal(message: str) -> dict[str, Any]:
    return {"error": {"message": message}}


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != name}


@pytest.mark.parametrize(
    ("dialect", "told"),
    [
        (ANTHROPIC, "`temperature` is deprecated for this model."),
        (OPENAI, "Unsupported value: 'temperature' does not support 0 with this model."),
    ],
)
def test_a_model_that_takes_no_temperature_is_asked_without(
    dialect: Dialect, told: str, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(400, refusal(told)), answers(200, dialect.answer), answers(200, dialect.answer))
    model = model_at(dialect, server, hand, max_retries=0)
    assert [model.ask(ASKED, seconds=30).text for _ in range(2)] == ["Four.", "Four."]
    cold = without(dialect.body, "temperature")
    assert [seen.body for seen in server.requests] == [dialect.body, cold, cold]
    assert hand.waits == []


def test_a_model_that_names_the_limit_otherwise_is_asked_so(server: FaultyServer, hand: HandRequestClock) -> None:
    limit = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    heat = "Unsupported value: 'temperature' does not support 0 with this model."
    server.then(answers(400, refusal(limit)), answers(400, refusal(heat)), answers(200, OPENAI.answer))
    assert model_at(OPENAI, server, hand).ask(ASKED, seconds=30).text == "Four."
    new = {**without(without(OPENAI.body, "max_tokens"), "temperature"), "max_completion_tokens": 64}
    assert server.requests[-1].body == new


@pytest.mark.parametrize("status", [400, 500])
def test_a_model_without_system_prompts_reads_it_before_the_question(
    server: FaultyServer, hand: HandRequestClock, status: int
) -> None:
    server.then(answers(status, refusal("Jinja Exception: System role not supported")), answers(200, LOCAL.answer))
    assert model_at(LOCAL, server, hand).ask(ASKED, seconds=30).text == "Four."
    assert server.requests[-1].body["messages"] == [{"role": "user", "content": "Be brief.\n\nWhat is 2 + 2?"}]


def test_a_model_that_refuses_the_same_thing_again_is_left_alone(server: FaultyServer, hand: HandRequestClock) -> None:
    server.then(*[answers(400, refusal("temperature? never"))] * 2)
    with pytest.raises(ModelRejected):
        model_at(ANTHROPIC, server, hand).ask(ASKED, seconds=30)
    assert len(server.requests) == 2


def test_nothing_is_learned_from_a_request_that_was_too_large(server: FaultyServer, hand: HandRequestClock) -> None:
    told = "'max_tokens' or 'max_completion_tokens' is too large: 64. This model's maximum context length is 60 tokens"
    server.then(answers(400, refusal(told)), answers(200, OPENAI.answer))
    model = model_at(OPENAI, server, hand)
    with pytest.raises(ModelOverflow):
        model.ask(ASKED, seconds=30)
    assert model.ask(ASKED, seconds=30).text == "Four."
    assert server.requests[-1].body == OPENAI.body


def test_a_server_that_drops_most_of_a_question_without_a_word_is_an_overflow(
    server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(200, LOCAL.answer))
    with pytest.raises(ModelOverflow, match="read only 15 tokens of 50009 bytes"):
        model_at(LOCAL, server, hand).ask(ModelRequest("Be brief.", "word " * 10_000, 64), seconds=30)
