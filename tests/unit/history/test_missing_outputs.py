"""Calls without an output can be listed; how a run ended is recorded as it was; messages have the time they came at."""

from __future__ import annotations

import asyncio
import subprocess
from concurrent.futures import CancelledError as FutureCancelled
from pathlib import Path

import pytest

import clew
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.history.missing_outputs import MissingOutput
from clew.parts import Call
from tests.builders import call, gives, output, says, user
from tests.conftest import HandClock


def calling(engine: Engine, id: str = "s") -> Session:
    session = engine.session(id)
    session.record([user("go"), says("I look.", call("c1", "read", path="a.py"), call("c2", "bash"))])
    return session


def test_calls_without_an_output_are_listed_until_it_comes(engine: Engine) -> None:
    session = calling(engine)
    first = MissingOutput(id="c1", name="read", arguments={"path": "a.py"}, message="m2")
    assert [one.id for one in session.missing_outputs()] == ["c1", "c2"]
    assert session.missing_outputs()[0] == first
    session.record([gives(output("c2", "done"))])
    assert engine.session("s").missing_outputs() == [first]
    session.record([user("never mind"), says("fine")])
    assert session.missing_outputs() == [first]
    session.record([gives(output("c1", "late"))])
    assert session.missing_outputs() == []


def test_calls_that_the_provider_runs_or_that_were_rolled_back_are_not_missing(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("go"), says(Call(id="srv1", name="web_search", arguments={}, server=True))])
    assert session.missing_outputs() == []
    session.record([user("again"), says(call("c1"))])
    session.rollback(1)
    assert session.missing_outputs() == []


def test_an_asynchronous_session_lists_them_too() -> None:
    async def listed() -> list[str]:
        async with clew.open_async(":memory:") as engine:
            session = await engine.session("s")
            await session.record([user("go"), says(call("c1"))])
            return [one.id for one in await session.missing_outputs()]

    assert asyncio.run(listed()) == ["c1"]


class Timeout(Exception):
    """As requests and others name it."""


@pytest.mark.stores("memory")
@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (TimeoutError("after 3 s"), "timeout", "TimeoutError: after 3 s"),
        (TimeoutError(), "timeout", "TimeoutError"),
        (subprocess.TimeoutExpired("make", 3), "timeout", "TimeoutExpired: Command 'make' timed out after 3 seconds"),
        (Timeout("slow"), "timeout", "Timeout: slow"),
        (asyncio.CancelledError(), "canceled", "canceled"),
        (FutureCancelled(), "canceled", "canceled"),
        (KeyboardInterrupt(), "interrupted", "interrupted"),
        (ValueError("no"), "failed", "ValueError: no"),
    ],
)
def test_how_a_run_ended_is_recorded_as_it_was(engine: Engine, error: BaseException, status: str, text: str) -> None:
    session = calling(engine)
    with pytest.raises(type(error)), session.tool("c1"):
        raise error
    (recorded,) = session.messages()[-1].outputs
    assert (recorded.status, recorded.text) == (status, text)
    assert session.reader.tools_used()["read"][status] == 1


@pytest.mark.stores("memory")
def test_messages_have_the_time_at_which_they_were_recorded(engine: Engine, clock: HandClock) -> None:
    session, begun = engine.session("s"), clock.now()
    session.record([{"role": "user", "content": "hi"}, clew.assistant("hello")])
    clock.time += 60
    session.reply({"role": "assistant", "content": [{"type": "text", "text": "and?"}]})
    assert [message.at for message in session.messages()] == [begun, begun, begun + 60]


def test_messages_of_a_transcript_keep_their_own(tmp_path: Path) -> None:
    file = tmp_path / "chat.md"
    file.write_text("# aider chat started at 2026-01-02 10:00:00\n\n#### why?\n\nBecause.\n")
    with clew.open(":memory:") as engine:
        engine.import_file(file)
        (found,) = engine.sessions()
        assert all(one.at is None or one.at < 1_800_000_000 for one in engine.session(found.id).messages())
