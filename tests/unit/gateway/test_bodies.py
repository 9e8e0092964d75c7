"""Bodies of requests and replies: packed in every way, and no larger or slower than they may be."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import anyio
import httpx2
import pytest

import clew
from clew.codecs.sources import zstd_module
from clew.engine.engine import Engine
from clew.errors import UsageError
from clew.gateway.bodies import BodyRefused, decompress, read_body
from clew.gateway.passed_response import read_reply
from clew.hooks import switch
from tests.gateway_server import gateway
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, provider
from tests.unit.gateway.test_bad_upstreams import BODY, raw_upstream

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstd_module().compress,
    "raw deflate": lambda data: zlib.compress(data)[2:-4],
}
WORDS = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with clew.open(":memory:") as engine:
        yield engine


def echo(path: str, body: dict[str, Any]) -> Answer:
    return reply(path, Says("Hello."), stream=bool(body.get("stream")))


@pytest.mark.parametrize("name", PACKED)
def test_packed_bodies_pass_as_they_are_and_are_read_both_ways(engine: Engine, name: str) -> None:
    encoding, said = name.removeprefix("raw "), json.dumps(reply("/v1/messages", Says("Hello."), stream=False)).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: {encoding}\r\n"
    packed = PACKED[name](said)
    whole = f"{head}content-length: {len(packed)}\r\n\r\n".encode() + packed
    with (
        raw_upstream(lambda connection: connection.sendall(whole)) as upstream,
        gateway(engine, upstream) as url,
        httpx2.stream(
            "POST",
            f"{url}/v1/messages",
            content=PACKED[name](json.dumps(WORDS).encode()),
            headers={"content-encoding": encoding, "x-clew-session": "s", "accept-encoding": "br, gzip, deflate, zstd"},
            timeout=60,
        ) as got,
    ):
        assert b"".join(got.iter_raw()) == packed
        assert got.headers["content-encoding"] == encoding
    assert [one.text for one in engine.find("s").messages()] == ["hi", "Hello."]


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"no gzip"),
        ("gzip", gzip.compress(json.dumps(WORDS).encode()) + gzip.compress(b"more")),
        ("gzip", gzip.compress(json.dumps(WORDS).encode())[:-9]),
    ],
    ids=["broken", "two in one", "torn"],
)
def test_what_cannot_be_unpacked_passes_and_is_not_recorded(engine: Engine, encoding: str, body: bytes) -> None:
    with provider(echo) as upstream, gateway(engine, upstream.url) as url:
        got = httpx2.post(f"{url}/v1/messages", content=body, headers={"content-encoding": encoding}, timeout=60)
        assert (got.status_code, upstream.bodies) == (200, [body])
        assert upstream.headers[0]["content-encoding"] == encoding
    assert engine.infos() == []


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions", "/v1/messages/count_tokens"])
@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "compress"])
def test_an_encoding_that_is_not_known_is_refused_in_the_words_of_the_api(
    engine: Engine, path: str, encoding: str
) -> None:
    headers = {"content-encoding": encoding}
    with provider(echo) as upstream, gateway(engine, upstream.url) as url:
        got = httpx2.post(f"{url}{path}", content=b"whatever", headers=headers, timeout=60)
        assert (got.status_code, got.json()["error"]["type"]) == (415, "invalid_request_error")
        assert "gzip, deflate, zstd" in got.json()["error"]["message"]
        switch.pause()
        httpx2.post(f"{url}{path}", content=b"whatever", headers=headers, timeout=60)
        switch.resume()
        assert upstream.bodies == [b"whatever"]
    assert engine.infos() == []


@pytest.mark.parametrize("name", PACKED)
def test_a_body_that_unpacks_to_too_much_is_refused(name: str) -> None:
    bomb = PACKED[name](b"0" * 5_000_000)
    with pytest.raises(BodyRefused, match="once it is unpacked"):
        decompress(bomb, name.removeprefix("raw "), 1_000_000)
    with pytest.raises(UsageError, match="goes on behind its end"):
        decompress(PACKED["gzip"](b"{}") + b"rest", "gzip", 100)


def test_a_body_that_does_not_come_is_given_up() -> None:
    async def nothing() -> AsyncIterator[bytes]:
        yield b"{"
        await anyio.sleep_forever()

    with pytest.raises(BodyRefused, match="did not come") as refused:
        asyncio.run(read_body(nothing(), 100, seconds=0.01))
    assert refused.value.status == 408


def test_json_that_is_too_deep_passes_and_is_not_recorded(engine: Engine) -> None:
    deep = b'{"model":"m","messages":[{"role":"user","content":' + b'[{"a":' * 150 + b"1" + b"}]" * 150 + b"}]}"
    with provider(lambda path, body: {"ok": True}) as upstream, gateway(engine, upstream.url) as url:
        assert httpx2.post(f"{url}/v1/messages", content=deep, timeout=60).status_code == 200
        assert upstream.bodies == [deep]
    assert engine.infos() == []


def test_a_reply_without_end_passes_and_is_not_kept(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.gateway.reply._MOST_BYTES", 100_000)
    monkeypatch.setattr("clew.gateway.passed_response._MOST_BYTES", 100_000)
    size, status = 3_000_000, 200

    def answer(connection: Any) -> None:
        head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n"
        connection.sendall(head.encode() + b" " * size)

    with raw_upstream(answer) as upstream, gateway(engine, upstream) as url:
        body = BODY | {"stream": False}
        got = httpx2.post(f"{url}/v1/messages", json=body, headers={"x-clew-session": "s"}, timeout=60)
        assert (got.status_code, got.content) == (200, b" " * size)
        status = 500
        assert httpx2.post(f"{url}/v1/messages", json=body, timeout=60).status_code == 502
    assert [one.text for one in engine.find("s").messages()] == ["hi"]


def test_no_reply_is_read_further_than_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.gateway.passed_response._MOST_BYTES", 1_000)
    bomb = httpx2.Response(200, content=gzip.compress(b"0" * 1_000_000), headers={"content-encoding": "gzip"})
    assert asyncio.run(read_reply(httpx2.Response(200, content=b"{}"))) == b"{}"
    with pytest.raises(httpx2.ReadError, match="too large"):
        asyncio.run(read_reply(bomb))
