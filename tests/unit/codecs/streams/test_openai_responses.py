"""How a stream of the Responses API ends."""

from __future__ import annotations

from typing import Any

from clew.codecs.streams.openai_responses import OpenAIResponsesStream
from clew.domain import Json
from tests.stream_examples import EXAMPLES, WORDS

EVENTS = EXAMPLES["openai-responses"].events
WHOLE = EXAMPLES["openai-responses"].whole


def response(*events: Json) -> Json:
    stream = OpenAIResponsesStream()
    for event in events:
        stream.feed(event)
    return stream.response() or {}


def test_the_completed_response_is_the_truth() -> None:
    other = WHOLE | {"output": WHOLE["output"][:2]}
    assert response(*EVENTS[:-1], {"type": "response.completed", "response": other}) == other


def test_items_stand_for_the_output_of_a_server_that_sends_none() -> None:
    bare = {name: value for name, value in WHOLE.items() if name != "output"}
    assert response(*EVENTS[:-1], {"type": "response.completed", "response": bare}) == WHOLE


def test_a_response_that_hit_its_limit_is_whole() -> None:
    cut = WHOLE | {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    found = response(*EVENTS[:-1], {"type": "response.incomplete", "response": cut})
    assert found == cut


def test_a_response_that_failed_is_interrupted() -> None:
    failed = WHOLE | {"status": "failed", "output": [], "error": {"code": "server_error", "message": "…"}}
    found = response(*EVENTS[:-1], {"type": "response.failed", "response": failed})
    assert (found["interrupted"], found["status"], found["output"]) == (True, "failed", WHOLE["output"])


def test_words_are_kept_as_far_as_they_came() -> None:
    at = next(at for at, event in enumerate(EVENTS) if event["type"] == "response.output_text.delta")
    found: Any = response(*EVENTS[: at + 2])["output"][-1]
    assert found["status"] == "incomplete"
    assert found["content"] == [{"type": "output_text", "annotations": [], "text": "".join(WORDS[:2])}]
