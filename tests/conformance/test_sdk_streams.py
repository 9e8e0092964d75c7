"""Streams as the official clients really give them, raw and by their helpers, are passed through and recorded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

import clew
from clew.engine.session import Session
from tests.stream_examples import CALLS, EXAMPLES, WORDS

ASKED: Any = {"model": "m", "messages": [{"role": "user", "content": "why?"}]}
KEY: Any = {"api_key": "none"}


def transport(format: str) -> httpx2.MockTransport:
    """A server that sends the events of the example."""
    events = EXAMPLES[format].events
    named = [f"event: {event['type']}\n" if "type" in event else "" for event in events]
    lines = [f"{name}data: {json.dumps(event)}\n\n" for name, event in zip(named, events, strict=True)]
    body = "".join(lines) + ("data: [DONE]\n\n" if format == "openai-chat" else "")
    head = {"content-type": "text/event-stream"}
    return httpx2.MockTransport(lambda request: httpx2.Response(200, headers=head, content=body.encode()))


def anthropic_client() -> Any:
    import anthropic

    return anthropic.Anthropic(**KEY, http_client=anthropic.DefaultHttpxClient(transport=transport("anthropic")))


def openai_client(format: str) -> Any:
    import openai

    return openai.OpenAI(**KEY, http_client=openai.DefaultHttpxClient(transport=transport(format)))


def anthropic_raw(session: Session) -> None:
    list(session.stream(anthropic_client().messages.create(**ASKED, max_tokens=9, stream=True)))


def anthropic_helper(session: Session) -> None:
    with anthropic_client().messages.stream(**ASKED, max_tokens=9) as stream:
        list(session.stream(stream))
        assert stream.get_final_message().content[2].text == "".join(WORDS)


def anthropic_async(session: Session) -> None:
    import anthropic

    async def read() -> None:
        http = anthropic.DefaultAsyncHttpxClient(transport=transport("anthropic"))
        async with anthropic.AsyncAnthropic(**KEY, http_client=http) as client:
            async for _ in session.stream(await client.messages.create(**ASKED, max_tokens=9, stream=True)):
                pass

    asyncio.run(read())


def chat_raw(session: Session) -> None:
    list(session.stream(openai_client("openai-chat").chat.completions.create(**ASKED, stream=True)))


def chat_helper(session: Session) -> None:
    with openai_client("openai-chat").chat.completions.stream(**ASKED) as stream:
        list(session.stream(stream))


def responses_raw(session: Session) -> None:
    list(session.stream(openai_client("openai-responses").responses.create(model="m", input="why?", stream=True)))


def responses_helper(session: Session) -> None:
    with openai_client("openai-responses").responses.stream(model="m", input="why?") as stream:
        list(session.stream(stream))


def gemini_raw(session: Session) -> None:
    from google import genai

    options = genai.types.HttpOptions(httpx_client=httpx2.Client(transport=transport("gemini")))
    client = genai.Client(**KEY, http_options=options)
    list(session.stream(client.models.generate_content_stream(model="m", contents="why?")))


@pytest.mark.parametrize(
    "read",
    [
        anthropic_raw,
        anthropic_helper,
        anthropic_async,
        chat_raw,
        chat_helper,
        responses_raw,
        responses_helper,
        gemini_raw,
    ],
)
def test_a_stream_of_an_official_client_is_recorded_whole(read: Callable[[Session], None]) -> None:
    format = {"anthropic": "anthropic", "chat": "openai-chat", "responses": "openai-responses", "gemini": "gemini"}[
        read.__name__.split("_")[0]
    ]
    with clew.open(":memory:") as engine:
        session, once = engine.session("streamed"), engine.session("whole")
        read(session)
        once.reply(EXAMPLES[format].whole, format=format)
        (said,), (whole,) = session.messages(), once.messages()
        assert (said.text, [(call.id, call.arguments) for call in said.calls]) == (
            "".join(WORDS),
            [(id, json.loads(arguments)) for id, _, arguments in CALLS],
        )
        assert (said.usage, said.model, said.stop_reason) == (whole.usage, whole.model, whole.stop_reason)
        assert session.reader.request(format)[0].body == once.reader.request(format)[0].body
