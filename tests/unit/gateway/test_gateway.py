"""The gateway before a provider: the official clients through it, and what passes byte for byte."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

import clew
from clew.config import GatewayConfig
from clew.engine.engine import Engine
from clew.errors import UsageError
from clew.gateway.upstreams import upstreams_of
from clew.hooks import switch
from tests.agent_loops.clients import async_client, client, run_client
from tests.agent_loops.script import SHORT, assert_all_went_well
from tests.effort import THOROUGH
from tests.gateway_server import gateway
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, ProviderServer, provider
from tests.strict_upstream import SAMPLED, Mode, StrictUpstream

FORMATS = ("anthropic", "openai-chat", "openai-responses")


@pytest.fixture
def engine() -> Iterator[Engine]:
    with clew.open(":memory:", settings={"gateway.max_tokens": SHORT.budget}) as engine:
        yield engine


def echo(path: str, body: dict[str, Any]) -> Answer:
    """A provider that says how many messages it was sent."""
    sent = body.get("messages") or body.get("input") or []
    return reply(path, Says(f"I was sent {len(sent)}."), stream=bool(body.get("stream")), number=len(sent))


@contextmanager
def served(engine: Engine, script: Any = echo) -> Iterator[tuple[str, ProviderServer]]:
    with provider(script) as upstream, gateway(engine, upstream.url) as url:
        yield url, upstream


#: Quick runs try one API in one way.
LOOPS = [(format, streams) for format in FORMATS for streams in (False, True)]
SAMPLED_LOOPS = LOOPS if THOROUGH else LOOPS[1:2]


@pytest.mark.parametrize(("format", "streams"), SAMPLED_LOOPS)
def test_a_long_agent_loop_stays_small_and_valid(engine: Engine, format: str, streams: bool) -> None:
    assert_all_went_well(run_client(engine, format, work=SHORT, streams=streams, by_gateway=True))


@pytest.mark.parametrize("mode", SAMPLED if THOROUGH else SAMPLED[:1], ids=str)
def test_thinking_stays_valid_in_every_mode(engine: Engine, mode: Mode) -> None:
    upstream = StrictUpstream(mode)
    run = run_client(engine, "anthropic", work=SHORT, upstream=upstream, by_gateway=True)
    assert upstream.refused == []
    assert_all_went_well(run)


BODY = (
    b'{ "model":"claude-sonnet-5",\n "max_tokens": 9, "unknown_field": {"a": 1.50},'
    b'\n "messages":[{"role":"user","content":"hi"}]}'
)
JSON = {"content-type": "application/json"}


def test_a_request_and_its_reply_pass_byte_for_byte_until_an_epoch_begins(engine: Engine) -> None:
    with served(engine) as (url, upstream):
        straight = httpx2.post(f"{upstream.url}/v1/messages", content=BODY, headers=JSON)
        through = httpx2.post(f"{url}/v1/messages", content=BODY, headers=JSON)
        assert upstream.bodies == [BODY, BODY]
        assert through.content == straight.content
        passing = {"x-request-id", "date", "server"}
        assert straight.headers.keys() - passing == {one for one in through.headers if "clew" not in one} - passing
        assert through.headers["x-clew-tokens-before"] == through.headers["x-clew-tokens-after"]
    (info,) = engine.infos()
    assert [one.text for one in engine.find(info.key.id).messages()] == ["hi", "I was sent 1."]


def test_while_paused_everything_passes_and_nothing_is_recorded(engine: Engine) -> None:
    talk = [{"role": "user", "content": f"Question {number}. " + "why " * 400} for number in range(40)]
    body = json.dumps({"model": "claude-sonnet-5", "max_tokens": 9, "messages": talk}).encode()
    named = JSON | {"x-clew-session": "s"}
    with served(engine) as (url, upstream):
        switch.pause()
        httpx2.post(f"{url}/v1/messages", content=body, headers=named)
        assert (upstream.bodies, engine.infos()) == ([body], [])
        switch.resume()
        httpx2.post(f"{url}/v1/messages", content=body, headers=named)
        assert len(upstream.bodies[1]) < len(body) / 2
        switch.pause()
        httpx2.post(f"{url}/v1/messages", content=body, headers=named)
        switch.resume()
        assert upstream.bodies[2] == body


def test_a_conversation_without_a_name_is_found_by_what_it_has_said(engine: Engine) -> None:
    talk = [{"role": "user", "content": "hi"}]
    with served(engine) as (url, _):
        plain = client("anthropic", url)
        for words in ("And now?", "And then?"):
            said = plain.messages.create(model="claude-sonnet-5", max_tokens=9, messages=talk)
            talk += [{"role": "assistant", "content": said.content[0].text}, {"role": "user", "content": words}]
        other = plain.messages.create(model="claude-sonnet-5", max_tokens=9, messages=talk[:1])
        assert other.content[0].text == "I was sent 1."
    assert sorted(len(engine.find(one.key.id).messages()) for one in engine.infos()) == [2, 4]


def test_nothing_said_in_one_conversation_reaches_another(engine: Engine) -> None:
    with served(engine) as (url, upstream):
        for name, words in (("one", "I'm diabetic and I live in Brno."), ("two", "What do you know of me?")):
            httpx2.post(
                f"{url}/v1/chat/completions",
                json={"model": "gpt-5", "messages": [{"role": "user", "content": words}]},
                headers={"x-clew-session": name},
            )
        assert b"diabetic" not in upstream.bodies[1]
    assert all(not one.named for one in engine.infos())


def test_compressed_requests_are_understood(engine: Engine) -> None:
    with served(engine) as (url, upstream):
        packed = gzip.compress(BODY)
        httpx2.post(f"{url}/v1/messages", content=packed, headers=JSON | {"content-encoding": "gzip"})
        assert upstream.bodies == [packed]
    (info,) = engine.infos()
    assert engine.find(info.key.id).messages()[0].text == "hi"


def test_a_request_that_was_too_long_is_sent_once_more(engine: Engine) -> None:
    refused: list[int] = []

    def script(path: str, body: dict[str, Any]) -> Answer:
        if len(json.dumps(body)) > 30_000:
            refused.append(1)
            said = "prompt is too long: 20000 tokens > 10000 maximum"
            return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": said}}
        return echo(path, body)

    long = [
        {"role": "user" if at % 2 == 0 else "assistant", "content": f"part {at}: " + f"words of {at} " * 60}
        for at in range(61)
    ]
    with clew.open(":memory:") as wide, served(wide, script) as (url, upstream):
        plain = client("anthropic", url, max_retries=0)
        said = plain.messages.create(model="claude-sonnet-5", max_tokens=9, messages=long)
        assert said.content[0].text.startswith("I was sent ")
        assert (len(refused), len(upstream.bodies)) == (1, 2)


def test_errors_of_the_provider_come_back_as_they_are(engine: Engine) -> None:
    told = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with served(engine, lambda path, body: (529, told)) as (url, _):
        got = httpx2.post(f"{url}/v1/messages", content=BODY, headers=JSON)
        assert (got.status_code, got.json()) == (529, told)
        assert httpx2.post(f"{url}/v1/messages", content=b"no json", headers=JSON).status_code == 529
    gone = "http://127.0.0.1:9"
    with gateway(engine, gone) as url:
        got = httpx2.post(f"{url}/v1/messages", content=BODY, headers=JSON)
        assert (got.status_code, got.json()["type"]) == (502, "error")


def test_a_key_of_the_client_goes_to_the_provider_and_a_token_of_ours_does_not(engine: Engine) -> None:
    with served(engine) as (url, upstream):
        for given in ({"x-api-key": "sk-ant-1"}, {"x-api-key": "sk-ant-1", "x-clew-token": "clew_no"}):
            httpx2.post(f"{url}/v1/messages", content=BODY, headers=JSON | given)
        assert [one.get("x-api-key") for one in upstream.headers] == ["sk-ant-1"]
        assert not any(name.startswith("x-clew") for one in upstream.headers for name in one)


def test_clients_of_both_kinds_talk_at_the_same_time(engine: Engine) -> None:
    async def talk(format: str, name: str) -> None:
        made = async_client(format, url, default_headers={"x-clew-session": name})
        place = made.messages if format == "anthropic" else made.chat.completions
        for _ in range(5):
            await place.create(model="claude-sonnet-5", max_tokens=9, messages=[{"role": "user", "content": name}])

    async def all_talks() -> None:
        await asyncio.gather(*(talk(FORMATS[at % 2], f"talk-{at}") for at in range(12)))

    with served(engine) as (url, _):
        asyncio.run(all_talks())
    assert len(engine.infos()) == 12


def test_what_is_really_sent_counts_also_where_outputs_could_be_shorter(engine: Engine) -> None:
    talk: list[Any] = [{"role": "user", "content": "Watch the log."}]
    with served(engine) as (url, upstream):
        for step in range(12):
            log = "\n".join(f"2026-01-01 10:00:{at:02} INFO worker took job {at}" for at in range(120))
            call = {"id": f"c{step}", "type": "function", "function": {"name": "tail", "arguments": "{}"}}
            talk += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": call["id"], "content": log},
            ]
            body = {"model": "gpt-5", "messages": talk}
            last = httpx2.post(f"{url}/v1/chat/completions", json=body, headers={"x-clew-session": "s"})
            talk.append({"role": "assistant", "content": upstream_words(upstream)})
        assert max(map(len, upstream.bodies)) < 4 * SHORT.budget
        assert len(upstream.bodies) == 12
        assert int(last.headers["x-clew-tokens-after"]) < int(last.headers["x-clew-tokens-before"])


def upstream_words(upstream: ProviderServer) -> str:
    """What the upstream said last."""
    return f"I was sent {len(upstream.requests[-1]['messages'])}."


def test_requests_that_go_on_from_a_response_are_packed_from_the_record(engine: Engine) -> None:
    kept: dict[str, int] = {}

    def script(path: str, body: dict[str, Any]) -> Answer:
        before = body.get("previous_response_id")
        assert before is None or before in kept
        answered: Any = reply(
            path, Says(f"Noted {len(upstream.requests)}."), stream=False, number=len(upstream.requests)
        )
        kept[answered["id"]] = kept.get(before, 0) + len(json.dumps(body["input"]))
        return answered

    with served(engine, script) as (url, upstream):
        plain, last = client("openai-responses", url), None
        for step in range(40):
            words = f"Fact {step} is {step * 7919}. " + f"It was seen in place {step}. " * 20
            said = plain.responses.create(model="gpt-5", input=words, previous_response_id=last)
            last = said.id
        assert not any(one.get("previous_response_id") for one in upstream.requests[30:])
        assert max(kept.values()) < 8 * SHORT.budget
        stray = plain.responses.create(model="gpt-5", input="hi", previous_response_id="resp_1")
        assert upstream.requests[-1]["previous_response_id"] == "resp_1"
        assert stray.output_text.startswith("Noted")
    (info,) = engine.infos()
    assert len(engine.find(info.key.id).messages()) == 80


def test_metrics_count_requests_and_tokens_and_say_nothing_of_anybody(engine: Engine) -> None:
    with served(engine) as (url, _):
        httpx2.post(f"{url}/v1/messages", content=BODY, headers=JSON | {"x-clew-session": "secret-name"})
        httpx2.post(f"{url}/v1/messages", content=BODY, headers=JSON | {"x-clew-bypass": "1"})
        told = httpx2.get(f"{url}/metrics").text
    assert 'clew_gateway_requests_total{format="anthropic",status="200",way="whole"} 1.0' in told
    assert 'clew_gateway_requests_total{format="anthropic",status="200",way="passed"} 1.0' in told
    assert "clew_gateway_tokens_before_total" in told
    assert "secret-name" not in told


def test_paths_and_queries_go_on_as_they_are_written(engine: Engine) -> None:
    with served(engine) as (url, upstream):
        httpx2.post(f"{url}/v1/messages/count_tokens?beta=true&x=%2F", content=BODY, headers=JSON)
        assert upstream.paths == ["/v1/messages/count_tokens?beta=true&x=%2F"]
        assert httpx2.post(f"{url}/v1/files", content=BODY).status_code == 404
    assert engine.infos() == []


def test_equal_beginnings_of_nameless_conversations_are_never_one_session(engine: Engine) -> None:
    async def talk(number: int, barrier: asyncio.Barrier) -> list[str]:
        made, said = async_client("anthropic", url), [{"role": "user", "content": "hi"}]
        for step in range(6):
            await barrier.wait()
            answer = await made.messages.create(model="claude-sonnet-5", max_tokens=9, messages=said)
            words = f"SECRET-{number}-{step} " * 150
            said += [{"role": "assistant", "content": answer.content[0].text}, {"role": "user", "content": words}]
        return [json.dumps(body) for body in upstream.requests if f"SECRET-{number}-" in json.dumps(body)]

    async def all_talks() -> list[list[str]]:
        barrier = asyncio.Barrier(6)
        return await asyncio.gather(*(talk(number, barrier) for number in range(6)))

    with served(engine) as (url, upstream):
        for number, sent in enumerate(asyncio.run(all_talks())):
            others = [f"SECRET-{other}-" for other in range(6) if other != number]
            assert sent
            assert not [one for one in sent for other in others if other in one]


@pytest.mark.parametrize("key", ["shared", "other"])
def test_a_key_of_the_cache_is_no_name(engine: Engine, key: str) -> None:
    with served(engine) as (url, upstream):
        for words in ("I'm diabetic.", "What do you know of me?"):
            body = {"model": "gpt-5", "prompt_cache_key": key, "messages": [{"role": "user", "content": words}]}
            httpx2.post(f"{url}/v1/chat/completions", json=body, headers={"authorization": f"Bearer sk-{words[0]}"})
        assert b"diabetic" not in upstream.bodies[1]
    assert len(engine.infos()) == 2


def test_models_go_to_the_upstream_that_has_them_and_nowhere_else(engine: Engine) -> None:
    config = GatewayConfig(
        upstreams={
            "local": {"url": "http://127.0.0.1:8080/v1", "api": "openai", "models": "qwen* llama*", "key": "LOCAL"}
        }
    )
    upstreams = upstreams_of(config)
    assert upstreams.find("openai", "qwen3").name == "local"
    assert upstreams.find("openai").name == "local"
    assert upstreams.find("anthropic", "claude-x").url == "https://api.anthropic.com"
    with pytest.raises(UsageError, match="no upstream"):
        upstreams.find("openai", "gpt-5")
    two = upstreams_of(GatewayConfig(upstreams=config.upstreams | {"public": {"url": "https://api.openai.com"}}))
    assert two.find("openai", "").name == "public"
    with pytest.raises(UsageError, match="cannot be read"):
        two.find("openai", None)
    with served(engine) as (url, upstream):
        for path in ("/v1/models/..%2f..%2fadmin", "/v1/models/../files/secret"):
            raw = httpx2.Client().build_request("GET", url)
            raw.url = httpx2.URL(url).copy_with(raw_path=path.encode())
            assert httpx2.Client().send(raw).status_code == 404
        assert upstream.paths == []


def test_bodies_in_pieces_and_odd_lists_are_taken(engine: Engine) -> None:
    with served(engine) as (url, upstream):
        for path in ("/v1/messages", "/v1/messages/count_tokens"):
            pieces = iter([BODY[:40], BODY[40:]])
            assert httpx2.post(f"{url}{path}", content=pieces, headers=JSON).status_code == 200
        assert upstream.bodies == [BODY, BODY]
        httpx2.post(f"{url}/v1/messages", json={"model": "m", "messages": 5})
        assert upstream.requests[-1]["messages"] == 5


def test_the_first_request_goes_as_it_is_however_long(engine: Engine) -> None:
    long = {"model": "a-model-nobody-knows", "messages": [{"role": "user", "content": "word " * 300_000}]}
    with clew.open(":memory:") as wide, served(wide) as (url, upstream):
        httpx2.post(f"{url}/v1/chat/completions", json=long, timeout=60)
        assert upstream.requests == [long]
