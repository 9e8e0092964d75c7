"""What the Messages API does in special cases."""

from __future__ import annotations

from clew.codecs.streams.anthropic import AnthropicStream
from clew.domain import Json

START: Json = {"type": "message_start", "message": {"id": "m", "role": "assistant", "type": "message", "content": []}}
END: Json = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}}


def block(at: int, first: Json, *deltas: Json, stop: bool = True) -> list[Json]:
    events: list[Json] = [{"type": "content_block_start", "index": at, "content_block": first}]
    events += ({"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas)
    return events + ([{"type": "content_block_stop", "index": at}] if stop else [])


def response(*events: Json) -> Json:
    stream = AnthropicStream()
    for event in events:
        stream.feed(event)
    return stream.response() or {}


def test_arguments_that_are_no_json_are_kept_as_the_documentation_says() -> None:
    call = {"type": "tool_use", "id": "t", "name": "read", "input": {}}
    found = response(START, *block(0, call, {"type": "input_json_delta", "partial_json": '{"path": '}), END)
    assert found["content"] == [call | {"input": {"INVALID_JSON": '{"path": '}}]


def test_blocks_of_kinds_that_are_not_known_yet_grow_by_the_members_their_deltas_name() -> None:
    deltas = [{"type": "compaction_delta", "content": text} for text in ("so ", "far")]
    found = response(START, *block(0, {"type": "compaction", "content": None}, *deltas), END)
    assert found["content"] == [{"type": "compaction", "content": "so far"}]


def test_a_call_of_the_providers_own_tools_is_kept_with_its_result_only() -> None:
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    result = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    said = block(0, {"type": "text", "text": "I search."})
    alone = response(START, *said, *block(1, call))
    assert [one["type"] for one in alone["content"]] == ["text"]
    both = response(START, *said, *block(1, call), *block(2, result))
    assert [one["type"] for one in both["content"]] == ["text", "server_tool_use", "web_search_tool_result"]


def test_half_a_thought_is_kept_aside() -> None:
    thought = block(1, {"type": "thinking", "thinking": "", "signature": ""}, {"thinking": "hm"}, stop=False)
    found = response(START, *block(0, {"type": "text", "text": "Well."}), *thought)
    assert found["interrupted"] is True
    assert found["unfinished"] == [{"type": "thinking", "thinking": "hm", "signature": ""}]
    first = response(START, *thought)
    assert (first["content"], first["unfinished"]) == ([], found["unfinished"])
    assert response(START, *thought[:1]) == {}


def test_an_error_in_the_stream_leaves_it_interrupted() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    assert response(START, *block(0, {"type": "text", "text": "Well"}, stop=False), error)["interrupted"] is True


def test_usage_of_the_end_completes_that_of_the_start() -> None:
    start = START | {"message": START["message"] | {"usage": {"input_tokens": 9, "output_tokens": 1}}}
    late = END | {"usage": {"input_tokens": None, "output_tokens": 3}}
    assert response(start, late)["usage"] == {"input_tokens": 9, "output_tokens": 3}
