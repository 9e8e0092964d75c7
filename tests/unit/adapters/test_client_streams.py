"""Streams of wrapped clients: passed through and recorded, also where they are closed or left before they end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

import clew
from clew.engine.engine import Engine
from tests.provider_server import ProviderServer, provider
from tests.unit.adapters.test_clients import FORMATS, answering, async_client, client, create, user, words

pytestmark = pytest.mark.stores("memory")

#: Events of the scripted server after which words of the reply have come.
ENOUGH = 3


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with provider(answering) as served:
        yield served


def seen(session: clew.Session) -> list[tuple[str, bool]]:
    return [(message.role.value, message.interrupted) for message in session.messages()]


@FORMATS
def test_a_stream_passes_through_and_is_recorded(engine: Engine, server: ProviderServer, format: str) -> None:
    session = engine.session("s")
    plain = [event.model_dump() for event in create(client(format, server), format, [user("Hello.")], stream=True)]
    stream = create(clew.wrap(client(format, server), session=session), format, [user("Hello.")], stream=True)
    assert [event.model_dump() for event in stream] == plain
    assert words(session) == ["Hello.", "Answer to 1."]


def test_the_stream_helpers_of_the_clients_record_too(engine: Engine, server: ProviderServer) -> None:
    session = engine.session("a")
    wrapped = clew.wrap(client("anthropic", server), session=session)
    with wrapped.messages.stream(model="claude-sonnet-5", max_tokens=9, messages=[user("Hello.")]) as stream:
        assert "".join(stream.text_stream) == "Answer to 1."
        assert stream.get_final_message().content[0].text == "Answer to 1."
    assert words(session) == ["Hello.", "Answer to 1."]


def test_the_stream_helper_for_chats_records_too(engine: Engine, server: ProviderServer) -> None:
    session = engine.session("c")
    wrapped = clew.wrap(client("openai-chat", server), session=session)
    messages: list[Any] = [user("Hello.")]
    for text in ("More.", "Still more."):
        with wrapped.chat.completions.stream(model="gpt-5", messages=messages) as stream:
            said = [event.delta for event in stream if event.type == "content.delta"]
            answer = stream.get_final_completion().choices[0].message
        assert (answer.role, "".join(said)) == ("assistant", answer.content)
        messages += [answer, user(text)]
    assert words(session) == ["Hello.", "Answer to 1.", "More.", "Answer to 3."]


@FORMATS
def test_closing_a_stream_records_what_came_at_once(engine: Engine, server: ProviderServer, format: str) -> None:
    session, heard = engine.session("s"), list[str]()
    engine.on("recorded", lambda event: heard.extend(event.data["messages"]))
    stream = create(clew.wrap(client(format, server), session=session), format, [user("Hello.")], stream=True)
    assert isinstance(stream, type(create(client(format, server), format, [user("Hello.")], stream=True)))
    with stream:
        for _ in range(ENOUGH - (format == "openai-chat")):
            next(stream)
    assert heard == ["m1", "m2"]
    assert seen(session) == [("user", False), ("assistant", True)]


@FORMATS
def test_a_stream_that_is_left_stands_before_what_is_asked_next(
    engine: Engine, server: ProviderServer, format: str
) -> None:
    session = engine.session("s")
    wrapped = clew.wrap(client(format, server), session=session)
    stream = create(wrapped, format, [user("Hello.")], stream=True)
    for number, _ in enumerate(stream, 1):
        if number == ENOUGH - (format == "openai-chat"):
            break
    assert seen(session) == [("user", False), ("assistant", True)]
    list(stream)  # what comes now comes too late for the record
    assert seen(session) == [("user", False), ("assistant", True)]


def test_a_stream_may_be_read_in_several_goes(engine: Engine, server: ProviderServer) -> None:
    session = engine.session("s")
    stream = create(clew.wrap(client("anthropic", server), session=session), "anthropic", [user("Hi.")], stream=True)
    next(stream)
    for _ in stream:
        break
    for _ in stream:
        pass
    assert seen(session) == [("user", False), ("assistant", False)]


def test_helpers_that_close_the_response_record_before_what_is_asked_next(
    engine: Engine, server: ProviderServer
) -> None:
    session = engine.session("s")
    chats = clew.wrap(client("openai-chat", server), session=session).chat.completions
    with chats.stream(model="gpt-5", messages=[user("Hello.")]) as stream:
        next(event for event in stream if event.type == "content.delta" and event.delta)
    assert seen(session) == [("user", False), ("assistant", True)]
    session = engine.session("t")
    messages = clew.wrap(client("anthropic", server), session=session).messages
    with messages.stream(model="claude-sonnet-5", max_tokens=9, messages=[user("Hello.")]) as texts:
        next(texts.text_stream)
    assert seen(session) == [("user", False), ("assistant", True)]


@FORMATS
def test_an_asynchronous_stream_is_recorded_when_it_is_closed_or_left(
    engine: Engine, server: ProviderServer, format: str
) -> None:
    async def read(session: clew.Session, *, closes: bool) -> Any:
        stream = await create(
            clew.wrap(async_client(format, server), session=session), format, [user("Hello.")], stream=True
        )
        number = 0
        async for _ in stream:
            number += 1
            if number == ENOUGH - (format == "openai-chat"):
                break
        if closes:
            await stream.close()
        return stream

    async def main() -> None:
        for name in ("closed", "left"):
            stream = await read(engine.session(name), closes=name == "closed")
            for _ in range(5):
                await asyncio.sleep(0)  # the loop closes what was left
            assert seen(engine.session(name)) == [("user", False), ("assistant", True)]
            await stream.close()

    asyncio.run(main())


def test_a_reply_that_cannot_be_recorded_is_told_and_the_stream_ends_as_ever(engine: Engine) -> None:
    lost = list[str]()
    engine.on("reply.lost", lambda event: lost.append(event.data["session"]))
    unreadable = [{"choices": [{"index": 0, "delta": {"role": "nobody", "content": "a"}, "finish_reason": "stop"}]}]
    with provider(lambda path, body: unreadable) as served:
        wrapped = clew.wrap(client("openai-chat", served), session=engine.session("s"))
        assert len(list(create(wrapped, "openai-chat", [user("Hello.")], stream=True))) == 1
    assert lost == ["s"]


@FORMATS
def test_a_stream_that_the_caller_leaves_is_asked_for_again(
    engine: Engine, server: ProviderServer, format: str
) -> None:
    session = engine.session("s")
    wrapped = clew.wrap(client(format, server), session=session)
    stream = create(wrapped, format, [user("Hello.")], stream=True)
    next(stream)
    stream.close()
    del stream
    list(create(wrapped, format, [user("Hello.")], stream=True))
    assert [message.text for message in session.reader.prompt()[0]] == ["Hello.", "Answer to 1."]


def test_a_raw_stream_is_recorded_when_it_is_parsed(engine: Engine, server: ProviderServer) -> None:
    session = engine.session("s")
    chats = clew.wrap(client("openai-chat", server), session=session).chat.completions
    with chats.with_streaming_response.create(model="gpt-5", messages=[user("Hello.")], stream=True) as raw:
        list(raw.parse())
    assert words(session) == ["Hello.", "Answer to 1."]
