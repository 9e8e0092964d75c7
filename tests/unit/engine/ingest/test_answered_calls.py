"""Results without an id find the call that they answer: by name, in order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import clew
from clew import rules
from clew.codecs import registry
from clew.engine.engine import Engine

pytestmark = pytest.mark.stores("memory")


def called(*calls: tuple[str, str | None]) -> dict[str, Any]:
    """A turn of the model with calls of functions, by name and id."""
    named = [{"name": name, "args": {"n": at}} | ({"id": id} if id else {}) for at, (name, id) in enumerate(calls)]
    return {"role": "model", "parts": [{"functionCall": one} for one in named]}


def gave(*results: tuple[str, str], role: str | None = "user", id: str | None = None) -> dict[str, Any]:
    """A turn with results of functions, by name and text."""
    known = {} if id is None else {"id": id}
    found = [{"functionResponse": {"name": name, "response": {"result": text}} | known} for name, text in results]
    return {"parts": found} | ({"role": role} if role else {})


QUESTION = {"role": "user", "parts": [{"text": "q"}]}
TURNS: dict[str, list[dict[str, Any]]] = {
    "one with an id": [called(("f", "i1")), gave(("f", "r0"))],
    "one without": [called(("f", None)), gave(("f", "r0"))],
    "both ids": [called(("f", "i1")), gave(("f", "r0"), id="i1")],
    "role tool": [called(("f", None)), gave(("f", "r0"), role="tool")],
    "role tool, with an id": [called(("f", "i1")), gave(("f", "r0"), role="tool")],
    "role function": [called(("f", "i1")), gave(("f", "r0"), role="function")],
    "no role": [called(("f", "i1")), gave(("f", "r0"), role=None)],
    "two names": [called(("f", "i1"), ("g", "i2")), gave(("f", "r0"), ("g", "r1"))],
    "two names, other order": [called(("f", "i1"), ("g", "i2")), gave(("g", "r1"), ("f", "r0"))],
    "one name twice": [called(("f", "i1"), ("f", "i2")), gave(("f", "r0"), ("f", "r1"))],
    "one name twice, without ids": [called(("f", None), ("f", None)), gave(("f", "r0"), ("f", "r1"))],
    "one by one": [called(("f", "i1"), ("f", "i2")), gave(("f", "r0")), gave(("f", "r1"))],
    "one by one, without ids": [called(("f", None), ("f", None)), gave(("f", "r0")), gave(("f", "r1"))],
    "one step after another": [called(("f", "i1")), gave(("f", "r0")), called(("f", "i2")), gave(("f", "r1"))],
    "steps without ids": [called(("f", None)), gave(("f", "r0")), called(("f", None)), gave(("f", "r1"))],
}


@pytest.fixture(params=TURNS)
def turns(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return TURNS[request.param]


def check(session: clew.Session, results: int) -> None:
    wanted = {f"r{at}" for at in range(results)}
    calls = [call for message in session.messages() for call in message.calls]
    outputs = [output for message in session.messages() for output in message.outputs]
    assert {output.text for output in outputs} == wanted
    assert {output.call_id for output in outputs} == {call.id for call in calls}
    for provider in registry.PROVIDERS:
        body = session.pack("and?", target=provider, budget=9_000, record=False).request(provider)
        assert rules.check(body, provider) == []
        shown = json.dumps(body)
        assert "aborted" not in shown
        assert all(text in shown for text in wanted)


def results_in(turns: list[dict[str, Any]]) -> int:
    return json.dumps(turns).count("functionResponse")


def test_results_reach_every_provider(engine: Engine, turns: list[dict[str, Any]]) -> None:
    session = engine.session("s")
    session.record([QUESTION, *turns])
    check(session, results_in(turns))


def test_so_they_do_when_they_come_one_by_one(engine: Engine, turns: list[dict[str, Any]]) -> None:
    session = engine.session("s")
    for turn in [QUESTION, *turns]:
        session.record(turn)
    check(session, results_in(turns))
    recorded = session.messages()
    session.record([QUESTION, *turns])
    session.record(turns[-1])
    assert session.messages() == recorded
    assert not session.reader.tools_used().keys() - {"f", "g"}


def test_objects_of_the_sdk_pair_as_their_dicts_do(engine: Engine, turns: list[dict[str, Any]]) -> None:
    types = pytest.importorskip("google.genai.types")
    session = engine.session("s")
    for turn in [QUESTION, *turns]:
        session.record(types.Content.model_validate(turn))
    check(session, results_in(turns))


def test_what_came_without_an_id_goes_back_without_one(engine: Engine) -> None:
    session = engine.session("s")
    session.record([QUESTION, *TURNS["one with an id"]])
    assert session.reader.request("gemini")[0].body["contents"][-1] == TURNS["one with an id"][-1]


def test_files_pair_as_callers_do(engine: Engine, tmp_path: Path, turns: list[dict[str, Any]]) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps({"contents": [QUESTION, *turns]}))
    report = engine.import_file(file)[0]
    check(engine.session(report.session), results_in(turns))
    assert engine.import_file(file)[0].new_messages == 0


def test_calls_of_another_format_are_answered(engine: Engine) -> None:
    session = engine.session("s")
    session.record([clew.user("q"), clew.assistant(clew.parts.Call(id="c1", name="f", arguments={}))])
    session.record(gave(("f", "r0")))
    check(session, 1)
