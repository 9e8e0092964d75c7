"""A reply that is streamed is recorded like the same reply in one piece, for every API; one that breaks off, as far
as it came."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

import clew
from clew import rules
from clew.domain import Json, Message, Reasoning, Text
from clew.engine.session import Session
from tests.stream_examples import CALLS, EXAMPLES, THOUGHT, WORDS, StreamExample, sdk_events, sdk_response

QUESTION = {"role": "user", "content": "why does login fail?"}
APIS = pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES.keys())
BREAKS = [
    pytest.param(example, at, id=f"{format}-{at}")
    for format, example in EXAMPLES.items()
    for at in range(1, len(example.events))
]


class Broken(Exception):
    """The provider's connection is gone."""


@pytest.fixture
def session() -> Iterator[Session]:
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record([QUESTION], format="openai-chat")
        yield session


def given(example: StreamExample, kind: str) -> list[Any]:
    return sdk_events(example) if kind == "objects" else example.events


def bare(message: Message) -> Message:
    """Without what differs from one recording to the next."""
    return replace(message, id="", at=None)


async def later(events: Iterable[Any]) -> AsyncIterator[Any]:
    for event in events:
        await asyncio.sleep(0)
        yield event


def breaking(events: Iterable[Any]) -> Iterator[Any]:
    yield from events
    raise Broken


@APIS
@pytest.mark.parametrize("kind", ["dicts", "objects"])
@pytest.mark.parametrize("way", ["for", "async for"])
def test_a_streamed_reply_is_recorded_like_a_whole_one(
    session: Session, example: StreamExample, kind: str, way: str
) -> None:
    events = given(example, kind)
    whole = example.whole if kind == "dicts" else sdk_response(example)
    stream: Any = session.stream(events if way == "for" else later(events))

    async def read() -> list[Any]:
        return [event async for event in stream]

    passed = list(stream) if way == "for" else asyncio.run(read())
    assert [id(event) for event in passed] == [id(event) for event in events]

    with clew.open(":memory:") as other:
        at_once = other.session("s")
        at_once.record([QUESTION], format="openai-chat")
        reply = at_once.reply(whole, format=example.format)
        assert list(map(bare, session.messages())) == list(map(bare, at_once.messages()))
        assert session.reader.request(example.format) == at_once.reader.request(example.format)
    assert stream.reply == reply
    said = session.messages()[-1]
    assert (said.text, said.interrupted) == ("".join(WORDS), False)
    assert [(call.id, call.name) for call in said.calls] == [(id, name) for id, name, _ in CALLS]
    assert said.parts_of(Reasoning)[0].text == "".join(THOUGHT)
    assert said.usage is not None
    assert (said.usage.input_tokens, said.usage.output_tokens) == example.tokens


@APIS
def test_events_are_passed_on_one_by_one(session: Session, example: StreamExample) -> None:
    taken: list[Any] = []

    def events() -> Iterator[Any]:
        for event in example.events:
            taken.append(event)
            yield event

    for count, event in enumerate(session.stream(events()), start=1):
        assert len(taken) == count
        assert taken[-1] is event


@pytest.mark.parametrize(("example", "at"), BREAKS)
def test_a_stream_that_breaks_leaves_a_valid_session_with_what_came(
    session: Session, example: StreamExample, at: int
) -> None:
    with pytest.raises(Broken):
        list(session.stream(breaking(example.events[:at])))
    by_provider = session.messages()
    for way in ("close", "async"):
        other = session.fork(f"{way}-{at}", at="m1")
        stop(other, example, at, way)
        assert list(map(bare, other.messages())) == list(map(bare, by_provider))

    *_, said = by_provider
    if said.role == "user":
        return
    complete = not said.interrupted
    assert complete == (at >= len(example.events) - {"openai-responses": 0, "gemini": 0}.get(example.format, 1))
    assert "".join(WORDS).startswith(said.text)
    assert [call.arguments for call in said.calls] == [{"path": "login.py"}, {}][: len(said.calls)]
    for text in ("go on", "and then?"):
        body = session.reader.request(example.format)[0].body
        assert rules.check(body, example.format) == []
        session.record([clew_user(text)])


def stop(session: Session, example: StreamExample, at: int, way: str) -> None:
    """The caller stops after so many events."""
    if way == "close":
        for count, _ in enumerate(session.stream(example.events), start=1):
            if count == at:
                return

    async def read() -> None:
        count = 0
        async for _ in session.stream(later(example.events)):
            count += 1
            if count == at:
                break
        assert session.messages()  # already recorded, before the loop closes anything

    asyncio.run(read())


def clew_user(text: str) -> Message:
    from tests.builders import user

    return user(text)


@pytest.mark.parametrize(("format", "cut"), [("anthropic", -3), ("openai-chat", -3), ("openai-responses", -2)])
def test_an_interrupted_reply_keeps_what_was_unfinished_in_the_ledger(session: Session, format: str, cut: int) -> None:
    example = EXAMPLES[format]
    told: list[str] = []
    session._services.events.on("reply.interrupted", lambda event: told.append(event.data["session"]))
    with pytest.raises(Broken):
        list(session.stream(breaking(example.events[:cut])))
    said = session.messages()[-1]
    assert (said.interrupted, [call.id for call in said.calls]) == (True, ["call_1"])
    assert b'"unfinished":[{' in list(session.reader.entries())[-1].body
    assert told == ["s"]


#: Replies that begin with a call or a thought, of which half has come.
HALVES: dict[str, list[Json]] = {
    "anthropic": [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "usage": {"input_tokens": 12}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Let me"}},
    ],
    "openai-chat": [
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{"}}]}}]}
    ],
    "openai-responses": [
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "arguments": ""}},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"a'},
    ],
    "gemini": [
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "willContinue": True}}]}}]},
    ],
}


@pytest.mark.parametrize("format", list(HALVES))
def test_a_stream_that_breaks_inside_its_first_call_or_thought_leaves_an_interrupted_reply(
    session: Session, format: str
) -> None:
    told: list[str] = []
    session._services.events.on("reply.interrupted", lambda event: told.append(event.data["session"]))
    with pytest.raises(Broken):
        list(session.stream(breaking(HALVES[format])))
    said = session.messages()[-1]
    assert (said.role, said.parts, said.interrupted, told) == ("assistant", (), True, ["s"])
    assert b'"unfinished":[{' in list(session.reader.entries())[-1].body
    session.record([clew_user("go on")])
    body = session.reader.request(format)[0].body
    assert rules.check(body, format) == []
    assert "unfinished" not in str(body)


@APIS
def test_nothing_is_recorded_where_nothing_came(session: Session, example: StreamExample) -> None:
    list(session.stream([]))
    for _ in session.stream(example.events):
        break
    assert [message.text for message in session.messages()] in (
        ["why does login fail?"],
        ["why does login fail?", ""],  # a first event that already brings a thought
    )
    assert not any(message.parts_of(Text) for message in session.messages()[1:])


def test_events_of_unknown_kinds_pass_through_and_are_ignored(session: Session) -> None:
    example = EXAMPLES["anthropic"]
    strange = [{"type": "text", "text": "x", "snapshot": "x"}, "words", None, 7, {"type": 3}, object(), []]
    mixed = [event for pair in zip(example.events, strange * 9, strict=False) for event in pair]
    assert list(session.stream(mixed)) == mixed
    assert session.messages()[-1].text == "".join(WORDS)


def test_a_stream_in_which_nothing_is_known_says_so(session: Session, caplog: pytest.LogCaptureFixture) -> None:
    assert list(session.stream(["a", "b"])) == ["a", "b"]
    assert len(session.messages()) == 1
    assert "not recorded in session s: no event of the stream is of an API known here" in caplog.text
