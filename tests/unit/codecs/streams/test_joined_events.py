"""Streams of several responses as one: what a client puts together is what the responses are as one."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest

from clew.codecs.joined_reply import join_responses, usage_of_history, without_lone_reasoning
from clew.codecs.sdk_objects import without_nulls
from clew.codecs.streams.assembler import ReplyAssembler
from clew.codecs.streams.joined_events import DONE, JOINED_EVENTS, ShownText, WholeText
from tests.stream_examples import EXAMPLES

FORMATS = ("anthropic", "openai-chat", "openai-responses")


class Without:
    """Shows a text without some of its words."""

    def __init__(self, words: str) -> None:
        self._words, self._held = words, ""

    def feed(self, delta: str) -> str:
        self._held += delta
        return ""

    def close(self) -> str:
        held, self._held = self._held, ""
        return held.replace(self._words, "")


def shown_whole(show: ShownText, text: str) -> str:
    return show.feed(text) + show.close()


@pytest.mark.parametrize("words", ["", "at the log first.", "I look at the log first."])
@pytest.mark.parametrize("hidden", ["", "read", "list"])
@pytest.mark.parametrize("format", FORMATS)
def test_what_is_streamed_is_what_the_responses_are_as_one(format: str, hidden: str, words: str) -> None:
    class Shown(Without):
        def __init__(self) -> None:
            super().__init__(words)

    show: Any = Shown if words else WholeText
    example = EXAMPLES[format]
    whole = [example.whole, example.whole]
    joined = join_responses(format, whole, hidden=hidden, show=[lambda text: shown_whole(show(), text)] * 2)
    events = JOINED_EVENTS[format](hidden, show, lambda usage: usage)
    told = [event for one in example.events for event in events.feed(one)]
    events.begin_next()
    told += [event for one in example.events for event in events.feed(one)]
    last = events.finish(joined)
    assembler = ReplyAssembler(format)
    for event in chain(told, last):
        if event != DONE:
            assembler.feed(event)
    reply = assembler.reply()
    assert reply is not None
    assert reply.is_complete
    assert without_nulls(reply.response) == without_nulls(joined)
    names = [str(one.get("type")) for one in told]
    assert names.count("message_start") + names.count("response.created") in (0, 1)
    places = [one["sequence_number"] for one in [*told, *last] if isinstance(one, dict) and "sequence_number" in one]
    assert places == list(range(len(places)))
    if hidden:
        assert f'"{hidden}"' not in str(told).replace("'", '"')


def test_usage_is_added_up_or_told_for_the_history() -> None:
    used = {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 3, "service_tier": "standard"}
    told = usage_of_history("anthropic", [used, used], history=115)
    assert told == used | {"cache_read_input_tokens": 105, "output_tokens": 6}
    used = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
    told = usage_of_history("openai-chat", [used, used], history=110)
    assert (told["prompt_tokens"], told["completion_tokens"], told["total_tokens"]) == (110, 6, 116)
    assert usage_of_history("openai-chat", [used], history=5)["prompt_tokens"] == 10
    assert usage_of_history("openai-responses", [{}], history=100) == {}


def test_reasoning_goes_with_the_hidden_call_that_it_belongs_to() -> None:
    thought, other = {"type": "reasoning", "id": "rs_1"}, {"type": "reasoning", "id": "rs_2"}
    call = {"type": "function_call", "name": "hidden", "call_id": "c"}
    said = {"type": "message", "content": []}
    assert without_lone_reasoning([thought, call, other, said], "hidden") == [call, other, said]
