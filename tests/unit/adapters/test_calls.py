"""Calls of wrapped clients that overlap, fail or are cancelled: each sends the caller's own list."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

import clew
from clew.engine.engine import Engine
from tests.cancellation import cancelling
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, ProviderServer, provider
from tests.unit.adapters.test_clients import FORMATS, answering, async_client, client, create, said_back, user

anthropic = pytest.importorskip("anthropic")

pytestmark = pytest.mark.stores("memory")


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with provider(answering) as served:
        yield served


def echo(path: str, body: dict[str, Any]) -> Answer:
    """Answers with the question, so that an answer tells whose it is."""
    asked = (body.get("messages") or body["input"])[-1]["content"]
    text = asked if isinstance(asked, str) else asked[-1]["text"]
    return reply(path, Says(f"About {text}"), stream=bool(body.get("stream")), number=hash(text) % 1000)


def view(session: clew.Session) -> list[str]:
    return [message.text for message in session.reader.recent_messages(99)]


@FORMATS
@pytest.mark.parametrize("shares_client", [True, False])
def test_lists_that_overlap_get_prompts_of_their_own(engine: Engine, format: str, *, shares_client: bool) -> None:
    session, lists = engine.session("s"), {"a": [user("a0")], "b": [user("b0")]}

    def ask(name: str) -> None:
        own = wrapped if shares_client else clew.wrap(client(format, served), session=engine.session("s"))
        response = create(own, format, lists[name])
        lists[name] += [*said_back(format, response), user(f"{name}{len(lists[name])}")]

    def script(path: str, body: dict[str, Any]) -> Answer:
        if "b0" not in json.dumps(body):
            ask("b")  # while the call of the other list waits for this answer
        return echo(path, body)

    with provider(script) as served:
        wrapped = clew.wrap(client(format, served), session=session)
        for _ in range(3):
            ask("a")
    assert view(session) == ["a0", "About a0", "a1", "About a1", "a3", "About a3"]
    assert view(engine.session("s.2")) == ["b0", "About b0", "b1", "About b1", "b3", "About b3"]
    for request in served.requests:
        sent = json.dumps(request.get("messages") or request["input"])
        assert not ('"a0"' in sent and '"b0"' in sent)


def test_tasks_that_share_a_beginning_each_go_on_from_it(engine: Engine) -> None:
    session = engine.session("s")

    async def talk() -> list[str]:
        async with clew.wrap(async_client("anthropic", served), session=session) as wrapped:
            shared: list[Any] = [user("q0")]
            shared += said_back("anthropic", await create(wrapped, "anthropic", shared))
            asked = [create(wrapped, "anthropic", [*shared, user(f"q{at}")]) for at in range(1, 4)]
            return [response.content[0].text for response in await asyncio.gather(*asked)]

    with provider(echo) as served:
        assert asyncio.run(talk()) == ["About q1", "About q2", "About q3"]
    assert all(len(request["messages"]) in (1, 3) for request in served.requests)
    for info in engine.infos():
        assert [view(engine.session(info.key.id))[at] for at in (0, 1)] == ["q0", "About q0"]
        assert view(engine.session(info.key.id))[3] == f"About {view(engine.session(info.key.id))[2]}"


def test_a_stream_that_is_open_keeps_its_session_to_itself(engine: Engine) -> None:
    session = engine.session("s")
    with provider(echo) as served:
        wrapped = clew.wrap(client("anthropic", served), session=session)
        stream = create(wrapped, "anthropic", [user("a0")], stream=True)
        create(wrapped, "anthropic", [user("b0")])
        list(stream)
        create(wrapped, "anthropic", [user("c0")])
    assert view(session) == ["a0", "About a0", "c0", "About c0"]
    assert view(engine.session("s.2")) == ["b0", "About b0"]


def test_a_question_whose_call_failed_is_not_sent_with_another(engine: Engine) -> None:
    answers: list[Answer] = [(400, {"error": {"message": "no"}})]
    session = engine.session("s")
    with provider(lambda path, body: answers.pop() if answers else echo(path, body)) as served:
        wrapped = clew.wrap(client("anthropic", served, max_retries=0), session=session)
        with pytest.raises(anthropic.BadRequestError):
            create(wrapped, "anthropic", [user("a0")])
        create(wrapped, "anthropic", [user("b0")])
    assert (len(engine.infos()), view(session)) == (1, ["b0", "About b0"])
    assert "a0" in session.recall("m1")[0].text


def test_a_question_that_failed_twice_is_not_sent_with_another(engine: Engine) -> None:
    answers: list[Answer] = [(400, {"error": {"message": "no"}})] * 2
    with provider(lambda path, body: answers.pop() if answers else echo(path, body)) as served:
        wrapped = clew.wrap(client("anthropic", served, max_retries=0), session=engine.session("s"))
        for _ in range(2):
            with pytest.raises(anthropic.BadRequestError):
                create(wrapped, "anthropic", [user("a0")])
        create(wrapped, "anthropic", [user("b0")])
    assert served.requests[-1]["messages"] == [user("b0")]


def test_a_question_whose_call_was_cancelled_while_it_was_packed_is_not_sent_with_another(engine: Engine) -> None:
    async def talk() -> None:
        wrapped = clew.wrap(async_client("anthropic", served), session=engine.session("s"))
        lost = asyncio.ensure_future(create(wrapped, "anthropic", [user("a0")]))
        stop = engine.on("recorded", cancelling(lost))
        with pytest.raises(asyncio.CancelledError):
            await lost
        stop()
        await create(wrapped, "anthropic", [user("b0")])

    with provider(echo) as served:
        asyncio.run(talk())
    assert [request["messages"] for request in served.requests] == [[user("b0")]]


def test_a_response_that_failed_takes_its_question_out_of_the_prompt(engine: Engine) -> None:
    failed = reply("/responses", Says(""), stream=False) | {"status": "failed", "output": []}
    answers: list[Answer] = [failed]
    with provider(lambda path, body: answers.pop() if answers else echo(path, body)) as served:
        wrapped = clew.wrap(client("openai-responses", served), session=engine.session("s"))
        assert create(wrapped, "openai-responses", [user("a0")]).status == "failed"
        create(wrapped, "openai-responses", [user("b0")])
    assert served.requests[-1]["input"] == [user("b0")]


def test_lists_that_alternate_are_recorded_once(engine: Engine) -> None:
    session, lists = engine.session("s"), {"a": [user("a0")], "b": [user("b0")]}
    with provider(echo) as served:
        wrapped = clew.wrap(client("anthropic", served), session=session)
        for turn in range(3):
            for name, messages in lists.items():
                messages += said_back("anthropic", create(wrapped, "anthropic", messages))
                messages.append(user(f"{name}{turn + 1}"))
    said = [message.text for message in session.messages()]
    assert sorted(said) == sorted(set(said))
    assert view(session) == ["a0", "About a0", "b0", "About b0", "b1", "About b1", "b2", "About b2"]
    assert view(engine.session("s.2")) == ["a0", "About a0", "a1", "About a1", "a2", "About a2"]


def test_branches_are_known_in_another_process(engine: Engine, server: ProviderServer) -> None:
    engine.session("s").record([user("a0"), {"role": "assistant", "content": "Yes."}], format="anthropic")
    engine.session("s.2").record([user("b0"), {"role": "assistant", "content": "No."}], format="anthropic")
    wrapped = clew.wrap(client("anthropic", server), session=engine.session("s"))
    create(wrapped, "anthropic", [user("b0"), {"role": "assistant", "content": "No."}, user("b1")])
    assert [view(engine.session(id))[2:] for id in ("s", "s.2")] == [[], ["b1", "Answer to 3."]]
