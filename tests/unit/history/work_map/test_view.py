"""The work map of a story: the newest changes, told as the whole map tells them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from clew.domain import Message, SessionKey, Status
from clew.engine.ledger.rows import SessionRows
from clew.history.work_map import file_rows, view
from clew.history.work_map.file_rows import CHANGED, FILE
from clew.history.work_map.view import load_recent_work, load_work_map
from clew.storage.memory import MemoryStore
from clew.units.file_lines import file_lines
from clew.units.state_lines import state_lines
from tests.builders import says, user
from tests.unit.history.work_map.examples import edit_call, rows_of, tool_call, work_map_of

WORK = [
    user("rename the cart, and test it"),
    *edit_call("src/cart.py", "a", "b"),
    *tool_call("Read", "x", file_path="/w/shop/src/cart.py"),
    *tool_call("Read", "x", file_path="/w/shop/src/other.py"),
    *tool_call("Bash", "", command="mv /w/shop/src/cart.py /w/shop/src/basket.py"),
    *tool_call("Write", "File created", file_path="/w/shop/new.py", content="def total(): ..."),
    *tool_call("Write", "File created", file_path="/w/shop/gone.py", content="x = 1"),
    *edit_call("/w/shop/new.py", "total", "sum_up"),
    *tool_call("Bash", "", command="rm /w/shop/gone.py"),
    *tool_call("Bash", "1 failed", Status.FAILED, command="pytest -q"),
    says("I look at /w/shop/new.py again."),
]


def stored(*messages: Message, batch: int) -> SessionRows:
    rows = SessionRows(MemoryStore(), SessionKey("t", "u", "s"), "workmap")
    for name, row in rows_of(*messages, batch=batch):
        rows.put(name, row)
    rows.flush()
    return rows


def listed(rows: list[tuple[str, Any]]) -> list[str]:
    return [row["path"] for name, row in rows if name.startswith(CHANGED)]


@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_the_newest_changes_are_told_as_the_whole_map_tells_them(batch: int) -> None:
    rows = stored(*WORK, batch=batch)
    recent, whole = load_recent_work(rows, root="/w/shop"), replace(load_work_map(rows.scan()), root="/w/shop")
    assert listed(rows.scan()) == [f"/w/shop/{name}.py" for name in ("src/basket", "src/cart", "new", "gone")]
    assert state_lines(recent) == state_lines(whole)
    assert file_lines(recent, {}, chars=1000) == file_lines(whole, {}, chars=1000)
    assert len(file_lines(recent, {}, chars=1000)) == 4


def test_of_many_changes_only_the_newest_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "_RECENT_FILES", 2)
    rows = stored(*(one for at in range(5) for one in edit_call(f"/w/f{at}.py", "a", "b")), batch=2)
    recent = load_recent_work(rows, root="/w")
    assert {(facts.path, facts.edited) for facts in recent.files} == {("/w/f3.py", 8), ("/w/f4.py", 10)}


def test_a_file_that_gave_way_is_listed_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_rows, "MAX_FILES", 2)
    monkeypatch.setattr(file_rows, "FILES_SLACK", 0)
    rows = rows_of(*(one for at in range(5) for one in edit_call(f"/w/f{at}.py", "a", "b")), batch=2)
    assert sorted(listed(rows)) == sorted(row["path"] for name, row in rows if name.startswith(FILE))


def test_paths_keep_the_folders_by_which_files_were_spoken_of() -> None:
    reads = [tool_call("Read", "x", file_path=f"/home/ana/shop/harbor/berths/{name}.py") for name in ("a", "b", "c")]
    said = user("Look at harbor/berths/a.py, and at b.py.")
    assert work_map_of(*(one for read in reads for one in read)).root == "/home/ana/shop/harbor"
    for order in ([*reads, [said]], [[said], *reads]):
        assert work_map_of(*(one for read in order for one in read)).root == "/home/ana/shop"
