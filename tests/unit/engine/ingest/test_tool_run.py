"""Runs of tools, told by whoever runs them: time, status, size, and the output that completes the pair."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from clew.domain import EntryKind, Status
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import NotFound, UsageError
from tests.builders import call, gives, output, says, user
from tests.conftest import HandClock


@pytest.fixture
def session(engine: Engine) -> Session:
    found = engine.session("s")
    found.record([user("find the rope"), says("I look.", call("c1", "find"), call("c2", "find"))])
    return found


def runs(session: Session) -> list[Any]:
    return [session._ledger.body(entry.seq)["run"] for entry in session.reader.entries() if entry.kind is EntryKind.RUN]


def test_a_run_is_recorded_with_its_times_and_its_output_completes_the_pair(session: Session, clock: HandClock) -> None:
    with session.tool("c1") as run:
        assert run.name == "find"
        clock.time += 2.5
        run.output("./boat/rope")
    told = runs(session)[0]
    assert told == {
        **{"call": "c1", "name": "find", "status": "success", "chars": 11},
        **{"started": clock.time - 2.5, "ended": clock.time},
    }
    with session.tool("c2") as run:
        clock.time += 7
        run.output({"found": ["rope"]})
    last = session.messages()[-1]
    assert [(one.call_id, one.name, one.text) for one in last.outputs] == [("c2", "find", '{"found":["rope"]}')]
    request, repairs = session.reader.request("anthropic")
    assert repairs == ()
    assert [block["tool_use_id"] for block in request.body["messages"][2]["content"]] == ["c1", "c2"]
    used = session.reader.tools_used()["find"]
    assert {name: used[name] for name in ("calls", "runs", "success", "seconds", "longest", "output_chars")} == {
        **{"calls": 2, "runs": 2, "success": 2},
        **{"seconds": 9.5, "longest": 7.0, "output_chars": 29},
    }


def test_a_run_that_never_began_cannot_end(session: Session) -> None:
    run = session.tool("c1")
    with pytest.raises(UsageError, match="ends before it began"):
        run.__exit__(None, None, None)
    assert (runs(session), session.reader.tools_used()["find"].get("seconds", 0)) == ([], 0)


def test_an_exception_is_recorded_as_a_failure_and_raised_on(session: Session) -> None:
    with pytest.raises(ValueError, match="no such boat"), session.tool("c1"):
        raise ValueError("no such boat")
    assert (runs(session)[0]["status"], runs(session)[0]["error"]) == ("failed", "ValueError: no such boat")
    found = session.messages()[-1].outputs[0]
    assert (found.status, found.text) == (Status.FAILED, "ValueError: no such boat")
    assert session.reader.tools_used()["find"]["failed"] == 1


@pytest.mark.stores("memory")
def test_a_run_that_is_broken_off_is_canceled(session: Session) -> None:
    with pytest.raises(asyncio.CancelledError), session.tool("c1"):
        raise asyncio.CancelledError
    assert runs(session)[0]["status"] == "canceled"
    assert session.messages()[-1].outputs[0].status is Status.CANCELED


@pytest.mark.stores("memory")
def test_a_tool_may_tell_of_its_failure_in_words(session: Session) -> None:
    with session.tool("c1") as run:
        run.output("exit code 2", status="failed")
    assert [one["status"] for one in runs(session)] == ["failed"]
    with pytest.raises(UsageError, match="no status 'bad' of a tool; there are success, "), session.tool("c2") as run:
        run.output("", status="bad")


@pytest.mark.stores("memory")
def test_without_an_output_the_result_is_left_to_the_caller(session: Session, clock: HandClock) -> None:
    with session.tool("c1"):
        clock.time += 3
    clock.time += 60
    session.record([gives(output("c1", "late"))])
    assert len(session.messages()) == 3
    assert session.reader.tools_used()["find"]["seconds"] == 3.0


@pytest.mark.stores("memory")
def test_only_a_call_that_waits_can_be_run(session: Session, engine: Engine) -> None:
    with pytest.raises(NotFound, match="no call 'c9' waits for its output in session s; those are c1, c2"):
        session.tool("c9")
    with session.tool("c1") as run:
        run.output("done")
    with pytest.raises(NotFound, match="those are c2"):
        engine.find("s").tool("c1")


@pytest.mark.stores("memory")
def test_events_tell_of_runs(session: Session, engine: Engine, clock: HandClock) -> None:
    heard: list[tuple[str, dict[str, Any]]] = []
    for name in ("tool.started", "tool.ended"):
        engine.on(name, lambda event: heard.append((event.name, dict(event.data))))
    with session.tool("c1") as run:
        clock.time += 1.5
        run.output("rope")
    about = {"session": "s", "call": "c1", "tool": "find"}
    ended = {"seconds": 1.5, "status": "success", "chars": 4}
    assert heard == [("tool.started", about), ("tool.ended", about | ended)]


def test_runs_survive_a_rebuild(session: Session, engine: Engine, clock: HandClock) -> None:
    with session.tool("c1") as run:
        clock.time += 4
        run.output("rope")
    before = session.reader.tools_used()
    engine.rebuild(session.info)
    assert session.reader.tools_used() == before
