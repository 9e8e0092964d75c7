"""What the Gemini API does in special cases."""

from __future__ import annotations

from typing import Any

from clew.codecs.streams.gemini import GeminiStream
from clew.domain import Json


def response(*parts: Json, finish: str | None = "STOP") -> Json:
    stream = GeminiStream()
    for part in parts:
        stream.feed({"candidates": [{"content": {"role": "model", "parts": [part]}}]})
    if finish:
        stream.feed({"candidates": [{"finishReason": finish}]})
    return stream.response() or {}


def parts_of(*parts: Json, finish: str | None = "STOP") -> Any:
    return response(*parts, finish=finish)["candidates"][0]["content"]["parts"]


def test_a_text_with_a_signature_is_joined_to_no_other() -> None:
    signed = {"text": "", "thoughtSignature": "c2ln"}
    assert parts_of({"text": "a"}, {"text": "b"}, signed, {"text": "c"}) == [{"text": "ab"}, signed, {"text": "c"}]


def test_thoughts_and_words_are_not_mixed() -> None:
    thought = {"text": "hm", "thought": True}
    assert parts_of(thought, thought, {"text": "a"}) == [{"text": "hmhm", "thought": True}, {"text": "a"}]


def test_calls_that_the_sdk_makes_by_itself_are_told_before_the_answer() -> None:
    call = {"functionCall": {"name": "look", "args": {}}}
    made = [{"role": "model", "parts": [call]}, {"role": "user", "parts": [{"functionResponse": {"name": "look"}}]}]
    stream = GeminiStream()
    stream.feed({"candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": "STOP"}]})
    for text in ("Twelve ", "barrels."):
        candidate = {"content": {"role": "model", "parts": [{"text": text}]}}
        stream.feed({"candidates": [candidate], "automaticFunctionCallingHistory": made})
    assert not stream.is_complete
    stream.feed({"candidates": [{"finishReason": "STOP"}], "automaticFunctionCallingHistory": made})
    answer = {"content": {"role": "model", "parts": [{"text": "Twelve barrels."}]}, "finishReason": "STOP"}
    assert stream.response() == {"candidates": [answer], "automaticFunctionCallingHistory": made}


def test_names_may_come_in_either_spelling() -> None:
    stream = GeminiStream()
    stream.feed({"candidates": [{"finish_reason": "STOP"}], "usage_metadata": {"prompt_token_count": 3}})
    assert stream.is_complete
    assert (stream.response() or {})["usageMetadata"] == {"prompt_token_count": 3}


def test_a_blocked_prompt_leaves_nothing() -> None:
    stream = GeminiStream()
    stream.feed({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}})
    assert stream.response() is None
