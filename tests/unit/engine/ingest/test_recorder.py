"""The recorder: one way in, for whoever records; a failure leaves the handle as it was, and streams are notified."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import CompactionConfig, Config
from clew.engine.engine import Engine
from clew.engine.ingest.record_listeners import RecordListeners
from clew.engine.session import Session
from tests.builders import says, user
from tests.conftest import HandClock
from tests.lines import SESSION, line
from tests.unit.engine.health.test_external_rules import WISH
from tests.work import work

BUDGET = 60_000


class DiskFull(Exception):
    pass


def test_a_first_record_that_fails_leaves_the_handle_as_it_was(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    session = engine.session("s")
    with monkeypatch.context() as patched:
        patched.setattr(engine.store, "put_rows", _raise)
        with pytest.raises(DiskFull):
            session.record([user("Hello."), says("Hi.")])
    assert session.record([user("Hello."), says("Hi.")]).ids == ("m1", "m2")
    assert session.pin("Be brief.").text == "Be brief."
    assert [entry.seq for entry in session.reader.entries()] == list(range(1, session.info.entries + 1))


def _raise(*_: object) -> None:
    raise DiskFull


def test_a_system_prompt_that_grows_is_sent_whole_by_a_handle_that_packed_before(engine: Engine) -> None:
    session = engine.session("s", model="gpt-5")
    parts = [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Use tabs."}]
    talk: list[Any] = [{"role": "system", "content": parts[:1]}, {"role": "user", "content": "Hello."}]
    session.record(talk, format="openai-chat", whole=True)
    session.pack(None, budget=BUDGET)
    grown = [{"role": "system", "content": parts}, talk[1], {"role": "assistant", "content": "Hi."}]
    session.record(grown, format="openai-chat", whole=True)
    sent = json.dumps(session.pack("And now?", budget=BUDGET).request())
    assert "Use tabs." in sent
    assert sent == json.dumps(engine.find("s").pack("And now?", budget=BUDGET).request())


def watched(engine: Engine, name: str) -> list[Any]:
    said: list[Any] = []
    engine.on(name, said.append)
    return said


def eager(clock: HandClock, **compaction: Any) -> Engine:
    chosen = replace(CompactionConfig(), background=False, floor_tokens=4_000, target_tokens=1_500, **compaction)
    return clew.open(":memory:", config=replace(Config(), compaction=chosen), clock=clock)


def packing(engine: Engine, name: str) -> Session:
    session = engine.session(name, model="claude-sonnet-4-5")
    for message in work(12):
        session.record([message])
        session.pack(None, budget=BUDGET)
    return session


def test_a_stream_is_notified_of_what_another_way_in_records(clock: HandClock, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = [line(1, "user", "Hello.")]
    for at in range(2, 60, 2):
        words = " ".join(f"word{at}x{n}" for n in range(300))
        lines += [
            line(at, "assistant", [{"type": "text", "text": words}]),
            line(at + 1, "user", f"More of {at}, please."),
        ]
    with eager(clock, on_cold=False, on_price=False) as engine:
        path.write_text("\n".join(json.dumps(one) for one in lines[:31]) + "\n")
        engine.import_file(path)
        session, due = engine.find(SESSION), watched(engine, "compaction.due")
        session.pack(None, budget=36_000)
        path.write_text("\n".join(json.dumps(one) for one in lines) + "\n")
        engine.import_file(path)
        assert len(due) == 1


def test_imported_words_reach_no_profile_and_fire_no_health_event(clock: HandClock, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(line(1, "user", f"{WISH} Never push to main.")) + "\n")
    with clew.open(":memory:", clock=clock, person="default") as engine:
        changed = watched(engine, "health.changed")
        engine.import_file(path)
        assert engine.profile().show() == []
        assert changed == []
        engine.session("live").record([user(WISH)])
        assert [item.text for item in engine.profile().show()] == [WISH]


def test_several_handles_announce_a_compaction_once(clock: HandClock) -> None:
    with eager(clock) as engine:
        handles = [packing(engine, "s") for _ in range(3)]
        due = watched(engine, "compaction.due")
        for at in range(6):
            handles[0].record([user(f"Again {at}. " + "more and more words " * 400), says("Yes.")])
        assert len(due) <= 1


class Waiting:
    def __init__(self) -> None:
        self.calls = 0

    def fail(self) -> None:
        self.calls += 1
        raise DiskFull("no room")

    def count(self) -> None:
        self.calls += 1


def test_a_listener_that_fails_stops_nobody(engine: Engine) -> None:
    session, failed = engine.session("s"), watched(engine, "listener.failed")
    listeners: RecordListeners = session._components.recorder._listeners
    first, second = Waiting(), Waiting()
    listeners.add(session._ledger, "first", first.fail)
    listeners.add(session._ledger, "second", second.count)
    assert session.record([user("Hello.")]).ids == ("m1",)
    assert (first.calls, second.calls) == (1, 1)
    assert [event.data["reason"] for event in failed] == ["no room"]


def test_listeners_are_let_go_with_their_objects(engine: Engine) -> None:
    session = engine.session("s")
    listeners: RecordListeners = session._components.recorder._listeners
    for _ in range(20):
        listeners.add(session._ledger, "one", Waiting().count)
    assert len(listeners._listeners[session.key]) == 1
    engine.purge(session.key)
    assert session.key not in listeners._listeners


def test_a_conversation_that_is_handed_in_again_is_known_where_a_reply_is_several_items(engine: Engine) -> None:
    asked = {"role": "user", "content": "Why is it slow?"}
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc"}
    said = [{"type": "output_text", "text": "It sleeps.", "annotations": []}]
    words = {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "content": said}
    called = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": "{}"}
    given = {"type": "function_call_output", "call_id": "c1", "output": "sleep(9)"}
    session, items = engine.session("s"), [asked, thought, words, called]
    session.record(items, format="openai-responses")
    session.record([*items, given], format="openai-responses")
    session.record([*items, given, words | {"id": "msg_2"}], format="openai-responses")
    assert [message.role for message in session.messages()] == ["user", "assistant", "tool", "assistant"]
    assert session.record([words | {"id": "msg_3"}], format="openai-responses").ids == ()
