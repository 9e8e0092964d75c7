"""Turns with a model for asynchronous callers: who waits for whom, awaited tools, and how a turn is called off."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.async_engine.engine import AsyncEngine, AsyncSession
from clew.config import ModelsConfig
from clew.errors import ModelCancelled, UsageError
from clew.models import model_for
from clew.ports import Cancel, ChatModel
from tests.model_server import PATIENCE_SECONDS, FaultyServer, serving
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, provider
from tests.scripted_turns import saying

Check = Callable[[AsyncEngine, ChatModel], Coroutine[Any, Any, None]]


def model_at(url: str) -> ChatModel:
    made = model_for("local/qwen", ModelsConfig(base_url=url, max_retries=0))
    assert isinstance(made, ChatModel)
    return made


def run(check: Check, url: str, store: Path | str = ":memory:") -> None:
    async def main() -> None:
        async with clew.open_async(store) as engine:
            await asyncio.wait_for(check(engine, model_at(url)), PATIENCE_SECONDS)

    asyncio.run(main())


async def texts(session: AsyncSession) -> list[str]:
    return [message.text for message in await session.messages()]


async def until(event: threading.Event) -> None:
    while not event.is_set():
        await asyncio.sleep(0)


@pytest.mark.parametrize("streams", [False, True])
def test_the_engine_works_for_others_while_a_model_thinks(streams: bool) -> None:
    asked, thinking = threading.Event(), threading.Event()

    def answer(path: str, body: dict[str, Any]) -> Answer:
        asked.set()
        assert thinking.wait(PATIENCE_SECONDS)
        return reply(path, Says("done"), stream=bool(body.get("stream")))

    async def check(engine: AsyncEngine, model: ChatModel) -> None:
        session, other = await engine.session("s"), await engine.session("other")
        turn = session.ask_stream("think", model=model).read() if streams else session.ask("think", model=model)
        task = asyncio.create_task(turn)
        await until(asked)
        await other.record([clew.user("meanwhile")])
        assert await texts(other) == ["meanwhile"]
        assert not task.done()
        thinking.set()
        assert (await task).text == "done"

    with provider(answer) as served:
        run(check, served.url)


def test_turns_of_one_session_come_one_after_the_other() -> None:
    async def check(engine: AsyncEngine, model: ChatModel) -> None:
        session, same = await engine.session("s"), await engine.session("s")
        await asyncio.gather(session.ask("one", model=model), same.ask("two", model=model))
        assert await texts(session) == ["one", "first", "two", "second"]

    with saying(Says("first"), Says("second")) as served:
        run(check, served.url)


@pytest.mark.parametrize("streams", [False, True])
def test_asynchronous_tools_are_awaited_in_the_event_loop_and_others_run_beside_it(streams: bool) -> None:
    ran: list[tuple[str, bool]] = []

    async def check(engine: AsyncEngine, model: ChatModel) -> None:
        here = threading.get_ident()

        async def later(word: str) -> str:
            await asyncio.sleep(0)
            ran.append((word, threading.get_ident() == here))
            return word.upper()

        def now(word: str) -> str:
            ran.append((word, threading.get_ident() == here))
            return word.title()

        class Remote:
            """Asks somebody else."""

            name = "remote"

            async def __call__(self, word: str) -> str:
                raise ConnectionError(f"no {word}")

        session, tools = await engine.session("s"), {"later": later, "now": now, "remote": Remote()}
        asked = session.ask_stream("go", model=model, tools=tools)
        answer = await asked.read() if streams else await session.ask("go", model=model, tools=tools)
        assert [done.status for done in answer.tools] == ["success", "success", "failed"]
        outputs = [one.text for message in await session.messages() for one in message.outputs]
        assert outputs == ["ABC", "Def", "ConnectionError: no ghi"]

    calls = [Says(tool=name, arguments={"word": word}, id=word) for name, word in
             (("later", "abc"), ("now", "def"), ("remote", "ghi"))]  # fmt: skip
    with saying(*calls, Says("done")) as served:
        run(check, served.url)
    assert ran == [("abc", True), ("def", False)]


def streams_and_hangs(server: FaultyServer) -> Any:
    def behave(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        chunk = b'data: {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "so far "}}]}'
        handler.wfile.write(chunk + b"\n\n")
        handler.wfile.flush()
        server.hangs(handler)

    return behave


@pytest.mark.parametrize("streams", [False, True])
def test_a_task_that_is_cancelled_ends_the_request_and_keeps_what_was_said(streams: bool) -> None:
    async def check(engine: AsyncEngine, model: ChatModel) -> None:
        session, shown = await engine.session("s"), threading.Event()

        async def read() -> None:
            async for _ in session.ask_stream("go", model=model):
                shown.set()

        task = asyncio.create_task(read() if streams else session.ask("go", model=model))
        await until(shown if streams else server.arrived)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(server.left)
        assert await texts(session) == (["go", "so far "] if streams else ["go"])
        server.then(server.hangs)
        cancel = Cancel()
        again = asyncio.create_task(session.ask("again", model=model, cancel=cancel))
        server.arrived.clear()
        await until(server.arrived)
        cancel.cancel()
        with pytest.raises(ModelCancelled):
            await again

    with serving() as server:
        server.then(streams_and_hangs(server) if streams else server.hangs)
        run(check, server.url)


def test_a_tool_whose_task_is_cancelled_is_recorded_as_canceled() -> None:
    async def check(engine: AsyncEngine, model: ChatModel) -> None:
        begun = asyncio.Event()

        async def forever() -> None:
            begun.set()
            await asyncio.Event().wait()

        session = await engine.session("s")
        task = asyncio.create_task(session.ask("go", model=model, tools=[forever]))
        await begun.wait()
        task.cancel()
        await asyncio.wait([task])
        outputs = [one for message in await session.messages() for one in message.outputs]
        assert [one.status.value for one in outputs] == ["canceled"]

    with saying(Says(tool="forever", id="c1")) as served:
        run(check, served.url)


CHUNKS: list[dict[str, Any]] = [
    {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": word}}]}
    for word in ("one ", "two ", "three")
]


@pytest.mark.parametrize("how", ["break", "with", "aclose"])
def test_a_stream_that_is_left_is_recorded_and_the_next_turn_goes_on(how: str) -> None:
    async def check(engine: AsyncEngine, model: ChatModel) -> None:
        session = await engine.session("s")
        if how == "break":
            async for _ in session.ask_stream("count", model=model):
                break
            gc.collect()
        elif how == "with":
            async with session.ask_stream("count", model=model) as stream:
                assert await anext(stream) == "one"
        else:
            stream = session.ask_stream("count", model=model)
            assert await anext(stream) == "one"
            await stream.aclose()
            assert [piece async for piece in stream] == []
            with pytest.raises(UsageError, match="no whole answer"):
                _ = stream.answer
        assert (await session.ask("again", model=model)).text == "yes"
        messages = await session.messages()
        assert [(one.text, one.interrupted) for one in messages] == [
            ("count", False), ("one ", True), ("again", False), ("yes", False),
        ]  # fmt: skip

    with saying(CHUNKS, Says("yes")) as served:
        run(check, served.url)


def test_a_task_that_would_wait_for_its_own_stream_is_told_so() -> None:
    async def check(engine: AsyncEngine, model: ChatModel) -> None:
        session = await engine.session("s")
        async with session.ask_stream("count", model=model) as stream:
            await anext(stream)
            with pytest.raises(UsageError, match="in the middle of an answer"):
                await session.ask("again", model=model)

    with saying(CHUNKS) as served:
        run(check, served.url)


def test_closing_the_engine_waits_for_answers_and_records_what_came_of_streams(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    async def main(url: str) -> None:
        engine = await clew.open_async(tmp_path / "clew.db")
        one, other = await engine.session("one"), await engine.session("other")
        stream = other.ask_stream("count", model=model_at(url))
        await anext(stream)
        task = asyncio.create_task(one.ask("hello", model=model_at(url)))
        await asyncio.sleep(0)
        await engine.close()
        assert (await task).text == "hi"
        with pytest.raises(UsageError, match="has been closed"):
            await anext(stream)
        await stream.aclose()

    with saying(CHUNKS, Says("hi")) as served:
        asyncio.run(main(served.url))
    gc.collect()
    assert [str(one.message) for one in recwarn if "never" in str(one.message)] == []
    with clew.open(tmp_path / "clew.db") as engine:
        assert [(m.text, m.interrupted) for m in engine.session("other").messages()] == [
            ("count", False), ("one ", True),
        ]  # fmt: skip
        assert [m.text for m in engine.session("one").messages()] == ["hello", "hi"]
