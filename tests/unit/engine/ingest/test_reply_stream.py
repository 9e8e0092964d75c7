"""What a caller hears of a stream, whatever becomes of the record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

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
    for _ in engine.session("s").stream(UNREADABLE):
        break
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


def test_closing_an_asynchronous_stream_records_at_once(engine: Engine) -> None:
    session = engine.session("s")

    async def read() -> None:
        events: Any = aiter(session.stream(later(EVENTS)))
        for _ in range(6):
            await anext(events)
        await events.aclose()
        assert [message.interrupted for message in session.messages()] == [True]
        with pytest.raises(StopAsyncIteration):
            await anext(events)

    asyncio.run(read())


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
