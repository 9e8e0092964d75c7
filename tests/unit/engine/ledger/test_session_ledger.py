"""What is built of one state of a session reads the session's row once, and writes see the row as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.app import projections
from clew.config import Config
from clew.domain import EntryKind, SessionInfo, SessionKey
from clew.engine.ledger.session_ledger import SessionLedger
from clew.storage.sqlite import SqliteStore
from tests.builders import call, gives, output, says, user
from tests.conftest import HandClock
from tests.work import work


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SessionLedger]:
    with clew.open(tmp_path / "clew.db") as engine:
        session = engine.session("s")
        session.record([user("Mend the gate, please.")])
        yield session._ledger


@pytest.fixture
def looks(ledger: SessionLedger, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the sessions whose rows were read."""
    found, read = [], SqliteStore.session

    def session(store: SqliteStore, key: SessionKey) -> SessionInfo | None:
        found.append(key.id)
        return read(store, key)

    monkeypatch.setattr(SqliteStore, "session", session)
    return found


def test_the_row_is_read_once_while_something_is_built(ledger: SessionLedger, looks: list[str]) -> None:
    def build() -> int:
        before = len(looks)
        assert [ledger.info.messages for _ in range(5)] == [1] * 5
        return len(looks) - before

    assert ledger.at_one_moment(build) == 0
    before = len(looks)
    assert (ledger.info.messages, len(looks) - before) == (1, 1)


def test_what_is_written_is_seen_at_once(ledger: SessionLedger) -> None:
    entries = ledger.info.entries

    def build() -> int:
        if ledger.info.entries == entries:
            ledger.append(EntryKind.EPOCH, {"ended": True})
        return ledger.info.entries

    assert ledger.at_one_moment(build) == entries + 1


def test_one_projection_can_be_brought_up_to_date_alone_and_the_others_later(tmp_path: Path) -> None:
    with clew.open(tmp_path / "other.db") as engine:
        lines = [json.dumps({"role": "user", "content": f"Mend gate {at}."}) for at in range(3)]
        (tmp_path / "talk.jsonl").write_text("\n".join(lines))
        (report,) = engine.import_file(tmp_path / "talk.jsonl", project=False)
        ledger = engine.find(report.session)._ledger
        ledger.rows("workmap", alone=True)
        names = ("workmap", "messages")
        assert [ledger._projector.state(ledger.key, name) is not None for name in names] == [True, False]
        ledger.bring_up_to_date()
        assert [ledger._projector.state(ledger.key, name) is not None for name in names] == [True, True]


def test_a_projection_that_was_ahead_of_the_others_misses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    with clew.open(tmp_path / "other.db") as engine:
        for ends in (3, 5):
            lines = [json.dumps({"role": "user", "content": f"Mend gate {at}."}) for at in range(ends)]
            file.write_text("\n".join(lines) + "\n")
            (report,) = engine.import_file(file, project=False)
            ledger = engine.find(report.session)._ledger
            rows = ledger.rows("messages", alone=ends == 3)
            assert len(rows.scan("0")) == ends


def test_calls_are_taken_in_with_their_outputs_or_by_whoever_reads_before(tmp_path: Path) -> None:
    with clew.open(tmp_path / "other.db") as engine:
        session = engine.session("s")
        session.record([user("Mend the gate, please.")])
        before = session._ledger.projected_entries()
        session.record([says("I look.", call("c1", path="gate.py"))])
        assert session._ledger.projected_entries() == before
        with session.tool("c1") as run:
            run.output("hinges = 2")
        assert session._ledger.projected_entries() == session.info.entries
        session.record([says("Again.", call("c2", path="gate.py"))])
        assert len(session._ledger.rows("messages").scan("0")) == session.info.messages
        session.record([says("What the call gave is not told.", call("c3")), user("Stop.")])
        assert session._ledger.projected_entries() == session.info.entries


def test_messages_make_the_same_rows_recorded_one_by_one_or_together(tmp_path: Path) -> None:
    clock, said = HandClock(), work(20)
    with clew.open(tmp_path / "other.db", clock=clock) as engine:
        one_by_one, together = engine.session("one"), engine.session("two")
        for message in said:
            one_by_one.record([message])
            if "Reading" in message.text:
                one_by_one._ledger.rows("watch", alone=True)  # one of them is ahead of the others
        together.record(said)
        for name in [one.name for one in projections(Config())]:
            first, second = (session._ledger.rows(name).scan("") for session in (one_by_one, together))
            assert first == second, name


def test_calls_are_taken_in_with_their_outputs_though_packs_wait_for_what_is_recorded(tmp_path: Path) -> None:
    with clew.open(tmp_path / "other.db") as engine:
        session = engine.session("s", model="claude-sonnet-4-5")
        session.record(work(4))
        session.pack(budget=20_000)
        before = session._ledger.projected_entries()
        session.record([says("I look.", call("c9", path="gate.py"))])
        assert session._ledger.projected_entries() == before
        session.record([gives(output("c9", "hinges = 2"))])
        assert session._ledger.projected_entries() == session.info.entries


def test_what_makes_no_difference_to_a_projection_is_seen_and_not_written(ledger: SessionLedger) -> None:
    ledger.bring_up_to_date()
    row = ledger._store.row(ledger.key, "tools", "")
    ledger.append(EntryKind.EPOCH, {"ended": True})
    ledger.bring_up_to_date()
    assert ledger._store.row(ledger.key, "tools", "") == row
    assert ledger._projector._seen_by(ledger.key, "tools") == ledger.info.entries
