"""Chunks of LangChain."""

from __future__ import annotations

from typing import Any

from clew.codecs.frameworks.langchain import read_message
from clew.codecs.streams.langchain import LangChainStream
from clew.domain import Call, Reasoning, Text, Usage


def chunk(content: Any = "", **more: Any) -> dict[str, Any]:
    return {"type": "AIMessageChunk", "id": "run-1", "content": content, **more}


def call(args: str, **more: Any) -> dict[str, Any]:
    return chunk(tool_call_chunks=[{"args": args, "index": 0, "type": "tool_call_chunk", **more}])


def streamed(*chunks: dict[str, Any]) -> LangChainStream:
    stream = LangChainStream()
    for one in chunks:
        assert stream.tells(one)
        stream.feed(one)
    return stream


def test_texts_and_calls_grow_and_usage_adds_up() -> None:
    counts = {"input_tokens": 7, "output_tokens": 0, "input_token_details": {"cache_read": 3}}
    more = {"input_tokens": 0, "output_tokens": 5}
    last = chunk(usage_metadata=more, response_metadata={"stop_reason": "tool_use"}, chunk_position="last")
    begun = call('{"a"', name="look", id="c1")
    stream = streamed(chunk("Hel", usage_metadata=counts), chunk("lo."), begun, call(": 1}"), last)
    message = read_message(stream.response() or {})
    assert message.parts == (Text(text="Hello."), Call(id="c1", name="look", arguments={"a": 1}))
    assert (message.usage, message.stop_reason, message.interrupted) == (Usage(7, 5, 3), "tool_use", False)


def test_blocks_grow_by_their_index() -> None:
    thought = (
        [{"type": "reasoning", "reasoning": "H", "index": 0}],
        [{"type": "reasoning", "reasoning": "m.", "index": 0}],
    )
    said = [{"type": "text", "text": "S", "index": 1}], [{"type": "text", "text": "o.", "index": 1}]
    parts = read_message(streamed(*map(chunk, (*thought, *said))).response() or {}).parts
    assert [(type(part), part.text) for part in parts] == [(Reasoning, "Hm."), (Text, "So.")]  # type: ignore[attr-defined]


def test_a_stream_that_breaks_off_keeps_what_came_and_no_half_call() -> None:
    stream = streamed(chunk("Let me"), call('{"a"', name="look", id="c1"))
    message = read_message(stream.response() or {})
    assert (message.parts, message.interrupted, stream.is_complete) == ((Text(text="Let me"),), True, False)
    assert streamed(chunk("")).response() is None


def test_odd_chunks_do_not_raise() -> None:
    odd = chunk(None, tool_call_chunks=[3, None], usage_metadata={"input_tokens": {"a": 1}}, additional_kwargs=7)
    stream = streamed(odd, chunk("Fine.", usage_metadata={"input_tokens": 2}))
    assert read_message(stream.response() or {}).parts == (Text(text="Fine."),)
