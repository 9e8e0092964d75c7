"""Sessions of requests: what names them, who has them, and what is left of them."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

import clew
from clew.engine.engine import Engine
from clew.gateway.session_names import session_name
from clew.server.access_tokens import AccessTokens
from tests.agent_loops.clients import client
from tests.agent_loops.script import SHORT
from tests.gateway_server import gateway
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, provider
from tests.unit.gateway.test_bad_upstreams import raw_upstream


@pytest.fixture
def engine() -> Iterator[Engine]:
    with clew.open(":memory:", settings={"gateway.max_tokens": SHORT.budget}) as engine:
        yield engine


def echo(path: str, body: dict[str, Any]) -> Answer:
    sent = body.get("messages") or body.get("input") or []
    return reply(path, Says(f"I was sent {len(sent)}."), stream=bool(body.get("stream")), number=len(sent))


def test_a_header_chooses_the_large_window() -> None:
    sizes: list[int] = []
    off = {"compaction.auto": False}
    with (
        clew.open(":memory:", settings=off) as engine,
        provider(echo) as upstream,
        gateway(engine, upstream.url) as url,
    ):
        for beta in ("", "context-1m-2025-08-07"):
            headers, talk = {"x-clew-session": f"s{beta}", "anthropic-beta": beta}, []
            for part in range(2):
                talk.append({"role": "user", "content": f"{part} " + "word " * 95_000})
                body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": talk}
                got = httpx2.post(f"{url}/v1/messages", json=body, headers=headers, timeout=60).json()
                talk.append({"role": "assistant", "content": got["content"]})
            sizes.append(len(upstream.bodies[-1]))
    assert sizes[0] < 180_000 * 5 < sizes[1]


@pytest.mark.parametrize(
    ("headers", "body", "name"),
    [
        ({"x-claude-code-session-id": "s", "x-claude-code-agent-id": "a1"}, {}, "s.a1"),
        ({"x-claude-code-agent-id": "a1"}, {"metadata": {"user_id": "u_account__session_01234567"}}, "01234567.a1"),
        ({"session-id": "s", "thread-id": "s"}, {}, "s"),
        ({"session-id": "s", "thread-id": "t"}, {}, "s.t"),
        ({"thread-id": "t"}, {}, "t"),
        ({"x-clew-session": "mine", "session-id": "s", "thread-id": "s"}, {}, "mine"),
        ({"x-claude-code-agent-id": "a1"}, {}, ""),
    ],
)
def test_a_subagent_is_a_thread_of_its_own(headers: dict[str, str], body: dict[str, Any], name: str) -> None:
    assert session_name(headers, body) == name


def test_models_are_listed_by_the_api_that_asks(engine: Engine) -> None:
    def listing(name: bytes) -> Callable[[socket.socket], None]:
        return lambda one: one.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(name), name))

    with (
        raw_upstream(listing(b"claude")) as claude,
        raw_upstream(listing(b"gpt")) as gpt,
        gateway(engine, claude, openai=gpt) as url,
    ):
        for headers, name in (({"anthropic-version": "2023-06-01"}, "claude"), ({}, "gpt")):
            for path in ("/v1/models", "/v1/models/one"):
                assert httpx2.get(f"{url}{path}", headers=headers, timeout=60).text == name


SUMMARY = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nSum the conversation up."
REMINDER = {"role": "system", "content": "The task tools have not been used recently."}


@pytest.mark.parametrize(
    "later", [[], [REMINDER], [REMINDER, {"role": "user", "content": "<system-reminder>so</system-reminder>"}]]
)
def test_a_client_may_add_messages_behind_its_request_for_a_summary(engine: Engine, later: list[Any]) -> None:
    headers = {"user-agent": "claude-cli/2.1", "x-claude-code-session-id": "s"}
    tools = [{"name": "look", "description": "looks", "input_schema": {"type": "object"}}]
    talk: list[Any] = [{"role": "user", "content": "Look at it."}]
    with provider(echo) as upstream, gateway(engine, upstream.url) as url:

        def ask(messages: list[Any]) -> httpx2.Response:
            body = {"model": "claude-sonnet-5", "max_tokens": 9, "tools": tools, "messages": messages}
            return httpx2.post(f"{url}/v1/messages", json=body, headers=headers, timeout=60)

        talk.append({"role": "assistant", "content": ask(talk).json()["content"]})
        before = engine.find("s").messages()
        asked = [*talk, {"role": "user", "content": [{"type": "text", "text": SUMMARY}]}, *later]
        assert "x-clew-session" not in ask(asked).headers
        assert upstream.requests[-1]["messages"] == asked
        assert engine.find("s").messages() == before
        ask([*talk, {"role": "user", "content": "Go on."}])
        assert [one.text for one in engine.find("s").messages()][2] == "Go on."


def test_purge_leaves_nothing_of_lists_and_responses(engine: Engine) -> None:
    with provider(echo) as upstream, gateway(engine, upstream.url) as url:
        for words in ("hi", "ho"):
            client("openai-responses", url).responses.create(model="gpt-5", input=words)
    first, second = (one.key for one in engine.infos())

    def stored() -> dict[str, bytes]:
        return engine.store.values(first.tenant, first.user, "gateway-list")

    def named(id: str) -> list[str]:
        return [name for name, value in stored().items() if name.endswith(id) or value.decode() == id]

    assert len(named(first.id)) >= 2
    engine.purge(first)
    assert (named(first.id), len(named(second.id)) >= 2) == ([], True)
    engine.purge(second)
    assert [value for value in stored().values() if value] == []


@pytest.mark.parametrize("headers", [{}, {"x-clew-session": "s"}])
@pytest.mark.parametrize("settings", [{}, {"gateway.retrieve": True}])
def test_a_conversation_whose_first_request_is_refused_leaves_nothing(
    headers: dict[str, str], settings: dict[str, Any]
) -> None:
    refusals = iter([400, 401, 500])

    def answer(path: str, body: dict[str, Any]) -> Answer:
        status = next(refusals, 200)
        return (status, {"error": {"message": "no"}}) if status != 200 else echo(path, body)

    talk: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
    with (
        clew.open(":memory:", settings=settings) as engine,
        provider(answer) as upstream,
        gateway(engine, upstream.url) as url,
    ):

        def ask() -> httpx2.Response:
            body = {"model": "gpt-5", "messages": talk}
            return httpx2.post(f"{url}/v1/chat/completions", json=body, headers=headers, timeout=60)

        for status in (400, 401, 500):
            assert ask().status_code == status
            assert engine.infos() == []
        talk.append(ask().json()["choices"][0]["message"])
        (info,) = engine.infos()
        assert [one.role for one in engine.find(info.key.id).messages()][-2:] == ["user", "assistant"]
        refusals = iter([400])
        talk.append({"role": "user", "content": "And?"})
        assert ask().status_code == 400
        assert [one.text for one in engine.find(info.key.id).messages()][-1] == "And?"
        assert ask().status_code == 200
        assert [one.role for one in engine.find(info.key.id).messages()][-3:] == ["assistant", "user", "assistant"]
        assert len(engine.infos()) == 1


def test_a_token_goes_on_in_sessions_of_its_user_alone(engine: Engine) -> None:
    tokens = AccessTokens(engine.store, engine.services.clock)
    ana, bob = (tokens.make(name, user=name)[1] for name in ("ana", "bob"))
    words = "The code word is tangerine-42. " * 300
    with provider(echo) as upstream, gateway(engine, upstream.url) as url:

        def ask(token: str, path: str, **body: Any) -> httpx2.Response:
            headers = {"x-clew-token": token, "x-clew-user": "ana", "authorization": "Bearer sk-shared"}
            return httpx2.post(f"{url}{path}", json={"model": "gpt-5"} | body, headers=headers, timeout=60)

        first = ask(ana, "/v1/responses", input=words).json()
        talk = [{"role": "user", "content": words}]
        talk += [ask(ana, "/v1/chat/completions", messages=talk).json()["choices"][0]["message"]]
        talk += [{"role": "user", "content": "And?"}]
        known = {one.key.id for one in engine.infos()}
        # By the id of a response, by the same list and by a session's own name: nothing of hers is gone on from.
        stray = ask(bob, "/v1/responses", input="Which word?", previous_response_id=first["id"])
        assert ("x-clew-session" in stray.headers, b"tangerine" in upstream.bodies[-1]) == (False, False)
        assert ask(bob, "/v1/chat/completions", messages=talk).headers["x-clew-session"] not in known
        for name in known:
            headers = {"x-clew-token": bob, "x-clew-session": name}
            body = {"model": "gpt-5", "messages": [{"role": "user", "content": "Which word?"}]}
            httpx2.post(f"{url}/v1/chat/completions", json=body, headers=headers, timeout=60)
            assert b"tangerine" not in upstream.bodies[-1]
        assert ask(ana, "/v1/chat/completions", messages=talk).headers["x-clew-session"] in known
    assert {one.key.user for one in engine.infos()} == {"ana", "bob"}


def test_epochs_are_counted_of_sessions_that_go_through(engine: Engine) -> None:
    def counted() -> float:
        told = httpx2.get(f"{url}/metrics", timeout=60).text
        return float(told.partition("\nclew_gateway_epochs_total ")[2].partition("\n")[0])

    talk: list[Any] = []
    starts: list[str] = []
    engine.on("compaction.complete", lambda event: starts.append(event.data["session"]))
    with provider(echo) as upstream, gateway(engine, upstream.url) as url:
        other = engine.session("other")
        other.record([clew.user("word " * 4_000) for _ in range(4)])
        other.compact(budget=6_000)
        assert (starts, counted()) == (["other"], 0)
        starts.clear()
        for step in range(12):
            talk += [{"role": "user", "content": f"{step} " + "word " * 700}]
            body = {"model": "gpt-5", "messages": talk}
            got = httpx2.post(
                f"{url}/v1/chat/completions", json=body, headers={"x-clew-session": "s"}, timeout=60
            ).json()
            talk += [got["choices"][0]["message"]]
        assert counted() == len(starts) > 0
