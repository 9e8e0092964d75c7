"""What servers that speak the Chat API do in special cases."""

from __future__ import annotations

from typing import Any

from clew.codecs.streams.openai_chat import OpenAIChatStream
from clew.domain import Json


def response(*deltas: Json, finish: str | None = "stop") -> Json:
    stream = OpenAIChatStream()
    for delta in deltas:
        stream.feed({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]})
    if finish:
        stream.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return stream.response() or {}


def message(*deltas: Json, finish: str | None = "stop") -> Any:
    return response(*deltas, finish=finish)["choices"][0]["message"]


def call(arguments: str, **about: Any) -> Json:
    name = {"name": about.pop("name")} if "name" in about else {}
    return {"tool_calls": [{"index": 0, "function": name | {"arguments": arguments}} | about]}


def test_names_and_ids_that_are_repeated_are_not_doubled() -> None:
    pieces = [call(piece, id="c1", type="function", name="read") for piece in ("{", "}")]
    (found,) = message(*pieces)["tool_calls"]
    assert found == {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}


def test_calls_that_all_have_the_index_0_are_told_apart_by_their_ids() -> None:
    found = message(call("{}", id="c1", name="read"), call("{", id="c2", name="list"), call("}"))["tool_calls"]
    assert [(one["id"], one["function"]["arguments"]) for one in found] == [("c1", "{}"), ("c2", "{}")]


def test_what_was_announced_and_stayed_empty_says_nothing() -> None:
    first = {"role": "assistant", "content": "", "refusal": "", "reasoning_content": ""}
    found = message(first, call("{}", id="c1", name="read"))
    assert found.keys() == {"role", "content", "tool_calls"}
    assert found["content"] is None


def test_content_in_pieces_goes_on_as_text() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    assert message({"content": [thought]}, {"content": "Well"}, {"content": "."})["content"] == [
        thought,
        {"type": "text", "text": "Well"},
        {"type": "text", "text": "."},
    ]
    (words, _) = message({"content": "Well"}, {"content": [thought]})["content"]
    assert words == {"type": "text", "text": "Well"}


def test_an_old_function_call_is_whole_or_left_out() -> None:
    begun = {"content": "I look.", "function_call": {"name": "read", "arguments": '{"a":'}}
    assert "function_call" not in message(begun, finish=None)
    assert response(begun, finish=None)["unfinished"] == [{"function_call": begun["function_call"]}]
    whole = message(begun, {"function_call": {"arguments": "1}"}}, finish=None)["function_call"]
    assert whole == {"name": "read", "arguments": '{"a":1}'}


def test_several_choices_are_kept_apart() -> None:
    stream = OpenAIChatStream()
    for at, text in ((0, "a"), (1, "x"), (0, "b"), (1, "y")):
        stream.feed({"choices": [{"index": at, "delta": {"content": text}, "finish_reason": "stop"}]})
    found = stream.response() or {}
    assert [choice["message"]["content"] for choice in found["choices"]] == ["ab", "xy"]


def test_a_server_that_never_says_why_it_ended_leaves_whole_calls() -> None:
    found = response(call("{}", id="c1", name="read"), finish=None)
    assert (found["interrupted"], len(found["choices"][0]["message"]["tool_calls"])) == (True, 1)
