"""A server whose model answers from a script, for whole turns with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import clew
from clew.config import Config, ModelsConfig
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.provider_replies import Says, chat_chunks, chat_completion, gemini_response, reply
from tests.provider_server import Answer, ProviderServer, provider

_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


@contextmanager
def saying(*said: Says | tuple[Says, ...] | Answer) -> Iterator[ProviderServer]:
    """Answers with what is said, one after the other; a stream where one is asked for. Several at once are calls of one
    reply, for Chat Completions alone.
    """
    script = list(said)

    def answer(path: str, body: dict[str, Any]) -> Answer:
        one, streams = script.pop(0), bool(body.get("stream"))
        if isinstance(one, tuple) and isinstance(one[0], Says):
            made = _several(one, streams=streams)  # type: ignore[arg-type]
        elif not isinstance(one, Says):
            return one  # type: ignore[return-value]
        elif path.endswith(":streamGenerateContent"):
            return [gemini_response(one, 1)]
        else:
            made = reply(path, one, stream=streams)
        if isinstance(made, list) and "stream_options" in body:
            made.append({"id": "u", "object": "chat.completion.chunk", "choices": [], "usage": _USAGE})
        return made

    with provider(answer) as served:
        yield served


def _several(said: tuple[Says, ...], *, streams: bool) -> Answer:
    first, *rest = said
    if not streams:
        whole = chat_completion(first, 1)
        for one in rest:
            whole["choices"][0]["message"]["tool_calls"] += chat_completion(one, 1)["choices"][0]["message"][
                "tool_calls"
            ]
        return whole
    chunks = chat_chunks(first, 1)
    calls = chunks[1]["choices"][0]["delta"]["tool_calls"]
    for at, one in enumerate(rest, 1):
        (call,) = chat_chunks(one, 1)[1]["choices"][0]["delta"]["tool_calls"]
        calls.append(call | {"index": at})
    return chunks


def engine_with(url: str, *, person: str = "", **models: Any) -> Engine:
    """An engine whose local models are at that address."""
    config = replace(Config(), models=ModelsConfig(base_url=url, max_retries=0, **models))
    return clew.open(":memory:", config=config, person=person)


def session_with(url: str, **models: Any) -> Session:
    """A session of such an engine."""
    return engine_with(url, **models).session("s")


def texts(session: Session) -> list[str]:
    """What was said in a session."""
    return [message.text for message in session.messages()]


def outputs(session: Session) -> list[str]:
    """What tools gave in a session."""
    return [part.text for message in session.messages() for part in message.outputs]
