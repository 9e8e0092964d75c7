"""What a caller hears of a stream, whatever becomes of the record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.engine.engine import Engine
from clew.errors import ClewError, UsageError
from tests.builders import user
from tests.stream_examples import EXAMPLES

EVENTS = EXAMPLES["openai-chat"].events
#: A reply of a role that nobody has.
UNREADABLE = [{"choices": [{"delta": {"role": "nobody", "content": "a"}, "finish_reason": "stop"}]}]

pytestmark = pytest.mark.stores("memory")


class Broken(Exception):
    """The provider's connection is gone."""


def breaking(events: list[Any]) -> Iterator[Any]:
    yield from events
    raise Broken("reset by peer")


async def later(events: list[Any]) -> AsyncIterator[Any]:
    for event in events:
        yield event


def test_events_are_read_in_the_way_in_which_they_come(engine: Engine) -> None:
    with pytest.raises(UsageError, match="read them with async for"):
        iter(engine.session("s").stream(later(EVENTS)))
    with pytest.raises(UsageError, match="read them with for"):
        aiter(engine.session("s").stream(EVENTS))


def test_an_unknown_format_is_refused_before_anything_is_read(engine: Engine) -> None:
    with pytest.raises(UsageError, match="no streams of 'cohere'"):
        engine.session("s").stream(breaking([]), format="cohere")


def test_the_error_of_the_provider_goes_on_though_the_record_fails(engine: Engine) -> None:
    lost: list[str] = []
    engine.on("reply.lost", lambda event: lost.append(event.data["reason"]))
    with pytest.raises(Broken, match="reset by peer"):
        list(engine.session("s").stream(breaking(UNREADABLE)))
    engine.session("s").stream(UNREADABLE).close()
    with engine.session("s").stream(UNREADABLE) as stream:
        next(iter(stream))
    assert len(lost) == 2
    assert "nobody" in lost[0]


def test_a_whole_reply_that_cannot_be_recorded_raises_after_its_last_event(engine: Engine) -> None:
    events = iter(engine.session("s").stream(UNREADABLE))
    assert next(events) is UNREADABLE[0]
    with pytest.raises(ClewError, match="nobody"):
        next(events)


def test_an_error_of_the_callers_own_leaves_what_came(engine: Engine) -> None:
    session = engine.session("s")

    def read() -> None:
        for count, _ in enumerate(session.stream(EVENTS)):
            if count == 6:
                raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        read()
    (said,) = session.messages()
    assert said.interrupted


def test_the_stream_says_whether_the_reply_is_whole(engine: Engine) -> None:
    session = engine.session("s")
    whole, cut = session.stream(EVENTS), session.stream(EVENTS[:6])
    list(cut)  # ends without an error, as when a connection is closed
    list(whole)
    assert (cut.interrupted, whole.interrupted) == (True, False)
    assert cut.reply is not None
    assert whole.reply is not None
    assert [call.id for call in whole.reply.calls] == ["call_1", "call_2"]


def read(stream: Any, count: int = 6) -> Any:
    """Reads some events, and returns the reading."""
    reading = iter(stream)
    for _ in range(count):
        next(reading)
    return reading


@pytest.mark.parametrize("how", ["with", "stream", "reading"])
def test_closing_records_at_once_and_closes_the_providers_stream(engine: Engine, how: str) -> None:
    session, heard, closed = engine.session("s"), list[str](), list[str]()
    engine.on("reply.interrupted", lambda event: heard.append(event.name))

    def events() -> Iterator[Any]:
        try:
            yield from EVENTS
        finally:
            closed.append(how)

    stream = session.stream(events())
    if how == "with":
        with stream:
            reading = read(stream)
    else:
        reading = read(stream)
        (stream if how == "stream" else reading).close()
    assert (heard, closed, stream.interrupted) == (["reply.interrupted"], [how], True)
    assert stream.reply is not None
    assert list(reading) == []
    stream.close()
    assert [message.interrupted for message in session.messages()] == [True]


def test_closing_an_asynchronous_stream_records_at_once_and_closes_the_providers(engine: Engine) -> None:
    session, closed = engine.session("s"), list[bool]()

    async def events() -> AsyncIterator[Any]:
        try:
            for event in EVENTS:
                yield event
        finally:
            closed.append(True)

    async def read() -> None:
        reading: Any = aiter(session.stream(events()))
        for _ in range(6):
            await anext(reading)
        await reading.aclose()
        assert closed == [True]
        assert [message.interrupted for message in session.messages()] == [True]
        with pytest.raises(StopAsyncIteration):
            await anext(reading)
        async with session.stream(events()) as stream:
            await anext(aiter(stream))
        assert closed == [True, True]

    asyncio.run(read())


def test_a_stream_that_is_closed_unread_is_closed_at_the_provider_and_leaves_nothing(engine: Engine) -> None:
    class ProviderStream(list[Any]):
        is_closed = False

        def close(self) -> None:
            self.is_closed = True

    events = ProviderStream(EVENTS)
    stream = engine.session("s").stream(events)
    stream.close()
    assert events.is_closed
    assert engine.session("s").messages() == []
    with pytest.raises(UsageError, match="read once"):
        iter(stream)


def test_a_dropped_stream_is_recorded_before_the_next_operation_and_in_none(engine: Engine) -> None:
    session, held, seen = engine.session("s"), list[Any](), list[int]()
    held.append(read(session.stream(EVENTS)))

    def drop(event: Any) -> None:
        held.clear()
        seen.append(len(session.messages()))

    off = engine.on("recorded", drop)
    session.record([user("meanwhile")])
    off()
    assert seen == [1]
    assert [message.interrupted for message in session.messages()] == [False, True]


def test_a_reply_can_be_read_from_a_stream_that_was_left(engine: Engine) -> None:
    stream = engine.session("s").stream(EVENTS)
    for _ in stream:
        break
    assert stream.interrupted
    whole = engine.session("s").stream(EVENTS)
    for event in whole:
        if event is EVENTS[-1]:
            break
    assert whole.reply is not None
    assert not whole.interrupted


def test_a_dropped_stream_does_not_bring_a_purged_session_back(engine: Engine) -> None:
    session = engine.session("s")
    read(session.stream(EVENTS))
    engine.purge(session.key)
    assert engine.infos() == []


def test_what_is_still_coming_in_is_recorded_when_the_engine_closes(tmp_path: Path) -> None:
    with clew.open(tmp_path / "clew.db") as engine:
        reading = read(engine.session("s").stream(EVENTS))
    assert list(reading) == EVENTS[6:]
    with clew.open(tmp_path / "clew.db") as engine:
        assert [message.interrupted for message in engine.session("s").messages()] == [True]


def test_a_stream_is_read_once(engine: Engine) -> None:
    stream = engine.session("s").stream(EVENTS)
    list(stream)
    said = stream.reply
    with pytest.raises(UsageError, match="a stream is read once"):
        iter(stream)
    assert stream.reply is said is not None


async def _unawaited() -> None:
    """A call of a client."""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (lambda: None, "of type NoneType: None; give what the client returns"),
        (lambda: EXAMPLES["openai-chat"].whole, "with id, created, model.*; give a whole response to reply"),
        (_unawaited, "was not awaited"),
    ],
)
def test_what_is_no_stream_is_refused_with_what_it_is(engine: Engine, given: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        engine.session("s").stream(given())


def test_an_interrupted_reply_is_shown_exported_and_packed_as_one(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("why?")])
    list(session.stream(EVENTS[:6]))
    assert session.recall("m2")[0].text.startswith("[m2 assistant, interrupted]\n")
    copy = engine.session("copy")
    copy.record(session.messages())
    assert [message.interrupted for message in copy.messages()] == [False, True]
    said = session.pack("go on", budget=8_000, target="openai-chat").request()["messages"]
    assert [message["role"] for message in said] == ["user", "assistant", "user"]
    assert "interrupted" not in str(said[1])
