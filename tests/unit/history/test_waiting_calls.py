"""Calls wait for their outputs in rows of their own: the state that is written with every message stays small."""

from __future__ import annotations

import orjson

from clew.domain import SessionKey
from clew.engine.engine import Engine
from clew.engine.ledger.rows import SessionRows
from clew.history.waiting_calls import WAITING, WaitingCalls
from clew.storage.memory import MemoryStore
from tests.builders import call, gives, output, says, user

TEXT = "quay = harbor.first_quay\n" * 100


def rows() -> SessionRows:
    return SessionRows(MemoryStore(), SessionKey("t", "u", "s"), "any")


def test_a_call_is_taken_once_and_leaves_no_row() -> None:
    held = rows()
    state = {}
    for about in (["read"], ["write"]):
        waiting = WaitingCalls(held, state)
        waiting.add(about[0], about)
        state = waiting.save()
    assert [name for name, _ in held.scan(WAITING, WAITING + "~")] == [WAITING + "read", WAITING + "write"]
    waiting = WaitingCalls(held, state)
    assert (waiting.take("read"), waiting.take("read"), waiting.take("other")) == (["read"], [], [])
    waiting.add("quick", ["run"])
    assert (waiting.take("quick"), waiting.save()) == (["run"], {"write": []})
    assert [name for name, _ in held.scan(WAITING, WAITING + "~")] == [WAITING + "write"]


def test_what_an_earlier_version_kept_in_its_state_is_taken_from_there() -> None:
    waiting = WaitingCalls(rows(), {"read": ["read", {"path": "a.py"}]})
    assert waiting.take("read") == ["read", {"path": "a.py"}]


def test_states_stay_small_however_many_calls_are_never_answered(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("Write the harbor, please.")])
    for at in range(80):
        session.record([says(call(f"c{at}", "Write", file_path=f"/src/quay_{at}.py", content=TEXT)), says("Next.")])
    for name in ("workmap", "forms"):
        assert len(orjson.dumps(session._ledger.state(name))) < 4_000
        assert len(session._ledger.rows(name).scan(WAITING, WAITING + "~")) == 64
    session.record([gives(output("c79", "The file has been written."))])
    assert [file.path for file in session.reader.work_map().files if file.edited] == ["/src/quay_79.py"]
