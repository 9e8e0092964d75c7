"""The engine does the same for synchronous and asynchronous callers."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.async_engine.engine import AsyncSession
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import user
from tests.effort import first
from tests.stream_examples import EXAMPLES, WORDS

LONG = "The login fails with a 500 since Monday; the log names login.py, line 12. " * 12


class Awaited:
    """The synchronous engine, spoken to like the asynchronous one, so that one journey fits both."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._target, name)
        if name == "info":
            return asyncio.sleep(0, method)
        if name == "reader":
            return Awaited(method)
        if not inspect.ismethod(method) or name == "stream":
            return method

        async def call(*args: Any, **options: Any) -> Any:
            given = [value._target if isinstance(value, Awaited) else value for value in args]
            found = method(*given, **options)
            if name == "entries":
                return listed(found)
            return Awaited(found) if isinstance(found, Session) else found

        return call


async def listed(items: Any) -> AsyncIterator[Any]:
    for item in items:
        yield item


@asynccontextmanager
async def opened(door: str, store: Path | str) -> AsyncIterator[Any]:
    if door == "async":
        async with clew.open_async(store) as engine:
            yield engine
    else:
        with clew.open(store) as engine:
            yield Awaited(engine)


async def journey(engine: Any) -> list[Any]:
    """All that a program does with a session; returns what it saw."""
    seen: list[Any] = []
    session = await engine.session("fix-login", model="claude-sonnet-5", window=20_000)
    for turn in range(7):
        recorded = await session.record([user(f"{turn}. Why? {LONG}"), {"role": "assistant", "content": LONG}])
        seen.append(recorded.ids)
    pack = await session.pack("and now?", budget=6_000)
    seen += [pack.tokens <= 6_000, pack.request("anthropic")["messages"][-1]["role"]]
    seen.append((await session.reply("It is line 12.")).content)
    async for _ in session.stream(listed(EXAMPLES["anthropic"].events)):
        pass
    seen.append([(one.role, one.text[:20]) for one in await session.messages()])
    pinned = await session.pin("Use JWT", kind="decision")
    seen += [pinned.id, [pin.text for pin in await session.pins()]]
    done = await session.compact(keep_recent=2, budget=3_000)
    seen += [done.saved_tokens > 0, done]
    await session.undo()
    seen.append([part.text for part in await session.recall(["m1", "x2"])])
    seen.append([match.id for match in await session.search("line 12", limit=3)])
    seen.append([entry.kind async for entry in await session.reader.entries()])
    other = await session.fork("second", at="m4")
    seen.append((other.id, (await other.info).messages))
    third = await engine.session("third")
    seen.append((await third.resume(other, budget=2_000)).ids)
    with pytest.raises(clew.ClewError):
        await session.recall("m999")
    await engine.purge(session.key, other.key)
    seen.append([info.key.id for info in await engine.infos()])
    return seen


@pytest.mark.parametrize("store", first(["sqlite", "memory"]))
def test_one_journey_through_both_doors(store: str, tmp_path: Path) -> None:
    async def through(door: str) -> list[Any]:
        async with opened(door, ":memory:" if store == "memory" else tmp_path / f"{door}.db") as engine:
            return await journey(engine)

    by_sync, by_async = asyncio.run(through("sync")), asyncio.run(through("async"))
    assert by_sync == by_async
    assert by_sync[-1] == ["third"]
    assert ("assistant", "".join(WORDS)[:20]) in by_sync[10]


def test_every_method_is_found_behind_the_asynchronous_door() -> None:
    async def check() -> None:
        async with clew.open_async(":memory:") as engine:
            session: Any = await engine.session("s")
            for target, kind in ((engine, Engine), (session, Session)):
                names = [name for name, value in vars(kind).items() if inspect.isfunction(value) and name[0] != "_"]
                assert len(names) > 8
                shown = set(names) - type(target).hidden
                plain = {name for name in shown if not inspect.iscoroutinefunction(getattr(target, name))}
                assert plain <= {"ask_stream", "stream", "tool"}  # read with async for, and entered with async with
            assert session.record.__doc__ == Session.record.__doc__
            assert set(vars(Session)) - {"__dict__", "__weakref__"} - AsyncSession.hidden <= set(dir(session))

    asyncio.run(check())
