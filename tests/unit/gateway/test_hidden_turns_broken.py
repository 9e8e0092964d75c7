"""Hidden turns in sessions to which something happens: they break off, several run at once, lists are edited, a client
asks in ways that leave no room for them.
"""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier, Event
from typing import Any

import httpx2
import pytest

import clew
from clew.codecs.streams.assembler import ReplyAssembler
from clew.gateway.event_reader import EventReader
from clew.hooks import switch
from tests.agent_loops.clients import client, create, tools, user
from tests.gateway_server import gateway
from tests.provider_replies import Says, anthropic_events, reply
from tests.provider_server import Answer, provider
from tests.strict_reasoning import upstream as reasoning
from tests.strict_upstream import MODES, StrictUpstream, Upstream
from tests.unit.gateway.test_bad_upstreams import HEAD, chunk, event, raw_upstream
from tests.unit.gateway.test_hidden_turns import (
    OWN,
    SETTINGS,
    Json,
    ask,
    dumped,
    retrieve,
    sent_items,
    served,
    text_of,
    was_called,
)
from tests.unit.gateway.test_own_list import Lenient

_MODES = {mode.name: mode for mode in MODES}
_SUMMARY = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nSum up the conversation."
_CLAUDE_CODE = {"x-claude-code-session-id": "s", "user-agent": "claude-cli/2.1"}


def asked(url: str, upstream: Upstream, messages: list[Any], **headers: str) -> list[Json]:
    """What a client keeps of a streamed reply, however that ends."""
    name = "input" if upstream.format == "openai-responses" else "messages"
    body = upstream.mode.settings | {"model": upstream.mode.model, name: messages, "stream": True}
    body |= {"max_tokens": 2_000} if upstream.format == "anthropic" else {}
    body |= {"tools": tools(upstream.format)}
    path = {"anthropic": "/v1/messages", "openai-responses": "/v1/responses"}[upstream.format]
    answer = httpx2.post(url + path, json=body, headers=_CLAUDE_CODE | headers, timeout=60)
    assert answer.status_code == 200, answer.text
    events, assembled = EventReader().feed(answer.content), ReplyAssembler(upstream.format)
    for one in events:
        assembled.feed(one)
    if upstream.format == "openai-responses":
        return [one["item"] for one in events if one["type"] == "response.output_item.done"]
    whole: Any = assembled.reply()
    return [{"role": "assistant", "content": whole.response["content"]}]


@pytest.mark.parametrize("name", ["enabled", "adaptive"])
@pytest.mark.parametrize("way", ["summary", "pause", "bypass"])
def test_a_list_without_what_was_hidden_in_it_is_sent_without_thinking(name: str, way: str) -> None:
    upstream = Lenient(_MODES[name])

    def says(body: Json) -> Says:
        return Says("Found.") if was_called(body) else Says("Looking.", calls=(retrieve(1),))

    opened = clew.open(":memory:", settings=SETTINGS)
    with opened as engine, provider(upstream.script(says)) as server, gateway(engine, server.url) as url:
        messages: list[Any] = [user("Where is it?")]
        messages += [*asked(url, upstream, messages), user(_SUMMARY if way == "summary" else "Go on.")]
        if way == "pause":
            switch.pause()
        asked(url, upstream, messages, **({"x-clew-bypass": "1"} if way == "bypass" else {}))
        switch.resume()
        assert not engine.find("s").reader.was_compacted()
        assert "retrieve_context" not in json.dumps(server.requests[-1])
    assert upstream.refused == []


@pytest.mark.parametrize("name", ["enabled", "adaptive", "responses, sealed"])
def test_a_client_goes_on_from_a_turn_that_broke_off_behind_a_hidden_call(name: str) -> None:
    upstream = StrictUpstream(_MODES[name]) if name in _MODES else reasoning(name)

    def says(body: Json) -> Says:
        return (
            Says(f"It is here, {upstream.requests}.")
            if upstream.requests != 1
            else Says("Looking.", calls=(retrieve(1),))
        )

    script = upstream.script(says)

    def answer(path: str, body: Json) -> Answer:
        found = script(path, body)
        end = 1 if upstream.format == "openai-responses" else 2
        return found[:-end] if upstream.requests == 2 and isinstance(found, list) else found

    opened = clew.open(":memory:", settings=SETTINGS)
    with opened as engine, provider(answer) as server, gateway(engine, server.url) as url:
        messages: list[Any] = [user("Where is it?")]
        for step in range(3):
            messages += [*asked(url, upstream, messages), user(f"Go on, {step}.")]
        assert len(server.requests) == 4
        assert "It is here, 2." in json.dumps(messages)
        assert next(one for one in engine.session("s").messages() if one.role == "assistant").interrupted
    assert upstream.refused == []


def test_a_next_request_that_is_refused_is_an_error_and_the_client_tries_again() -> None:
    """Words were streamed by then. What was read back is forgotten, and the next try asks anew."""
    for status in (429, 500):
        refusing = [status]

        def answer(path: str, body: Json, refusing: list[int] = refusing) -> Answer:
            if was_called(body) and refusing:
                return refusing.pop(), {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}}
            said = Says("Fine.") if was_called(body) else Says("Looking.", calls=(retrieve(1),))
            return reply(path, said, stream=bool(body.get("stream")), number=len(server.requests))

        opened = clew.open(":memory:", settings=SETTINGS)
        with opened as engine, provider(answer) as server, gateway(engine, server.url) as url:
            body = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [user("Where?")], "stream": True}
            got = [
                httpx2.post(f"{url}/v1/messages", json=body, headers={"x-clew-session": "s"}, timeout=30).text
                for _ in range(2)
            ]
            assert "Looking." in got[0]
            assert "event: error" in got[0]
            assert "message_stop" not in got[0]
            assert "Fine." in got[1]
            assert "message_stop" in got[1]
            assert not engine.session("s").messages()[-1].interrupted
            answered: list[Any] = [{"type": "text", "text": text} for text in ("Looking.", "Fine.")]
            messages = [user("Where?"), {"role": "assistant", "content": answered}, user("Thanks.")]
            httpx2.post(f"{url}/v1/messages", json=body | {"messages": messages}, headers={"x-clew-session": "s"})
            assert was_called(server.requests[-1]) == 1


def test_requests_of_one_session_at_the_same_time_keep_what_is_theirs() -> None:
    together = Barrier(4)

    def script(body: Json) -> Says:
        words = [one["content"] for one in sent_items(body) if isinstance(one["content"], str)]
        number, turn = words[-1].split()[1], len(words)
        if was_called(body, f"hidden_{number}{turn}"):
            return Says(f"Answer {number} {turn}.")
        if turn == 1:
            together.wait(30)
        return Says("Looking.", calls=((f"hidden_{number}{turn}", "retrieve_context", {"priority": "recent"}),))

    with served(script) as (url, upstream, _):

        def talk(number: int) -> None:
            made = client("anthropic", url, default_headers={"x-clew-session": "s"}, max_retries=0)
            messages: list[Any] = [user(f"Question {number} now")]
            for turn in (1, 3, 5):
                got = ask(made, "anthropic", messages, streams=bool(number % 2))
                assert text_of("anthropic", got) == f"Looking.|Answer {number} {(turn + 1) // 2}."
                messages += [*dumped("anthropic", got), user(f"Question {number} again {turn}")]

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(talk, range(1, 5)))
        for number in range(1, 5):
            own = [one for one in upstream.requests if f"Question {number} now" in json.dumps(one["messages"])]
            assert len(own) == 6
            for before, after in pairwise(own):
                items = sent_items(before)
                assert json.dumps(sent_items(after)[: len(items)]) == json.dumps(items)


def test_forks_and_edits_find_what_they_share_and_nothing_else() -> None:
    def script(body: Json) -> Says:
        said = len([one for one in sent_items(body) if one["role"] == "user" and isinstance(one["content"], str)])
        if was_called(body, f"hidden_{said}"):
            return Says(f"Answer {said}.")
        return Says("", calls=(retrieve(said),))

    with served(script) as (url, upstream, _):
        made = client("anthropic", url, default_headers={"x-clew-session": "s"}, max_retries=0)
        messages: list[Any] = [user("One")]
        for word in ("Two", "Three", "Four"):
            messages += [*dumped("anthropic", create(made, "anthropic", messages, tools=tools("anthropic")))]
            messages += [user(word)]
        assert was_called(upstream.requests[-1]) == 3
        create(made, "anthropic", [*messages[:4], user("Another three")], tools=tools("anthropic"))
        assert was_called(upstream.requests[-1]) == 3  # those of the two turns in common, and its own
        create(made, "anthropic", messages, tools=tools("anthropic"))
        assert was_called(upstream.requests[-1]) == 4
        edited = [user("Uno"), *messages[1:4], user("Three")]
        create(made, "anthropic", edited, tools=tools("anthropic"))
        assert was_called(upstream.requests[-1]) == 1


@pytest.mark.parametrize("streams", [True, False])
def test_several_replies_to_choose_from_are_the_providers_own(streams: bool) -> None:
    def answer(path: str, body: Json) -> Answer:
        made: Any = reply(path, Says("One."), stream=streams)
        if streams:
            other = [one | {"choices": [one["choices"][0] | {"index": 1}]} for one in made]
            return [chunk for pair in zip(made, other, strict=True) for chunk in pair]
        return made | {"choices": [choice | {"index": at} for at in range(2) for choice in made["choices"]]}

    opened = clew.open(":memory:", settings=SETTINGS | {"gateway.usage": "history", "gateway.notes": True})
    with opened as engine, provider(answer) as server, gateway(engine, server.url) as url:
        body = {"model": "gpt-5", "messages": [user("Which?")], "n": 2, "stream": streams}
        for session in ("new", "known"):
            if session == "known":
                httpx2.post(f"{url}/v1/chat/completions", json=body | {"n": 1}, headers={"x-clew-session": session})
                assert "retrieve_context" in json.dumps(server.requests[-1])
            got = httpx2.post(f"{url}/v1/chat/completions", json=body, headers={"x-clew-session": session})
            assert server.requests[-1] == body
            answered = EventReader().feed(got.content) if streams else [got.json()]
            assert {choice["index"] for one in answered for choice in one["choices"]} == {0, 1}


def test_a_client_hears_that_an_upstream_is_at_work() -> None:
    heard, waited = Event(), list[bool]()

    def answer(connection: socket.socket) -> None:
        connection.sendall(HEAD + chunk(b": at work\n\n"))
        waited.append(heard.wait(10))
        events = anthropic_events(Says("Done."), 1)
        connection.sendall(b"".join(chunk(event(one)) for one in events) + b"0\r\n\r\n")

    body = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [user("hi")], "stream": True}
    opened = clew.open(":memory:", settings=SETTINGS)
    with opened as engine, raw_upstream(answer) as upstream, gateway(engine, upstream) as url:
        with httpx2.stream("POST", f"{url}/v1/messages", json=body, timeout=30) as streamed:
            got = b""
            for piece in streamed.iter_raw():
                got += piece
                heard.set()
        assert waited == [True]
        assert got.startswith(b":\n\n")
        assert b"message_stop" in got


@pytest.mark.parametrize("notes", [True, False])
def test_items_that_come_at_once_reach_the_client_but_for_hidden_ones(notes: bool) -> None:
    """Some servers of the Responses API send each item as it ends, and nothing before."""

    def answer(path: str, body: Json) -> Answer:
        said = Says("Done.", calls=(OWN,)) if was_called(body) else Says("Looking.", calls=(retrieve(1),))
        made: Any = reply(path, said, stream=True, number=len(server.requests))
        return [one for one in made if one["type"] != "response.output_item.added"]

    opened = clew.open(":memory:", settings=SETTINGS | {"gateway.notes": notes})
    with opened as engine, provider(answer) as server, gateway(engine, server.url) as url:
        body = {"model": "gpt-5", "input": [user("Where?")], "stream": True, "store": False}
        events = EventReader().feed(httpx2.post(f"{url}/v1/responses", json=body, timeout=30).content)
    items = [one for one in events if one["type"] == "response.output_item.done"]
    assert [one["output_index"] for one in items] == [0, 1, 2]
    assert [one["item"].get("name") for one in items] == [None, None, "read_file"]
    assert len(events[-1]["response"]["output"]) == 3
