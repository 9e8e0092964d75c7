"""Wrapped clients: the official ones against a server on this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.adapters.calls import ClientCall
from clew.adapters.conversation import Conversation
from clew.adapters.session_state import ModelCall
from clew.config import Config, StorageConfig
from clew.engine.engine import Engine
from clew.errors import UsageError
from tests.effort import first
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, ProviderServer, provider

pytest.importorskip("anthropic")
pytest.importorskip("openai")

import anthropic
import openai

from tests.agent_loops.clients import PATHS, async_client, client, create, run_client, said_back, user
from tests.agent_loops.script import SHORT, SYSTEM, TOOLS, assert_all_went_well

pytestmark = pytest.mark.stores("memory")


def answering(path: str, body: dict[str, Any]) -> Answer:
    """Each reply differs from the ones before it."""
    name = "input" if path == "/responses" else "messages"
    number = len(body[name]) if isinstance(body[name], list) else 1
    return reply(path, Says(f"Answer to {number}."), stream=bool(body.get("stream")), number=number)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with provider(answering) as served:
        yield served


def words(session: clew.Session) -> list[str]:
    return [message.text for message in session.messages() if message.role != "system"]


FORMATS = pytest.mark.parametrize("format", list(PATHS))


@FORMATS
def test_a_list_that_grows_is_recorded_once(engine: Engine, server: ProviderServer, format: str) -> None:
    session = engine.session("s")
    wrapped = clew.wrap(client(format, server), session=session)
    messages: list[Any] = [user("Hello.")]
    for text in ("More.", "More."):
        messages += [*said_back(format, create(wrapped, format, messages)), user(text)]
    create(wrapped, format, messages)
    assert words(session) == ["Hello.", "Answer to 1.", "More.", "Answer to 3.", "More.", "Answer to 5."]


@FORMATS
def test_another_process_goes_on_with_the_same_list(engine: Engine, server: ProviderServer, format: str) -> None:
    messages: list[Any] = [user("Hello.")]
    first = create(clew.wrap(client(format, server), session=engine.session("s")), format, messages)
    messages += [*said_back(format, first), user("More.")]
    session = engine.session("s")
    create(clew.wrap(client(format, server), session=session), format, messages)
    assert words(session) == ["Hello.", "Answer to 1.", "More.", "Answer to 3."]


@FORMATS
def test_a_call_that_failed_is_sent_again_and_recorded_once(engine: Engine, format: str) -> None:
    answers: list[Answer] = [(500, {"error": {"message": "later"}}), (400, {"error": {"message": "no"}})]

    def script(path: str, body: dict[str, Any]) -> Answer:
        return answers.pop(0) if answers else answering(path, body)

    session = engine.session("s")
    with provider(script) as served:
        wrapped = clew.wrap(client(format, served, max_retries=1), session=session).with_options(timeout=10)
        wrapped._calculate_retry_timeout = lambda *_: 0.0
        kind = anthropic.BadRequestError if format == "anthropic" else openai.BadRequestError
        with pytest.raises(kind):
            create(wrapped, format, [user("Hello.")])
        create(wrapped, format, [user("Hello.")])
    assert words(session) == ["Hello.", "Answer to 1."]


@FORMATS
def test_asking_again_takes_the_first_answer_out_of_the_prompt(
    engine: Engine, server: ProviderServer, format: str
) -> None:
    session = engine.session("s")
    wrapped = clew.wrap(client(format, server), session=session)
    messages: list[Any] = [user("Hello.")]
    messages += [*said_back(format, create(wrapped, format, messages)), user("More.")]
    create(wrapped, format, messages)
    create(wrapped, format, messages)
    assert "Answer to 3." not in json.dumps(server.requests[-1])
    assert "Answer to 3." in session.recall("m4")[0].text


@FORMATS
def test_a_reply_that_the_caller_changed_counts_as_changed(engine: Engine, server: ProviderServer, format: str) -> None:
    session = engine.session("s")
    wrapped = clew.wrap(client(format, server), session=session)
    create(wrapped, format, [user("Hello.")])
    changed = {"role": "assistant", "content": "In my own words."}
    create(wrapped, format, [user("Hello."), changed, user("More.")])
    assert "In my own words." in json.dumps(server.requests[-1])
    assert "Answer to 1." not in json.dumps(server.requests[-1])


@FORMATS
def test_a_new_list_in_an_old_session_is_appended(engine: Engine, server: ProviderServer, format: str) -> None:
    session = engine.session("s")
    wrapped = clew.wrap(client(format, server), session=session)
    messages: list[Any] = [user("Hello.")]
    messages += [*said_back(format, create(wrapped, format, messages)), user("More.")]
    create(wrapped, format, messages)
    create(wrapped, format, [user("Something else.")])
    assert words(session)[-3:] == ["Answer to 3.", "Something else.", "Answer to 5."]


def test_system_tools_and_parameters_stay_as_the_caller_gave_them(engine: Engine, server: ProviderServer) -> None:
    wrapped = clew.wrap(client("anthropic", server), session=engine.session("s"))
    system = [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}]
    tools = [{"name": "look", "input_schema": TOOLS["look"]}]
    create(wrapped, "anthropic", [user("Hello.")], system=system, tools=tools, service_tier="auto")
    create(wrapped, "anthropic", [user("Hello.")], system="Another.")
    first, second = server.requests
    assert (first["system"], first["tools"], first["service_tier"], first["max_tokens"]) == (system, tools, "auto", 100)
    assert (second["system"], "tools" in second) == ("Another.", False)


@FORMATS
def test_asking_again_after_a_tool_keeps_the_call_and_its_output(engine: Engine, format: str) -> None:
    def script(path: str, body: dict[str, Any]) -> Answer:
        sent = body.get("messages") or body["input"]
        says = Says(tool="clock", arguments={}, id="c1") if len(sent) == 1 else Says(f"Answer {len(served.requests)}.")
        return reply(path, says, stream=False, number=len(served.requests))

    with provider(script) as served:
        wrapped = clew.wrap(client(format, served), session=engine.session("s"))
        messages: list[Any] = [user("What time is it?")]
        messages += said_back(format, create(wrapped, format, messages))
        messages.append(output(format, "c1", "noon"))
        for _ in range(4):
            create(wrapped, format, messages)
    bodies = [request.get("messages") or request["input"] for request in served.requests[1:]]
    assert [len(body) for body in bodies] == [3] * 4
    assert all("noon" in json.dumps(body) for body in bodies)


@FORMATS
def test_a_tool_that_asks_by_the_same_client_gets_its_own_list(engine: Engine, format: str) -> None:
    says = [Says(tool="sum", id="c1"), Says("Sum 1."), Says(tool="sum", id="c2"), Says("Sum 2."), Says("End.")]

    def script(path: str, body: dict[str, Any]) -> Answer:
        at = len(served.requests) - 1
        return reply(path, says[at], stream=False, number=at)

    with provider(script) as served:
        wrapped = clew.wrap(client(format, served), session=engine.session("s"))
        messages: list[Any] = [user("Outer.")]
        for at in (1, 2):
            messages += said_back(format, create(wrapped, format, messages))
            create(wrapped, format, [user(f"Summarise {at}.")])
            messages.append(output(format, f"c{at}", f"Sum {at}."))
        create(wrapped, format, messages)
    bodies = [request.get("messages") or request["input"] for request in served.requests]
    assert [len(body) for body in bodies] == [1, 1, 3, 1, 5]
    assert "aborted" not in json.dumps(bodies)


def output(format: str, id: str, text: str) -> dict[str, Any]:
    if format == "anthropic":
        return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}
    if format == "openai-chat":
        return {"role": "tool", "tool_call_id": id, "content": text}
    return {"type": "function_call_output", "call_id": id, "output": text}


MARK = {"cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize("marked", [0, 1, 2, 3, 4])
def test_marks_for_the_cache_are_no_more_than_the_provider_takes(
    engine: Engine, server: ProviderServer, marked: int
) -> None:
    session = engine.session("s")
    session.system("Mine.")
    wrapped = clew.wrap(client("anthropic", server), session=session)
    system = [{"type": "text", "text": f"Yours {at}."} | (MARK if at < marked else {}) for at in range(4)]
    asks: list[Any] = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in ("Hello.", "More.")]
    messages = [asks[0], *said_back("anthropic", create(wrapped, "anthropic", asks[:1], system=system)), asks[1]]
    options = MARK if marked < 4 else {}
    create(wrapped, "anthropic", messages, system=system, **options)
    assert json.dumps(server.requests[-1]).count('"cache_control"') in (marked + 3, 4)
    assert server.requests[-1]["system"] == [{"type": "text", "text": "Mine."}, *system]


@FORMATS
def test_the_sessions_own_system_prompt_is_sent(engine: Engine, server: ProviderServer, format: str) -> None:
    session = engine.session("s")
    session.system("Speak plainly.")
    create(clew.wrap(client(format, server), session=session), format, [user("Hello.")])
    body = server.requests[-1]
    found = {"anthropic": body.get("system"), "openai-responses": body.get("instructions")}
    assert found.get(format, body.get("messages")) in (
        [{"type": "text", "text": "Speak plainly."}],
        "Speak plainly.",
        [{"role": "system", "content": "Speak plainly."}, user("Hello.")],
    )


def test_a_function_that_makes_the_system_prompt_is_asked_once_an_epoch(engine: Engine, server: ProviderServer) -> None:
    session, asked = engine.session("s"), list[str]()
    session.system(lambda: asked.append("") or f"Base {len(asked)}")
    wrapped = clew.wrap(client("anthropic", server), session=session)
    for _ in range(2):
        create(wrapped, "anthropic", [user("Hello.")], system="Be brief.")
    assert (len(asked), server.requests[-1]["system"][0]["text"]) == (1, "Base 1")


PLATFORMS = {
    "AnthropicVertex": {"access_token": "x", "project_id": "p", "region": "r"},
    "AnthropicBedrock": {"api_key": "k", "aws_region": "us-east-1"},
    "AnthropicFoundry": {"api_key": "k"},
    "AnthropicAWS": {"api_key": "k", "aws_region": "us-east-1", "workspace_id": "w"},
}


@pytest.mark.parametrize("name", PLATFORMS)
def test_clients_for_platforms_pack_and_record(engine: Engine, name: str) -> None:
    session = engine.session("s")
    with provider(lambda path, body: reply("/v1/messages", Says("Yes."), stream=False)) as served:
        kind = getattr(anthropic, name, None) or pytest.skip(f"this anthropic package has no {name}")
        wrapped = clew.wrap(kind(base_url=served.url, **PLATFORMS[name]), session=session)
        create(wrapped, "anthropic", [user("Hello.")])
        create(wrapped.with_options(timeout=9), "anthropic", [user("Hello.")])
    assert [message.text for message in session.reader.recent_messages(9)] == ["Hello.", "Yes."]


def test_a_client_of_azure_packs_and_records(engine: Engine) -> None:
    session = engine.session("s")
    with provider(lambda path, body: reply("/chat/completions", Says("Yes."), stream=False)) as served:
        own = openai.AzureOpenAI(api_key="k", api_version="v", azure_endpoint=served.url)
        create(clew.wrap(own, session=session), "openai-chat", [user("Hello.")])
    assert words(session) == ["Hello.", "Yes."]


def test_an_answer_is_handed_on_where_it_cannot_be_recorded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with clew.open(tmp_path / "own.db") as engine:

        def script(path: str, body: dict[str, Any]) -> Answer:
            engine.close()
            return reply(path, Says("A paid answer."), stream=False)

        with provider(script) as served:
            wrapped = clew.wrap(client("anthropic", served), session=engine.session("s"))
            answer = create(wrapped, "anthropic", [user("Hello.")])
    assert answer.content[0].text == "A paid answer."
    assert "a reply was not recorded in session s" in caplog.text


def test_system_messages_at_the_head_of_a_chat_are_those_of_the_call(engine: Engine, server: ProviderServer) -> None:
    wrapped = clew.wrap(client("openai-chat", server), session=engine.session("s"))
    for text in ("Be kind.", "Be brief."):
        create(wrapped, "openai-chat", [{"role": "developer", "content": text}, user("Hello.")])
    heads = [request["messages"][0] for request in server.requests]
    assert heads == [{"role": "developer", "content": "Be kind."}, {"role": "developer", "content": "Be brief."}]
    assert [len(request["messages"]) for request in server.requests] == [2, 2]


def test_what_the_provider_keeps_is_recorded_and_sent_as_it_is(engine: Engine, server: ProviderServer) -> None:
    session = engine.session("s")
    wrapped = clew.wrap(client("openai-responses", server), session=session)
    first = wrapped.responses.create(model="gpt-5", input="Hello.")
    wrapped.responses.create(model="gpt-5", input="More.", previous_response_id=first.id)
    assert server.requests[-1]["input"] == "More."
    assert words(session)[:3] == ["Hello.", "Answer to 1.", "More."]


@pytest.mark.parametrize("format", ["anthropic", "openai-chat"])
def test_a_call_that_asks_nothing_is_sent_as_it_is(engine: Engine, format: str) -> None:
    bodies: list[Any] = []

    def take(path: str, body: dict[str, Any]) -> Answer:
        bodies.append(body)
        return reply(path, Says("Hm."), stream=False)

    session = engine.session("s")
    session.record([clew.user("Hello."), clew.assistant("Hi.")])
    with provider(take) as served:
        create(clew.wrap(client(format, served), session=session), format, [])
    assert bodies[0]["messages"] == []
    assert words(session) == ["Hello.", "Hi."]


def test_a_call_without_input_gets_none(engine: Engine) -> None:
    with provider(lambda path, body: reply(path, Says("Yes."), stream=False)) as served:
        wrapped = clew.wrap(client("openai-responses", served), session=engine.session("s"))
        wrapped.responses.create(model="gpt-5", prompt={"id": "pmpt_1"})
    assert served.requests == [{"model": "gpt-5", "prompt": {"id": "pmpt_1"}}]


_NEW_KINDS = {
    "anthropic": [{"role": "user", "content": [{"type": "hologram", "light": 1, "at": None}]}],
    "openai-chat": [{"role": "user", "content": [{"type": "video_url", "video_url": {"url": "https://x/y"}}]}],
    "openai-responses": [{"type": "hologram_call", "call_id": "c"}, {"type": "hologram_call_output", "call_id": "c"}],
}


_RUN = {"type": "code_interpreter_call", "id": "ci_1", "code": "1", "container_id": "c", "status": "completed"}
_FOUND = {"type": "web_search_result", "url": "u", "title": "t", "encrypted_content": "E", "page_age": None}
_SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
_WITH_NULLS: dict[str, list[Any]] = {
    "anthropic": [
        user("Go."),
        {
            "role": "assistant",
            "content": [_SEARCH, {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [_FOUND]}],
        },
    ],
    "openai-chat": [user("Go."), {"role": "assistant", "content": "So.", "refusal": None, "audio": None}],
    "openai-responses": [user("Go."), _RUN | {"outputs": None}],
}


@FORMATS
def test_nulls_that_the_caller_wrote_are_sent_and_change_nothing(
    engine: Engine, server: ProviderServer, format: str
) -> None:
    session = engine.session("s")
    wrapped = clew.wrap(client(format, server), session=session)
    given = [*_WITH_NULLS[format], user("See?")]
    more = [*given, *said_back(format, create(wrapped, format, given)), user("More.")]
    last = [*more, *said_back(format, create(wrapped, format, more)), user("Last.")]
    for request in server.requests:
        sent = json.dumps(request).replace(', "cache_control": {"type": "ephemeral"}', "")
        assert json.dumps(given[1]) in sent
    count = len(session.messages())
    create(wrapped, format, [*_without_nulls(given), *last[len(given) :]])
    assert len(session.messages()) == count + 2


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


@FORMATS
def test_blocks_of_new_kinds_go_back_to_their_provider_as_they_came(
    engine: Engine, server: ProviderServer, format: str
) -> None:
    given = _NEW_KINDS[format]
    create(clew.wrap(client(format, server), session=engine.session("s")), format, [*given, user("See?")])
    sent = server.requests[0]["input" if format == "openai-responses" else "messages"]
    assert sent[: len(given)] == given


@FORMATS
def test_a_raw_response_is_the_clients_own_and_recorded(engine: Engine, server: ProviderServer, format: str) -> None:
    session = engine.session("s")
    wrapped = clew.wrap(client(format, server), session=session)
    place = {"anthropic": "messages", "openai-chat": "chat", "openai-responses": "responses"}[format]
    resource = wrapped.chat.completions if place == "chat" else getattr(wrapped, place)
    body: dict[str, Any] = {"input" if place == "responses" else "messages": [user("Hello.")], "model": "gpt-5"}
    raw = resource.with_raw_response.create(**body, **({"max_tokens": 9} if format == "anthropic" else {}))
    assert raw.headers["x-request-id"] == "req_1"
    assert raw.parse() == raw.parse()
    assert words(session) == ["Hello.", "Answer to 1."]


def test_other_calls_pass_through(engine: Engine) -> None:
    def script(path: str, body: dict[str, Any]) -> Answer:
        return {"input_tokens": 7} if path.endswith("count_tokens") else answering(path, body)

    with provider(script) as served:
        wrapped = clew.wrap(client("anthropic", served), session=engine.session("s"))
        counted = wrapped.messages.count_tokens(model="claude-sonnet-5", messages=[user("Hello.")])
    assert counted.input_tokens == 7
    assert isinstance(wrapped, anthropic.Anthropic)
    assert engine.infos() == []


def test_the_callers_own_client_is_left_as_it_is(engine: Engine, server: ProviderServer) -> None:
    own, session = client("anthropic", server), engine.session("s")
    assert own.messages is own.messages
    clew.wrap(own, session=session)
    create(own, "anthropic", [user("Hello.")])
    assert words(session) == []


def test_a_session_can_be_named(server: ProviderServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("CLEW_STORE", str(tmp_path / "own.db"))
    create(clew.wrap(client("anthropic", server), session="talk"), "anthropic", [user("Hello.")])
    with clew.open() as engine:
        assert words(engine.session("talk")) == ["Hello.", "Answer to 1."]


@pytest.mark.parametrize("given", [None, 5, "engine"])
def test_what_is_no_session_is_refused(engine: Engine, server: ProviderServer, given: Any) -> None:
    with pytest.raises(UsageError, match="is no session; give engine"):
        clew.wrap(client("anthropic", server), session=engine if given == "engine" else given)


def test_a_result_that_is_not_known_is_handed_on_and_told_of(engine: Engine) -> None:
    lost = list[str]()
    engine.on("reply.lost", lambda event: lost.append(event.data["reason"]))
    result = object()
    call = ClientCall(Conversation(engine.session("s"), format="anthropic"), ModelCall())
    assert call.receive(result) is result
    assert lost == ["the client returned an unknown object"]


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_of_nothing_is_refused(engine: Engine, server: ProviderServer, budget: int) -> None:
    with pytest.raises(UsageError, match=f"{budget}"):
        clew.wrap(client("anthropic", server), session=engine.session("s"), budget=budget)


def test_what_is_no_client_is_refused(engine: Engine) -> None:
    with pytest.raises(UsageError, match="cannot wrap a dict"):
        clew.wrap({}, session=engine.session("s"))


@pytest.mark.parametrize("kind", [anthropic.Anthropic, openai.AsyncOpenAI])
def test_a_class_is_refused_and_its_clients_go_on(engine: Engine, kind: Any) -> None:
    before = dict(vars(kind))
    with pytest.raises(UsageError, match=rf"cannot wrap the class {kind.__name__}; give a client: {kind.__name__}\("):
        clew.wrap(kind, session=engine.session("s"))
    assert dict(vars(kind)) == before


# ── asynchronous clients ─────────────────────────────────────────────────────────────────────────────


@FORMATS
def test_an_asynchronous_client_packs_and_records(engine: Engine, server: ProviderServer, format: str) -> None:
    session = engine.session("s")

    async def talk() -> None:
        async with clew.wrap(async_client(format, server), session=session) as wrapped:
            messages: list[Any] = [user("Hello.")]
            messages += [*said_back(format, await create(wrapped, format, messages)), user("More.")]
            stream = await create(wrapped.with_options(timeout=9), format, messages, stream=True)
            assert [event async for event in stream]

    asyncio.run(talk())
    assert words(session) == ["Hello.", "Answer to 1.", "More.", "Answer to 3."]


def test_an_asynchronous_session_records_too(server: ProviderServer, tmp_path: Path) -> None:
    async def talk() -> list[str]:
        async with clew.open_async(tmp_path / "own.db") as engine:
            session = await engine.session("s")
            wrapped = clew.wrap(async_client("anthropic", server), session=session)
            messages: list[Any] = [user("Hello.")]
            messages += [*said_back("anthropic", await create(wrapped, "anthropic", messages)), user("More.")]
            async for _ in await create(wrapped, "anthropic", messages, stream=True):
                pass
            return [message.text for message in await session.messages()]

    assert asyncio.run(talk()) == ["Hello.", "Answer to 1.", "More.", "Answer to 3."]


def test_messages_are_recognised_where_secrets_are_masked(server: ProviderServer) -> None:
    config = Config(storage=StorageConfig(mask_secrets=True))
    with clew.open(":memory:", config=config) as engine:
        session = engine.session("s")
        wrapped = clew.wrap(client("anthropic", server), session=session)
        for _ in range(2):
            create(wrapped, "anthropic", [user("My key is sk-ant-api03-" + "aB3" * 30)])
        assert [message.role.value for message in session.reader.recent_messages(9)].count("user") == 1


# ── many steps ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("format", first(PATHS))
def test_many_steps_at_a_small_budget(engine: Engine, format: str) -> None:
    assert_all_went_well(run_client(engine, format, work=SHORT))


@pytest.mark.parametrize(("is_async", "format"), first(product((False, True), PATHS), len(PATHS) + 1))
def test_a_request_that_is_refused_as_too_long_is_packed_smaller(engine: Engine, format: str, is_async: bool) -> None:
    refused: list[int] = []

    def narrow(path: str, body: dict[str, Any]) -> Answer:
        if (size := len(json.dumps(body))) > 20_000:
            refused.append(size)
            said = f"prompt is too long: {size} tokens > 20000 maximum"
            return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": said}}
        return answering(path, body)

    async def talk() -> None:
        with provider(narrow) as served:
            wrapped = clew.wrap((async_client if is_async else client)(format, served), session=session)
            messages: list[Any] = []
            for at in range(40):
                messages.append(user(f"Question {at}: {f'what of berth {at}? ' * 40}"))
                answer = create(wrapped, format, messages)
                messages += said_back(format, await answer if is_async else answer)

    session = engine.session("s")
    asyncio.run(talk())
    assert 1 <= len(refused) <= 4
    assert [text.split(":")[0] for text in words(session)[::2]] == [f"Question {at}" for at in range(40)]


@FORMATS
def test_a_request_that_nothing_makes_smaller_is_refused_as_the_provider_has_it(engine: Engine, format: str) -> None:
    said = {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long"}}
    with provider(lambda path, body: (400, said)) as served:
        wrapped = clew.wrap(client(format, served), session=engine.session("s"))
        with pytest.raises((anthropic.BadRequestError, openai.BadRequestError), match="prompt is too long"):
            create(wrapped, format, [user("Hello.")])
        assert len(served.requests) == 1
