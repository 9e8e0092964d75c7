"""Arguments of a wrong kind are refused at the call, with an error of ours that says what to give."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.domain import CompactionRequest, Trigger
from clew.domain.argument_kinds import checks_arguments
from clew.engine.ledger.records import ChannelCursor, ChannelKind
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
    "search(limit=-1)": lambda _, session: session.search("x", limit=-1),
    "engine.search(limit=0)": lambda engine, _: engine.search("x", limit=0),
    "knowledge.search(limit=-1)": lambda engine, _: engine.knowledge.search("x", limit=-1),
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
    "pack(attachments=5)": lambda _, session: session.pack("x", attachments=5),  # type: ignore[arg-type]
    "pack(errors=5)": lambda _, session: session.pack("x", errors=5),  # type: ignore[arg-type]
    "ask(tools=5)": lambda _, session: session.ask("x", tools=5),  # type: ignore[arg-type]
    "knowledge.search(5)": lambda engine, _: engine.knowledge.search(5),  # type: ignore[arg-type]
    "record(format=7)": lambda _, session: session.record([], format=7),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_refused_at_the_call(name: str) -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record([clew.user("hello"), clew.assistant("hi")])
        with pytest.raises(UsageError):
            WRONG[name](engine, session)


class Odd:
    """Something that no method takes."""


def nested(levels: int) -> dict[str, Any]:
    """An object in an object, deeper than the interpreter calls."""
    found: dict[str, Any] = {}
    for _ in range(levels):
        found = {"a": found}
    return found


DEEP = nested(5_000)


#: What each public method takes for arguments without a default, by name; a few by method.
GOOD: dict[str, Any] = {
    "budget": 4_000,
    "changes": [],
    "cursor": ChannelCursor("test", ChannelKind.CALLER),
    "exchanges": 1,
    "filters": {},
    "id": "m1",
    "ids": ["m1"],
    "items": [],
    "keep_recent": None,
    "messages": [],
    "number": 1,
    "numbers": [1],
    "records": [],
    "request": CompactionRequest(trigger=Trigger.HAND),
    "strategy": "auto",
}
PARTS: dict[str, Callable[[clew.Engine, clew.Session], Any]] = {
    "engine": lambda engine, _: engine,
    "session": lambda _, session: session,
    "reader": lambda _, session: session.reader,
    "compactor": lambda _, session: session.compactor,
    "monitor": lambda _, session: session.monitor,
    "channels": lambda _, session: session.channels,
    "knowledge": lambda engine, _: engine.knowledge,
    "profile": lambda engine, _: engine.profile("ana"),
}


def wrong_calls(part: object) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every public method with something wrong for each of its arguments in turn."""
    for name, method in inspect.getmembers(type(part), inspect.isfunction):
        known = [one for one in inspect.signature(method).parameters.values() if one.name != "self"]
        is_many = {one.name: one.kind is one.VAR_POSITIONAL for one in known}
        needed = {
            one.name: GOOD.get(one.name, "x") for one in known if one.default is one.empty and not is_many[one.name]
        }
        for one in known if not name.startswith("_") else ():
            for wrong in (Odd(), 5.5, b"x", None, 4, nan, "x", [], {}, DEEP):
                listed, named = ([wrong], {}) if is_many[one.name] else ([], {one.name: wrong})
                call = partial(getattr(part, name), *listed, **needed | named)
                yield f"{name}({one.name}={type(wrong).__name__})", call


@pytest.mark.parametrize("name", PARTS)
def test_no_public_method_fails_inside_over_a_wrong_argument(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a few write to the file that they are given
    raw = {}
    with clew.open(":memory:") as engine:
        session = engine.session("s", user="ana", model="gpt-5")
        session.record([clew.user("hello"), clew.assistant("hi")])
        for said, call in wrong_calls(PARTS[name](engine, session)):
            try:
                found = call()
                list(found) if inspect.isgenerator(found) else found
            except clew.ClewError:
                pass
            except Exception as error:
                raw[said] = repr(error)
    assert raw == {}


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


#: What values that callers make by hand are made of, where they are right.
VALUES: dict[type, dict[str, Any]] = {
    clew.parts.Call: {"id": "c", "name": "Read", "arguments": {}},
    clew.parts.Output: {"call_id": "c"},
    clew.parts.Text: {"text": "x"},
    clew.parts.Reasoning: {"text": "x"},
    clew.parts.Media: {"media_type": "image/png"},
    clew.Message: {"role": "user"},
    clew.Module: {"id": "a", "name": "A", "content": "x"},
    clew.Budget: {"total": 8_000},
}


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_a_value_made_of_wrong_things_is_refused(kind: type) -> None:
    taken = []
    for name, parameter in inspect.signature(kind).parameters.items():
        is_checked = parameter.annotation in ("str", "str | None", "Any")
        for wrong in (Odd(), nan, DEEP, *([4] if parameter.annotation != "Any" else [])) if is_checked else ():
            try:
                kind(**VALUES[kind] | {name: wrong})
            except UsageError:
                continue
            taken.append((name, type(wrong)))
    assert taken == []


@pytest.mark.parametrize("about", [{"person": 3}, {"person": None}, {"clock": 3}])
def test_an_engine_is_opened_with_what_it_takes_alone(about: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(about))):
        clew.open(":memory:", **about)


@pytest.mark.parametrize("content", [nan, -inf])
def test_what_is_no_number_is_no_content(content: float) -> None:
    session = clew.open(":memory:").session("s")
    with pytest.raises(UsageError, match="which JSON cannot say"):
        session.record({"role": "user", "content": content})
    called = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"x": content}}]}
    assert session.record(called).ids  # what a model or a tool gave is taken as it came


@pytest.mark.parametrize("ask", [lambda e, s: e.on("*", print), lambda e, s: s.stream([])], ids=["on", "stream"])
def test_a_closed_engine_takes_no_listener_and_no_stream(ask: Any) -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s")
    with pytest.raises(UsageError, match="closed"):
        ask(engine, session)


def test_a_query_that_is_no_text_is_refused_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match=r"query of compact\(\)"):
        clew.compact([object()], budget=2_000, query=5)  # type: ignore[arg-type]
