"""A pack is built from one state of its session, whatever others record meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread, get_ident
from typing import Any

import pytest

import clew
from clew import rules
from clew.storage.database import Database
from tests.builders import says, user

BUDGET = 1_500


def talk(at: int) -> list[clew.Message]:
    return [user(f"Request {at}: rename quay_{at}, please. " + "words " * 60), says(f"Renamed quay_{at}. " * 20)]


def in_another_thread(work: Callable[[], object]) -> None:
    thread = Thread(target=work)
    thread.start()
    thread.join()


@contextmanager
def recording_at(number: int, record: Callable[[], object], patch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Another thread records when this one reads of the store for the so many-th time, once."""
    mine, looks, read = get_ident(), [0], Database.fetch_all

    def fetch_all(database: Database, statement: str, values: Sequence[Any]) -> list[Any]:
        if get_ident() == mine and not database.db.in_transaction:
            looks[0] += 1
            if looks[0] == number:
                in_another_thread(record)
        return read(database, statement, values)

    with patch.context() as inner:
        inner.setattr(Database, "fetch_all", fetch_all)
        yield looks


@pytest.mark.parametrize("target", ["anthropic", "text"])
def test_a_record_at_any_point_of_a_pack_leaves_it_whole(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with clew.open(tmp_path / "clew.db") as engine, clew.open(tmp_path / "clew.db") as beside:
        session, other = engine.session("s"), beside.session("s")
        for at in range(8):
            session.record(talk(at))
        looked = 0
        for number in range(1, 80, 4):
            with recording_at(number, lambda at=number: other.record(talk(100 + at)), monkeypatch) as looks:
                pack = session.pack(f"what of {number}?", budget=BUDGET, target=target)
            looked = max(looked, looks[0])
            assert pack.tokens <= BUDGET
            if looks[0] != number:  # at the last look of all the pack was done
                again = beside.find("s").pack(f"what of {number}?", budget=BUDGET, target=target)
                assert (again.digest, again.left_out) == (pack.digest, pack.left_out)
        assert looked > 20


def test_packs_are_sound_while_another_thread_records(tmp_path: Path) -> None:
    with clew.open(tmp_path / "clew.db") as engine, clew.open(tmp_path / "clew.db") as beside:
        session, other = engine.session("s"), beside.session("s")
        session.record(talk(0))
        thread = Thread(target=lambda: [other.record(talk(at)) for at in range(1, 25)])
        thread.start()
        while thread.is_alive():
            pack = session.pack("where are we?", budget=BUDGET, target="anthropic")
            assert rules.check(pack.request(), "anthropic") == []
            assert pack.tokens <= BUDGET
        thread.join()
        assert session.info.messages >= 50
