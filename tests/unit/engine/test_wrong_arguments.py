"""Arguments of a wrong kind are refused at the call, with an error of ours that says what to give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import clew
from clew.domain.argument_kinds import checks_arguments
from clew.errors import StorageError, UsageError

Call = Callable[[clew.Engine, clew.Session], Any]
WRONG: dict[str, Call] = {
    "session(None)": lambda engine, _: engine.session(None),  # type: ignore[arg-type]
    "session(b'x')": lambda engine, _: engine.session(b"x"),  # type: ignore[arg-type]
    "session(window='big')": lambda engine, _: engine.session("q", window="big"),
    "session(window=-1)": lambda engine, _: engine.session("q", window=-1),
    "session(model=7)": lambda engine, _: engine.session("q", model=7),
    "session(user=7)": lambda engine, _: engine.session("q", user=7),  # type: ignore[arg-type]
    "on('*', None)": lambda engine, _: engine.on("*", None),  # type: ignore[arg-type]
    "on(None, print)": lambda engine, _: engine.on(None, print),  # type: ignore[arg-type]
    "find(None)": lambda engine, _: engine.find(None),  # type: ignore[arg-type]
    "purge(None)": lambda engine, _: engine.purge(None),  # type: ignore[arg-type]
    "profile(7)": lambda engine, _: engine.profile(7),  # type: ignore[arg-type]
    "engine.search(filters=7)": lambda engine, _: engine.search("x", filters=7),  # type: ignore[arg-type]
    "search(None)": lambda _, session: session.search(None),  # type: ignore[arg-type]
    "search(limit='a')": lambda _, session: session.search("x", limit="a"),  # type: ignore[arg-type]
    "recall(None)": lambda _, session: session.recall(None),  # type: ignore[arg-type]
    "recall([7])": lambda _, session: session.recall([7]),  # type: ignore[list-item]
    "pin(7)": lambda _, session: session.pin(7),  # type: ignore[arg-type]
    "pin(message=7)": lambda _, session: session.pin(message=7),  # type: ignore[arg-type]
    "compact(budget='x')": lambda _, session: session.compact(budget="x"),  # type: ignore[arg-type]
    "compact(budget=True)": lambda _, session: session.compact(budget=True),
    "drift(7)": lambda _, session: session.drift(7),  # type: ignore[arg-type]
    "edit(None)": lambda _, session: session.edit(None, "x"),  # type: ignore[arg-type]
    "edit(message=7)": lambda _, session: session.edit("m1", 7),  # type: ignore[arg-type]
    "fork(None)": lambda _, session: session.fork(None),  # type: ignore[arg-type]
    "resume(None)": lambda _, session: session.resume(None),  # type: ignore[arg-type]
    "rollback('x')": lambda _, session: session.rollback("x"),  # type: ignore[arg-type]
    "note(segment=5)": lambda _, session: session.channels.note({}, segment=5),  # type: ignore[arg-type]
    "count(None)": lambda engine, _: engine.count(None),  # type: ignore[arg-type]
    "pack(thinking=5)": lambda _, session: session.pack("x", thinking=5),  # type: ignore[arg-type]
    "pack(thinking='bogus')": lambda _, session: session.pack("x", thinking="bogus"),
    "record(format=7)": lambda _, session: session.record([], format=7),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_refused_at_the_call(name: str) -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record([clew.user("hello"), clew.assistant("hi")])
        with pytest.raises(UsageError):
            WRONG[name](engine, session)


def test_an_argument_is_checked_wherever_it_stands() -> None:
    @checks_arguments
    class Lamp:
        def light(self, place: str, *, times: int = 1, colour: str | None = None) -> str:
            return f"{place} {times} {colour}"

    assert Lamp().light("bow") == "bow 1 None"
    assert Lamp().light(place="bow", times=2, colour=None) == "bow 2 None"
    for wrong in ({"place": 7}, {"place": "bow", "times": "two"}, {"place": "bow", "colour": 7}):
        with pytest.raises(UsageError, match=r"of light\(\) is of type"):
            Lamp().light(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "use",
    [
        lambda engine, _: engine.sessions(),
        lambda _, session: session.messages(),
        lambda _, session: session.record([clew.user("more")]),
        lambda _, session: session.pack("why?", budget=9_000),
    ],
)
def test_a_closed_store_in_memory_refuses(use: Call) -> None:
    engine = clew.open(":memory:")
    session = engine.session("s")
    session.record([clew.user("hello"), clew.assistant("hi")])
    engine.close()
    with pytest.raises(StorageError, match="closed"):
        use(engine, session)
