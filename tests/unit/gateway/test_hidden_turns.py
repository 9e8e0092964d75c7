"""Calls that the gateway answers itself: the official clients see one clean reply, and the provider sees every byte
again.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any

import httpx2
import pytest

import clew
from clew.engine.engine import Engine
from tests.agent_loops.clients import async_client, client, create, output, read_stream, said_back, tools, user
from tests.effort import THOROUGH
from tests.gateway_server import gateway
from tests.provider_replies import Says, anthropic_events, reply
from tests.provider_server import Answer, ProviderServer, provider
from tests.strict_reasoning import REASONING
from tests.strict_reasoning import upstream as reasoning
from tests.strict_upstream import MODES, StrictUpstream, Upstream
from tests.unit.gateway.test_bad_upstreams import HEAD, chunk, event, raw_upstream

FORMATS = ("anthropic", "openai-chat", "openai-responses")
#: Quick runs try each API in one way.
ALL_WAYS = [(format, streams) for format in FORMATS for streams in (True, False)]
WAYS = ALL_WAYS if THOROUGH else [ALL_WAYS[0], ALL_WAYS[3], ALL_WAYS[4]]
SETTINGS = {"gateway.retrieve": True}
Json = dict[str, Any]
OWN = ("own_1", "read_file", {"path": "a"})
Script = Callable[[Json], Says]


def retrieve(number: int, **given: Any) -> tuple[str, str, Json]:
    """A call of the hidden tool."""
    return f"hidden_{number}", "retrieve_context", given or {"priority": "recent", "format": "full"}


@contextmanager
def served(script: Script, store: Any = ":memory:", **settings: Any) -> Iterator[tuple[str, ProviderServer, Engine]]:
    """A gateway before a scripted model that keeps to the rules of calls and outputs."""

    def answer(path: str, body: Json) -> Answer:
        if not body.get("previous_response_id"):  # the script knows the rest of those
            assert_calls_are_answered(body)
        counts = bool((body.get("stream_options") or {}).get("include_usage"))
        return reply(path, script(body), stream=bool(body.get("stream")), number=len(upstream.requests), counts=counts)

    opened = clew.open(store, settings=SETTINGS | settings)
    with opened as engine, provider(answer) as upstream, gateway(engine, upstream.url) as url:
        yield url, upstream, engine


def sent_items(body: Json) -> list[Json]:
    found = body.get("messages") or body.get("input")
    return [user(found)] if isinstance(found, str) else list(found or [])


def calls_and_outputs(body: Json) -> list[tuple[str, str]]:
    """Ids of calls and of outputs, in the order in which they are sent."""
    found: list[tuple[str, str]] = []
    for item in sent_items(body):
        content = item.get("content") if isinstance(item.get("content"), list) else []
        found += [("call", one["id"]) for one in content if one.get("type") == "tool_use"]
        found += [("output", one["tool_use_id"]) for one in content if one.get("type") == "tool_result"]
        found += [("call", one["id"]) for one in item.get("tool_calls", ())]
        found += [("output", item["tool_call_id"])] if item.get("role") == "tool" else []
        kind = {"function_call": "call", "function_call_output": "output"}.get(item.get("type", ""))
        found += [(kind, item["call_id"])] if kind else []
    return found


def assert_calls_are_answered(body: Json) -> None:
    """Every run of calls is followed by the outputs of just these."""
    open_calls: list[str] = []
    for kind, id in calls_and_outputs(body):
        if kind == "call":
            open_calls.append(id)
        else:
            assert id in open_calls, body
            open_calls.remove(id)
    assert not open_calls, body


def was_called(body: Json, name: str = "hidden_") -> int:
    return sum(kind == "output" and id.startswith(name) for kind, id in calls_and_outputs(body))


def ask(made: Any, format: str, messages: list[Any], *, streams: bool, **options: Any) -> Any:
    options = {"tools": tools(format)} | options
    if streams:
        return asyncio.run(read_stream(made, format, messages, **options))
    return create(made, format, messages, **options)


def counting(format: str, streams: bool) -> Json:
    """What asks a provider to count, where it does not by itself."""
    return {"stream_options": {"include_usage": True}} if format == "openai-chat" and streams else {}


def text_of(format: str, response: Any) -> str:
    if format == "anthropic":
        return "|".join(one.text for one in response.content if one.type == "text")
    return response.choices[0].message.content if format == "openai-chat" else response.output_text


def tools_called(format: str, response: Any) -> list[str]:
    if format == "anthropic":
        return [one.name for one in response.content if one.type == "tool_use"]
    if format == "openai-chat":
        return [one.function.name for one in response.choices[0].message.tool_calls or []]
    return [one.name for one in response.output if one.type == "function_call"]


def assert_prefixes_hold(upstream: ProviderServer, start: int = 0) -> None:
    """Every request begins with all that the one before it had."""
    for before, after in pairwise(upstream.requests[start:]):
        assert after["tools"] == before["tools"]
        assert after.get("system") == before.get("system")
        items = sent_items(before)
        assert json.dumps(sent_items(after)[: len(items)]) == json.dumps(items)


def dumped(format: str, response: Any) -> list[Any]:
    """What clients send back, as plain objects."""
    if format == "anthropic":
        return [{"role": "assistant", "content": [one.model_dump(exclude_none=True) for one in response.content]}]
    return [one.model_dump(exclude_none=True) for one in said_back(format, response)]


@pytest.mark.parametrize(("format", "streams"), ALL_WAYS)
def test_the_client_sees_one_reply_and_the_provider_the_same_bytes_again(format: str, streams: bool) -> None:
    def script(body: Json) -> Says:
        asked = len([one for one in sent_items(body) if one.get("role") == "user" and isinstance(one["content"], str)])
        done = was_called(body, f"hidden_{asked}")
        if done < 2:
            return Says("Let me look." if not done else "", calls=(retrieve(10 * asked + done),))
        return Says(f"It is {asked}.")

    with served(script) as (url, upstream, engine):
        made = client(format, url, default_headers={"x-clew-session": "s"}, max_retries=0)
        messages: list[Any] = [user("How many?")]
        for step in (1, 2, 3):
            got = ask(made, format, messages, streams=streams, **counting(format, streams))
            assert text_of(format, got).replace("\n\n", "|") in (
                f"Let me look.|It is {step}.",
                f"Let me look.It is {step}.",
            )
            assert tools_called(format, got) == []
            messages += [*dumped(format, got), user(f"And {step + 1}?")]
        assert len(upstream.requests) == 9
        assert_prefixes_hold(upstream)
        if format == "anthropic":
            assert (got.stop_reason, got.usage.input_tokens, got.usage.output_tokens) == ("end_turn", 30, 15)
        elif format == "openai-responses":
            assert (got.usage.input_tokens, got.usage.total_tokens) == (30, 45)
        else:
            assert (got.usage.prompt_tokens, got.usage.total_tokens) == (30, 45)
        session = engine.session("s")
        assert [one.role for one in session.messages()] == ["user", "assistant"] * 3
        newest = session.messages()[-1]
        assert newest.usage is not None
        sums = engine.gain().total.sums
        assert (sums.calls, sums.sent, sums.fetches) == (3, 90, 6)
        assert sums.would_send <= 30
        assert newest.usage.input_tokens == 30


@pytest.mark.parametrize(("format", "streams"), WAYS)
def test_a_call_of_a_client_and_a_hidden_one_are_answered_together(format: str, streams: bool) -> None:
    def script(body: Json) -> Says:
        if not was_called(body):
            return Says("Both.", calls=(retrieve(1), OWN, retrieve(2)))
        return Says("Done.")

    with served(script) as (url, upstream, _):
        made = client(format, url, default_headers={"x-clew-session": "s"}, max_retries=0)
        messages: list[Any] = [user("Go.")]
        got = ask(made, format, messages, streams=streams)
        assert (text_of(format, got), tools_called(format, got)) == ("Both.", ["read_file"])
        messages += [*dumped(format, got), output(format, "own_1", "here it is")]
        got = ask(made, format, messages, streams=streams)
        assert text_of(format, got) == "Done."
        assert sorted(id for kind, id in calls_and_outputs(upstream.requests[1]) if kind == "output") == [
            "hidden_1",
            "hidden_2",
            "own_1",
        ]
        messages += [*dumped(format, got), user("Thanks.")]
        ask(made, format, messages, streams=streams)
        assert_prefixes_hold(upstream)


@pytest.mark.parametrize("format", FORMATS)
def test_an_asynchronous_client_streams_through_hidden_calls(format: str) -> None:
    def script(body: Json) -> Says:
        return Says("Found.") if was_called(body) else Says("Looking.", calls=(retrieve(1),))

    async def talk(url: str) -> Any:
        made = async_client(format, url, max_retries=0)
        return await read_stream(made, format, [user("Where?")], tools=tools(format))

    with served(script) as (url, _, _):
        assert "Found." in text_of(format, asyncio.run(talk(url)))


@pytest.mark.parametrize("format", FORMATS)
def test_bad_arguments_and_too_many_calls_are_told_to_the_model(format: str) -> None:
    bad: list[Json] = [{"conversation_ids": [7]}, {"format": "huge"}, {"conversation_ids": ["x99"]}, {"priority": 3}]

    def script(body: Json) -> Says:
        count = was_called(body)
        if "none" in str(body.get("tool_choice")):
            return Says("I give up.")
        return Says("", calls=tuple(retrieve(10 * count + at, **one) for at, one in enumerate(bad)))

    with served(script) as (url, upstream, _):
        made = client(format, url, max_retries=0)
        got = ask(made, format, [user("Where?")], streams=True)
        assert text_of(format, got) == "I give up."
        assert len(upstream.requests) == 5
        assert "Nothing more can be read in this turn" in json.dumps(upstream.requests[-1])
        assert "There is no x99" in json.dumps(upstream.requests[-1])


@pytest.mark.parametrize(("format", "streams"), WAYS)
def test_an_upstream_that_fails_in_the_middle_is_an_error_and_never_an_end(format: str, streams: bool) -> None:
    refusing = [True]

    def answer(path: str, body: Json) -> Answer:
        if was_called(body) and refusing[0]:
            return 529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        said = Says("Fine.") if was_called(body) else Says("Looking.", calls=(retrieve(1),))
        return reply(path, said, stream=bool(body.get("stream")), number=len(upstream.requests))

    opened = clew.open(":memory:", settings=SETTINGS)
    with opened as engine, provider(answer) as upstream, gateway(engine, upstream.url) as url:
        made = client(format, url, default_headers={"x-clew-session": "s"}, max_retries=0)
        with pytest.raises(Exception, match=r"verloaded|response\.completed"):
            ask(made, format, [user("Where?")], streams=streams)
        refusing.clear()
        refusing.append(False)
        assert "Fine." in text_of(format, ask(made, format, [user("Where?")], streams=streams))
        assert engine.session("s").messages()[0].text == "Where?"


def test_words_before_a_hidden_call_are_streamed_and_a_reset_behind_it_is_an_error() -> None:
    heard, rounds = Event(), list[bytes]()

    def answer(connection: socket.socket) -> None:
        rounds.append(b"")
        if len(rounds) == 1:
            events = anthropic_events(Says("Looking.", calls=(retrieve(1),)), 1)
            connection.sendall(HEAD + b"".join(chunk(event(one)) for one in events) + b"0\r\n\r\n")
            return
        heard.wait(30)
        connection.sendall(HEAD + b"".join(chunk(event(one)) for one in anthropic_events(Says("Half a rep"), 2)[:3]))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    body, headers = _request([user("hi")]) | {"stream": True}, {"x-clew-session": "s"}
    opened = clew.open(":memory:", settings=SETTINGS)
    with opened as engine, raw_upstream(answer) as upstream, gateway(engine, upstream) as url:
        with httpx2.stream("POST", f"{url}/v1/messages", json=body, headers=headers, timeout=30) as streamed:
            pieces = streamed.iter_raw()
            got = next(pieces)
            while b"Looking." not in got:
                got += next(pieces)
            heard.set()
            got += b"".join(pieces)
        assert got.count(b"message_start") == 2  # the event's name and its type
        assert b"Half a rep" in got
        assert b"event: error" in got
        assert b"message_stop" not in got
        reply = engine.session("s").messages()[-1]
        assert (reply.text, reply.interrupted) == ("Looking.\nHalf a rep", True)


def test_a_client_that_leaves_amid_a_turn_ends_the_call_upstream() -> None:
    gone, rounds = Event(), list[bytes]()

    def answer(connection: socket.socket) -> None:
        rounds.append(b"")
        says = Says("Looking.", calls=(retrieve(1),)) if len(rounds) == 1 else Says("Half a rep")
        events = [chunk(event(one)) for one in anthropic_events(says, len(rounds))]
        if len(rounds) == 1:
            connection.sendall(HEAD + b"".join(events) + b"0\r\n\r\n")
            return
        connection.sendall(HEAD + b"".join(events[:3]))
        connection.settimeout(30)
        if connection.recv(1) == b"":
            gone.set()

    body, headers = _request([user("hi")]) | {"stream": True}, {"x-clew-session": "s"}
    opened = clew.open(":memory:", settings=SETTINGS)
    with opened as engine, raw_upstream(answer) as upstream, gateway(engine, upstream) as url:
        with httpx2.stream("POST", f"{url}/v1/messages", json=body, headers=headers, timeout=30) as streamed:
            got = b""
            for piece in streamed.iter_raw():
                got += piece
                if b"Half" in got:
                    break
        assert gone.wait(30)
    assert len(rounds) == 2


@pytest.mark.parametrize("streams", [True, False])
def test_a_request_that_goes_on_from_a_response_has_what_was_hidden_in_it(streams: bool) -> None:
    kept: dict[str, list[Json]] = {}

    def script(body: Json) -> Says:
        before = body.get("previous_response_id")
        assert before is None or before in kept
        known = [*kept.get(before or "", []), *sent_items(body)]
        number = len(upstream.requests)
        said = {1: Says("", calls=(retrieve(1),)), 2: Says("One."), 3: Says("", calls=(retrieve(3), OWN))}
        says = said.get(number, Says("Two."))
        answered: Any = reply("/responses", says, stream=False, number=number)
        kept[answered["id"]] = [*known, *answered["output"]]
        assert_calls_are_answered({"input": known})  # also those that the provider alone has
        return says

    with served(script) as (url, upstream, _):
        made = client("openai-responses", url, max_retries=0)
        got = ask(made, "openai-responses", [user("1")], streams=streams)
        assert got.output_text == "One."
        got = ask(made, "openai-responses", [user("2")], streams=streams, previous_response_id=got.id)
        assert tools_called("openai-responses", got) == ["read_file"]
        outputs = [output("openai-responses", "own_1", "here")]
        got = ask(made, "openai-responses", outputs, streams=streams, previous_response_id=got.id)
        assert got.output_text == "Two."


def test_a_clients_own_tool_of_that_name_is_its_own() -> None:
    own = {"name": "retrieve_context", "description": "mine", "input_schema": {"type": "object"}}

    def script(body: Json) -> Says:
        return Says("", calls=(retrieve(1),))

    with served(script) as (url, upstream, _):
        made = client("anthropic", url, default_headers={"x-clew-session": "s"}, max_retries=0)
        got = create(made, "anthropic", [user("Go.")], tools=[own])
        assert tools_called("anthropic", got) == ["retrieve_context"]
        assert upstream.requests[0]["tools"] == [own]
        messages = [user("Go."), *dumped("anthropic", got), output("anthropic", "hidden_1", "mine")]
        create(made, "anthropic", messages, tools=tools("anthropic"))
        assert upstream.requests[1]["tools"] == tools("anthropic")


@pytest.mark.parametrize("format", FORMATS if THOROUGH else FORMATS[:1])
def test_what_a_pack_leaves_out_is_read_back_by_its_id(format: str) -> None:
    def script(body: Json) -> Says:
        if sent_items(body)[-1].get("content") == "Which code?":
            return Says("", calls=(retrieve(1, conversation_ids=["x1"], format="full"),))
        found = "4711-ZX" in json.dumps(sent_items(body)[-1])
        return Says("It is 4711-ZX." if found else f"Noted {len(sent_items(body))}. " + "words of it " * 150)

    with served(script, **{"gateway.max_tokens": 3_000}) as (url, upstream, engine):
        made = client(format, url, default_headers={"x-clew-session": "s"}, max_retries=0)
        words = "".join(f"Line {at} of the page. " for at in range(40)) + "The code is 4711-ZX."
        messages: list[Any] = [user(words)]
        for step in range(14):
            said = dumped(format, ask(made, format, messages, streams=True))
            messages += [*said, user("Which code?" if step == 13 else f"Go on {step}.")]
        got = ask(made, format, messages, streams=True)
        assert text_of(format, got) == "It is 4711-ZX."
        assert len(sent_items(upstream.requests[-1])) < len(messages)
        told = httpx2.get(f"{url}/metrics").text
        assert "clew_gateway_retrievals_total 1.0" in told
        assert engine.session("s").messages()[-1].text == "It is 4711-ZX."


def test_a_part_larger_than_a_turn_may_read_comes_in_pieces() -> None:
    long = "\n".join(f"line {number} of the log" for number in range(2_000))
    asked = iter([{"conversation_ids": ["m1"]}, {"conversation_ids": ["m1"], "offset": 5_000, "limit": 60}])

    def script(body: Json) -> Says:
        is_answered = was_called({"messages": sent_items(body)[-1:]})
        return Says("Ok.") if is_answered else Says("", calls=(retrieve(was_called(body), **next(asked)),))

    with served(script) as (url, upstream, engine):
        made = client("anthropic", url, default_headers={"x-clew-session": "s"}, max_retries=0)
        messages: list[Any] = [user(long)]
        answered = []
        for _ in range(2):
            got = ask(made, "anthropic", messages, streams=False)
            answered.append(sent_items(upstream.requests[-1])[-1]["content"][-1]["content"])
            messages += [*dumped("anthropic", got), user("Go on.")]
        begun, run = (one if isinstance(one, str) else one[0]["text"] for one in answered)
        whole = engine.session("s").recall("m1")[0].text
    assert "m1 (summary, characters 0 to " in begun
    assert "To read on, ask for it with offset " in begun
    assert f"m1 (full, characters 5000 to 5060 of {len(whole)}):\n{whole[5_000:5_060]}" in run


def test_nothing_is_offered_where_secrets_are_masked() -> None:
    with served(lambda body: Says("Hello."), **{"storage.mask_secrets": True}) as (url, upstream, _):
        httpx2.post(f"{url}/v1/messages", json=_request([user("hi")]))
        assert "tools" not in upstream.requests[0]


def test_a_session_that_began_without_the_tool_is_never_offered_it(tmp_path: Path) -> None:
    def script(body: Json) -> Says:
        return Says("Hello.")

    messages = [user("hi"), {"role": "assistant", "content": "Hello."}, user("again")]
    with served(script, tmp_path / "store", **{"gateway.retrieve": False}) as (url, _, _):
        httpx2.post(f"{url}/v1/messages", json=_request(messages[:1]), headers={"x-clew-session": "s"})
    with served(script, tmp_path / "store") as (url, upstream, _):
        httpx2.post(f"{url}/v1/messages", json=_request(messages), headers={"x-clew-session": "s"})
        httpx2.post(f"{url}/v1/messages", json=_request(messages), headers={"x-clew-session": "new"})
        assert [len(one.get("tools", [])) for one in upstream.requests] == [0, 1]
    with served(script, tmp_path / "store", **{"gateway.retrieve": False}) as (url, upstream, _):
        longer = [*messages, {"role": "assistant", "content": "Hello."}, user("more")]
        httpx2.post(f"{url}/v1/messages", json=_request(longer), headers={"x-clew-session": "new"})
        assert len(upstream.requests[0]["tools"]) == 1


def _request(messages: list[Json]) -> Json:
    return {"model": "claude-sonnet-5", "max_tokens": 9, "messages": messages}


@pytest.mark.parametrize("format", FORMATS)
def test_hidden_turns_are_sent_again_after_a_restart_and_by_another_process(format: str, tmp_path: Path) -> None:
    def script(body: Json) -> Says:
        asked = len([one for one in sent_items(body) if one.get("role") == "user" and isinstance(one["content"], str)])
        return Says("OK.") if was_called(body, f"hidden_{asked}") else Says("", calls=(retrieve(asked),))

    messages: list[Any] = [user("1")]
    bodies: list[Json] = []
    for step in range(2):
        shared, beside = served(script, tmp_path / "store"), clew.open(tmp_path / "store")
        with shared as (url, upstream, _), beside as other, gateway(other, upstream.url) as second:
            for place in (url, second):
                made = client(format, place, default_headers={"x-clew-session": "s"}, max_retries=0)
                got = ask(made, format, messages, streams=bool(step))
                assert text_of(format, got) == "OK."
                messages += [*dumped(format, got), user("next")]
                bodies += upstream.requests[len(bodies) % 4 :]
    assert len(bodies) == 8
    assert_prefixes_hold(replace(ProviderServer(lambda path, body: {}), requests=bodies))


STRICT: dict[str, Callable[[], Upstream]] = {
    **{mode.name: partial(StrictUpstream, mode) for mode in MODES[:5]},
    **{name: partial(reasoning, name) for name in REASONING if name.startswith("responses")},
}


def without_marks(value: Any) -> Any:
    """Items without marks of the cache, which move."""
    if isinstance(value, dict):
        return {name: without_marks(one) for name, one in value.items() if name != "cache_control"}
    return [without_marks(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", STRICT if THOROUGH else ("enabled", "adaptive", "responses, sealed"))
def test_thinking_stays_valid_over_hidden_calls_and_epochs(name: str) -> None:
    upstream = STRICT[name]()
    format = upstream.format
    steps = 24 if THOROUGH else 14

    def says(body: Json) -> Says:
        number = upstream.requests
        own = ("read_file", f"own_{number}", {"path": f"f{number}"})
        if number % 4 == 1:
            return Says(tool="retrieve_context", id=f"h{number}", arguments={"priority": "recent"})
        if number % 4 == 2:
            return Says(tool=own[0], id=own[1], arguments=own[2])
        if number % 4 == 0 and format == "anthropic":
            return Says("Both.", calls=(retrieve(number), (own[1], own[0], own[2])))
        return Says(f"Answer {number}: " + f"fact {number} " * 120)

    settings = SETTINGS | {"gateway.max_tokens": 3_000}
    about = upstream.mode.settings | {"model": upstream.mode.model}
    if format == "anthropic":
        about |= {"max_tokens": 2_000}
    opened = clew.open(":memory:", settings=settings)
    with opened as engine, provider(upstream.script(says)) as server, gateway(engine, server.url) as url:
        made = client(format, url, default_headers={"x-clew-session": "s"}, max_retries=0)
        messages: list[Any] = [user("Begin. " + "words " * 40)]
        epochs = set()
        for step in range(steps):
            got = ask(made, format, messages, streams=step % 2 == 0, **about)
            assert "retrieve_context" not in tools_called(format, got)
            messages += dumped(format, got)
            called = [one[1] for one in calls_and_outputs({"messages": dumped(format, got)}) if one[0] == "call"]
            messages += [output(format, id, "contents " * 100) for id in called] or [user(f"Go on {step}.")]
            epochs.add(json.dumps(sent_items(server.requests[-1])[0])[:400])
    assert upstream.refused == []
    for before, after in pairwise(server.requests):
        known, sent = (without_marks(sent_items(one)) for one in (before, after))
        assert sent[0] != known[0] or sent[: len(known)] == known  # the same epoch has the same beginning
    assert len(epochs) > (2 if THOROUGH else 1)


def hidden_rows(engine: Engine, prefix: str = "reply/") -> list[str]:
    """Names of what is kept for clients that never saw it."""
    key = engine.find("s").key
    return [name for name, _ in engine.store.rows(key, "gateway", start=prefix, stop=prefix + "~")]


@pytest.mark.parametrize("name", STRICT if THOROUGH else ("enabled-once", "adaptive", "responses, sealed"))
def test_what_was_hidden_goes_when_its_epoch_ends_and_an_undo_stays_valid(name: str) -> None:
    upstream = STRICT[name]()
    format = upstream.format

    def says(body: Json) -> Says:
        number = upstream.requests
        if number % 3 == 1:
            return Says(tool="retrieve_context", id=f"h{number}", arguments={"priority": "recent"})
        return Says(f"Answer {number}: " + f"fact {number} " * 60)

    about = upstream.mode.settings | {"model": upstream.mode.model}
    about |= {"max_tokens": 2_000} if format == "anthropic" else {}
    opened = clew.open(":memory:", settings=SETTINGS | {"gateway.max_tokens": 3_000})
    with opened as engine, provider(upstream.script(says)) as server, gateway(engine, server.url) as url:
        made = client(format, url, default_headers={"x-clew-session": "s"}, max_retries=0)
        messages: list[Any] = [user("Begin. " + "words " * 40)]

        def go_on(steps: int) -> int:
            """The epoch after some steps."""
            for _ in range(steps):
                got = ask(made, format, messages, streams=False, **about)
                messages.extend([*dumped(format, got), user(f"Go on {len(messages)}.")])
            return max((int(one.split("/")[1]) for one in hidden_rows(engine)), default=0)

        epoch = first = go_on(3)
        while epoch < first + 2:
            epoch = go_on(1)
        assert {int(one.split("/")[1]) for one in hidden_rows(engine)} == {epoch}
        assert len(hidden_rows(engine, "response/")) <= 1
        for _ in range(epoch - first):
            engine.session("s").undo()
            go_on(1)
    assert upstream.refused == []


NOTES = '\n\n<clew-housekeeping>\n{"model": {"response_header": "A note"}}\n</clew-housekeeping>'


@pytest.mark.parametrize(("format", "streams"), WAYS)
def test_notes_are_asked_for_recorded_and_never_seen(format: str, streams: bool) -> None:
    def script(body: Json) -> Says:
        assert "clew-housekeeping" in json.dumps(body)
        if not was_called(body):
            return Says("Looking." + NOTES, calls=(retrieve(1),))
        return Says("We take B." + NOTES)

    with served(script, **{"gateway.notes": True}) as (url, upstream, engine):
        made = client(format, url, default_headers={"x-clew-session": "s"}, max_retries=0)
        messages: list[Any] = [user("A or B?")]
        got = ask(made, format, messages, streams=streams)
        assert text_of(format, got).replace("|", "").replace("\n\n", "") == "Looking.We take B."
        assert "housekeeping" not in got.model_dump_json()
        messages += [*dumped(format, got), user("Good.")]
        ask(made, format, messages, streams=streams)
        assert_prefixes_hold(upstream)
        replies = [one for one in sent_items(upstream.requests[-1]) if one.get("role") == "assistant"]
        assert json.dumps(replies).count("A note") == 2
        first = engine.session("s").messages()[1]
        assert first.text.replace("\n", "") == "Looking.We take B."
        assert "A note" in engine.session("s").recall("x1", "header")[0].text


@pytest.mark.parametrize(("format", "streams"), WAYS)
def test_usage_is_as_the_clients_history_would_have_been(format: str, streams: bool) -> None:
    def script(body: Json) -> Says:
        return Says(f"word {len(sent_items(body))} " * 150)

    settings = {"gateway.retrieve": False, "gateway.usage": "history", "gateway.max_tokens": 3_000}
    with served(script, **settings) as (url, _, engine):
        made = client(format, url, default_headers={"x-clew-session": "s"}, max_retries=0)
        messages: list[Any] = [user("Begin.")]
        for step in range(16):
            got = ask(made, format, messages, streams=streams, **counting(format, streams))
            messages += [*dumped(format, got), user(f"Go on {step}.")]
        counted = engine.session("s").messages()[-1].usage
    assert counted is not None
    assert counted.input_tokens == 10
    told = got.usage
    shown = told.prompt_tokens if format == "openai-chat" else told.input_tokens
    shown += (told.cache_read_input_tokens or 0) if format == "anthropic" else 0
    assert shown > 1_000, shown
