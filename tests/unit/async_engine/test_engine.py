"""The asynchronous door: order, cancellation, streams, closing."""

from __future__ import annotations

import ast
import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

import clew
from clew import app
from clew.async_engine.engine import AsyncEngine, AsyncSession
from clew.config import ModelsConfig
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import NotFound, StorageError, UsageError
from clew.models import model_for
from tests.builders import call, says, user
from tests.effort import first
from tests.provider_replies import Says, reply
from tests.provider_server import provider
from tests.stream_examples import EXAMPLES, WORDS
from tests.work import work

Check = Callable[[AsyncEngine], Coroutine[Any, Any, None]]


def run(check: Check, store: Path | str = ":memory:") -> None:
    async def main() -> None:
        async with clew.open_async(store) as engine:
            await check(engine)

    asyncio.run(main())


def wait_for_engine_threads() -> None:
    for thread in threading.enumerate():
        if thread.name.startswith("clew-engine"):
            thread.join(timeout=10)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("clew-engine")]


async def streamed(events: list[Any]) -> AsyncIterator[Any]:
    for event in events:
        await asyncio.sleep(0)
        yield event


def test_many_tasks_on_one_session_lose_no_record(tmp_path: Path) -> None:
    async def check(engine: AsyncEngine) -> None:
        session = await engine.session("s")

        async def talk(number: int) -> None:
            for turn in range(2):
                await session.record([user(f"{number}.{turn}"), says(f"answer {number}.{turn}")])

        await asyncio.gather(*map(talk, range(20)))
        said = [message.text for message in await session.messages()]
        assert sorted(said[::2]) == sorted(f"{number}.{turn}" for number in range(20) for turn in range(2))
        assert said[1::2] == [f"answer {text}" for text in said[::2]]

    run(check, tmp_path / "clew.db")


def test_knowledge_is_registered_and_searched() -> None:
    async def check(engine: AsyncEngine) -> None:
        await engine.knowledge.add(clew.Module(id="a", name="A", content="Rotate the keys."))
        assert [one.id for one in await engine.knowledge.search("keys")] == ["a#1"]
        loaded = await engine.knowledge.load("rotate keys", budget=500)
        assert [one.sources async for one in loaded] == [("a#1",)]

    run(check)


def test_calls_are_made_in_the_order_in_which_they_were_asked_for() -> None:
    async def check(engine: AsyncEngine) -> None:
        session = await engine.session("s")
        tasks = [asyncio.create_task(session.record([user(str(number))])) for number in range(20)]
        await asyncio.gather(*tasks)
        assert [message.text for message in await session.messages()] == list(map(str, range(20)))

    run(check)


@pytest.mark.parametrize("where", first(["clew.db", ":memory:"]))
def test_a_session_whose_compaction_does_not_end_holds_no_other(tmp_path: Path, where: str) -> None:
    begun, released = threading.Event(), threading.Event()

    def summarise(prompt: str) -> str:
        begun.set()
        assert released.wait(60)
        return "The harbor modules now take dates before 1970."

    async def main() -> None:
        store = where if where == ":memory:" else tmp_path / where
        async with clew.open_async(store, summariser=summarise) as engine:
            held, other = await engine.session("held", window=30_000), await engine.session("other", window=30_000)
            await held.record(work(60))
            compaction = asyncio.create_task(held.compact())
            last = asyncio.create_task(held.record([user("Go on.")]))
            while not begun.is_set():
                await asyncio.sleep(0)
            await other.record(work(60))
            assert (await other.pack("What is left?", budget=8_000)).tokens <= 8_000
            assert (await other.compact(strategy="selective")).undo
            fork = await other.fork("branch")
            assert (await fork.health()).health
            await (await engine.session("third")).record([user("hello")])
            assert {info.key.id for info in await engine.infos()} >= {"held", "other", "third"}
            assert not compaction.done()
            assert not last.done()  # of one session, one call after the other
            released.set()
            assert (await compaction).undo
            await last

    asyncio.run(main())


def test_a_call_of_the_engine_that_takes_long_holds_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, released = threading.Event(), threading.Event()

    def import_late(*args: Any, **options: Any) -> list[Any]:
        begun.set()
        assert released.wait(60)
        return []

    async def check(engine: AsyncEngine) -> None:
        monkeypatch.setattr(Engine, "import_file", import_late)
        importing = asyncio.create_task(engine.import_file("a.jsonl"))
        while not begun.is_set():
            await asyncio.sleep(0)
        assert (await (await engine.session("s")).record([user("a")])).ids == ("m1",)
        assert not importing.done()
        released.set()
        assert await importing == []

    run(check)


def test_the_loop_goes_on_while_the_engine_works() -> None:
    async def check(engine: AsyncEngine) -> None:
        begun, released = threading.Event(), threading.Event()
        engine._target.on("recorded", lambda event: (begun.set(), released.wait()))
        session = await engine.session("s")
        task = asyncio.create_task(session.record([user("a")]))
        while not begun.is_set():
            await asyncio.sleep(0)
        released.set()
        assert (await task).ids == ("m1",)

    run(check)


def test_a_call_whose_task_is_cancelled_is_finished_in_the_thread(tmp_path: Path) -> None:
    async def check(engine: AsyncEngine) -> None:
        begun, released = threading.Event(), threading.Event()
        off = engine._target.on("recorded", lambda event: (begun.set(), released.wait()))
        session = await engine.session("s")
        running = asyncio.create_task(session.record([user("begun"), says("yes")]))
        waiting = asyncio.create_task(session.record([user("never begun")]))
        while not begun.is_set():
            await asyncio.sleep(0)
        running.cancel()
        waiting.cancel()
        await asyncio.wait([running, waiting])
        assert running.cancelled()
        assert waiting.cancelled()
        off()
        released.set()
        await session.record([user("after")])
        assert [message.text for message in await session.messages()] == ["begun", "yes", "after"]

    run(check, tmp_path / "clew.db")
    with clew.open(tmp_path / "clew.db") as engine:
        assert len(engine.session("s").messages()) == 3


def test_a_stream_that_the_caller_leaves_is_recorded_before_what_comes_next() -> None:
    async def check(engine: AsyncEngine) -> None:
        session, events = await engine.session("s"), EXAMPLES["openai-chat"].events
        async for event in session.stream(streamed(events)):
            if event["choices"][0]["delta"].get("content") == WORDS[1]:
                break
        (said,) = await session.messages()
        assert (said.text, said.interrupted) == ("".join(WORDS[:2]), True)

    run(check)


def test_a_stream_whose_task_is_cancelled_is_recorded_as_interrupted() -> None:
    async def check(engine: AsyncEngine) -> None:
        session, stuck = await engine.session("s"), asyncio.Event()

        async def events() -> AsyncIterator[Any]:
            for event in EXAMPLES["openai-chat"].events[:6]:
                yield event
            stuck.set()
            await asyncio.Event().wait()

        async def read() -> None:
            async for _ in session.stream(events()):
                pass

        task = asyncio.create_task(read())
        await stuck.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [message.interrupted for message in await session.messages()] == [True]

    run(check)


def test_a_stream_that_is_open_when_its_engine_closes_is_recorded_then(tmp_path: Path) -> None:
    async def main() -> None:
        async with clew.open_async(tmp_path / "clew.db") as engine:
            session = await engine.session("s")
            events = aiter(session.stream(streamed(EXAMPLES["openai-chat"].events)))
            for _ in range(6):
                await anext(events)
        assert await anext(events) is EXAMPLES["openai-chat"].events[6]

    asyncio.run(main())
    with clew.open(tmp_path / "clew.db") as engine:
        assert [message.interrupted for message in engine.session("s").messages()] == [True]


def test_listeners_are_called_in_the_loop() -> None:
    async def check(engine: AsyncEngine) -> None:
        heard: list[tuple[str, int]] = []
        awaited = asyncio.Event()

        async def hear_later(event: Any) -> None:
            awaited.set()

        off = await engine.on("recorded", lambda event: heard.append((event.name, threading.get_ident())))
        await engine.on("*", hear_later)
        session = await engine.session("s")
        await session.record([user("a")])
        await awaited.wait()
        off()
        await session.record([user("b")])
        await engine.wait()
        assert heard == [("recorded", threading.get_ident())]
        with pytest.raises(UsageError, match="no event"):
            await engine.on("record", print)

    run(check)


def test_closing_twice_is_fine_and_later_calls_say_that_it_is_closed(tmp_path: Path) -> None:
    async def main() -> None:
        engine = await clew.open_async(tmp_path / "clew.db")
        session = await engine.session("s")
        last = asyncio.create_task(session.record([user("a")]))
        await asyncio.sleep(0)
        await asyncio.gather(engine.close(), engine.close())
        assert (await last).ids == ("m1",)
        await engine.close()
        with pytest.raises(UsageError, match="has been closed; open it again"):
            await session.messages()

    asyncio.run(main())
    with clew.open(tmp_path / "clew.db") as engine:
        assert len(engine.session("s").messages()) == 1


def test_a_store_that_cannot_be_opened_raises_as_ever_and_leaves_no_thread(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(NotFound):
            async with clew.open_async(tmp_path / "missing" / "clew.db"):
                pass

    asyncio.run(main())
    wait_for_engine_threads()


def test_an_engine_whose_opening_is_cancelled_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, released, opened = threading.Event(), threading.Event(), list[Any]()
    opening = app.open

    def open_late(*args: Any, **options: Any) -> Any:
        begun.set()
        released.wait()
        opened.append(opening(*args, **options))
        return opened[0]

    async def main() -> None:
        task = asyncio.ensure_future(clew.open_async(tmp_path / "clew.db")._open())
        while not begun.is_set():
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        released.set()

    monkeypatch.setattr(app, "open", open_late)
    asyncio.run(main())
    wait_for_engine_threads()
    with pytest.raises(StorageError):
        opened[0].infos()


def test_nothing_reads_the_store_in_the_thread_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(engine: AsyncEngine) -> None:
        session, store = await engine.session("s"), type(engine._target.store)
        await session.record([user("look"), says("I look.", call("c1", "find"))])
        here = threading.get_ident()

        def refused(*args: Any, **options: Any) -> Any:
            raise AssertionError("the loop waits for the store")

        for name, method in [(name, method) for name, method in vars(store).items() if name[0] != "_"]:
            monkeypatch.setattr(
                store,
                name,
                lambda *args, _method=method, **options: (
                    refused() if threading.get_ident() == here else _method(*args, **options)
                ),
            )
        assert (await session.info).messages == 2
        assert (session.id, session.key.id, session.config) == ("s", "s", engine.config)
        assert len((await session.reader.history()).record_view()) == 2
        assert (await session.reader.work_map()) is not None
        assert (await session.pack(None, budget=8_000)).request("gemini")
        assert [entry.seq async for entry in await session.reader.entries()]
        assert await (await session.reader.digests()).trios() is not None
        for name in ("store", "services"):
            assert not hasattr(engine, name)

    run(check)


@pytest.mark.parametrize(("face", "behind"), [(AsyncSession, Session), (AsyncEngine, Engine)])
def test_type_checkers_know_every_name(face: type, behind: type) -> None:
    (tree,) = ast.parse(inspect.getsource(face)).body
    known = {getattr(node, "name", "") for node in ast.walk(tree)}
    known |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    assert {name for name in dir(behind) if name[0] != "_"} - known == face.hidden


def test_a_listener_that_raises_stops_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    async def check(engine: AsyncEngine) -> None:
        heard = asyncio.Event()

        async def fail_later(event: Any) -> None:
            heard.set()
            raise KeyError("later")

        await engine.on("recorded", lambda event: 1 / 0)
        await engine.on("recorded", fail_later)
        await (await engine.session("s")).record([user("a")])
        await heard.wait()

    run(check)
    told = capsys.readouterr().err
    assert "ZeroDivisionError" in told
    assert "KeyError: 'later'" in told


def test_the_profile_is_asynchronous_too() -> None:
    async def check(engine: AsyncEngine) -> None:
        profile: Any = await engine.profile("ana")
        item = await profile.set("I prefer tabs.")
        assert [one.text for one in await profile.show()] == ["I prefer tabs."]
        await profile.forget(item.id)
        assert await (await engine.profile("ben")).show() == []

    run(check)


def test_a_tool_runs_in_an_async_with_block_and_its_end_is_recorded_when_the_task_is_cancelled() -> None:
    async def check(engine: AsyncEngine) -> None:
        session = await engine.session("s")
        await session.record([user("look"), says(call("c1", "find"), call("c2", "find"))])
        async with session.tool("c1") as run:
            run.output("rope")
        began = asyncio.Event()

        async def forever() -> None:
            async with session.tool("c2"):
                began.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(forever())
        await began.wait()
        task.cancel()
        await asyncio.wait([task])
        outputs = [one for message in await session.messages() for one in message.outputs]
        assert [(one.call_id, one.status.value) for one in outputs] == [("c1", "success"), ("c2", "canceled")]

    run(check)


def test_a_model_is_asked_and_its_words_come_as_they_are_said() -> None:
    async def check(engine: AsyncEngine) -> None:
        session = await engine.session("s")
        model = model_for("local/qwen", ModelsConfig(base_url=served.url))
        assert (await session.ask("hello", model=model)).text == "hi there"
        assert "".join([piece async for piece in session.ask_stream("again", model=model)]) == "hi there"
        assert [message.text for message in await session.messages()] == ["hello", "hi there", "again", "hi there"]

    with provider(lambda path, body: reply(path, Says("hi there"), stream="stream" in body)) as served:
        run(check)


def test_a_question_stays_though_others_speak_while_its_model_works() -> None:
    asked, spoken = threading.Event(), threading.Event()

    def answer(path: str, body: dict[str, Any]) -> Any:
        asked.set()
        assert spoken.wait(30)
        return reply(path, Says("the answer"), stream=False)

    async def check(engine: AsyncEngine) -> None:
        session = await engine.session("s")
        with provider(answer) as served:
            model = model_for("local/qwen", ModelsConfig(base_url=served.url, max_retries=0))
            asking = asyncio.create_task(session.ask("the question", model=model))
            assert await asyncio.to_thread(asked.wait, 30)
            await session.record([user("aside")])
            spoken.set()
            await asking
        assert [message.text for message in await session.messages()] == ["aside", "the question", "the answer"]

    run(check)


def test_what_is_no_listener_is_refused_at_once() -> None:
    async def check(engine: AsyncEngine) -> None:
        for listener in (None, "print"):
            with pytest.raises(UsageError, match="function"):
                await engine.on("*", listener)  # type: ignore[arg-type]

    run(check)


def test_a_closed_engine_takes_no_listener_and_no_stream() -> None:
    async def main() -> None:
        async with clew.open_async(":memory:") as engine:
            session = await engine.session("s")
        with pytest.raises(UsageError, match="closed"):
            session.stream(streamed([]))
        with pytest.raises(UsageError, match="closed"):
            await engine.on("*", print)

    asyncio.run(main())
