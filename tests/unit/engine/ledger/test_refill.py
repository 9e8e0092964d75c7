"""What a damaged store has lost comes back from the file it was read from, with the numbers it had."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import orjson
import pytest

import clew
from clew.config import Config, StorageConfig
from clew.domain import EntryKind
from clew.engine.session import Session
from clew.errors import NotFound
from tests.builders import says, user
from tests.lines import SESSION, call, line, result

LONG = "\n".join(f"{n} quay_{n} = {n * 7919}" for n in range(600))
LINES = [
    line(1, "user", "Look at the quay."),
    call(2, "t1", file_path="quay.py"),
    result(3, "t1", LONG),
    line(4, "assistant", [{"type": "text", "text": "Read."}]),
    line(5, "user", "Go on."),
    line(6, "assistant", [{"type": "text", "text": "Done."}]),
    line(7, "user", "Go on."),
    line(8, "assistant", [{"type": "text", "text": "Done again."}]),
    line(9, "user", "Go on."),
]


def written(lines: list[Any]) -> bytes:
    """As clients write them, without blanks: long strings of such lines are kept as blobs."""
    return b"".join(orjson.dumps(one) + b"\n" for one in lines)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(written(LINES))
    return path


@pytest.fixture
def path(tmp_path: Path, file: Path) -> Path:
    path = tmp_path / "clew.db"
    with clew.open(path, config=Config()) as engine:
        engine.import_file(file)
        engine.session(SESSION).pin("the quay stays", kind="decision")
    return path


def lose(path: Path, *statements: str) -> None:
    db = apsw.Connection(str(path))
    for statement in statements:
        db.execute(statement)
    db.close()


def messages(path: Path) -> list[Any]:
    with clew.open(path, config=Config()) as engine:
        return [(message.id, message.parts) for message in engine.session(SESSION).messages()]


def on(path: Path, look: Callable[[Session], Any]) -> Any:
    with clew.open(path, config=Config()) as engine:
        return look(engine.session(SESSION))


def imported(path: Path, file: Path, config: Config | None = None) -> Any:
    with clew.open(path, config=config or Config()) as engine:
        return engine.import_file(file)[0]


@pytest.mark.parametrize("seqs", [(1,), (5,), (9,), (3, 4, 5, 6), tuple(range(1, 10)), (2, 5, 7, 10)])
def test_lost_entries_come_back_where_they_stood(path: Path, file: Path, seqs: tuple[int, ...]) -> None:
    before = messages(path)
    lose(path, f"DELETE FROM entries WHERE seq IN ({', '.join(map(str, seqs))})")
    assert on(path, lambda session: session.reader.losses().entries) == len(seqs)
    done = imported(path, file)
    assert (done.restored, done.new_messages) == (len([seq for seq in seqs if seq < 10]), 0)
    assert messages(path) == before
    assert not on(path, lambda session: session.reader.losses())
    assert imported(path, file).restored == 0


def test_a_lost_blob_is_shown_with_its_size_and_comes_back(path: Path, file: Path) -> None:
    before = messages(path)
    lose(path, "DELETE FROM blobs")
    text = on(path, lambda session: session.recall("m3")[0].text)
    assert f"{len(LONG):,} bytes, lost when the store was damaged]" in text
    losses = on(path, lambda session: session.reader.losses())
    assert (losses.blobs, losses.bytes) == (1, len(LONG))
    assert str(losses).endswith(f"importing {file} again brings them back")
    imported(path, file)
    assert messages(path) == before


def test_a_blob_that_is_lost_says_how_it_comes_back(path: Path, file: Path) -> None:
    digest = on(path, lambda session: session._ledger.find_blobs(""))[0]
    lose(path, "DELETE FROM blobs")
    with pytest.raises(NotFound, match=f"is lost; importing {file} again"):
        on(path, lambda session: session.recall(f"b{digest[:12]}"))


def test_a_message_that_is_lost_says_so_where_it_stood(path: Path, file: Path) -> None:
    lose(path, "DELETE FROM entries WHERE seq IN (5, 6)")
    assert on(path, lambda session: session.recall("m5")[0].text).startswith("[m5 missing: importing ")
    assert "[m5–m6 missing: " in on(path, lambda session: session.recall("x2")[0].text)
    with pytest.raises(NotFound, match=r"m5 of session .* is lost"):
        on(path, lambda session: session.pin(message="m5"))


def test_what_grows_after_a_loss_is_refilled_and_appended_in_order(path: Path, file: Path) -> None:
    lose(path, "DELETE FROM entries WHERE seq IN (5, 8)")
    more = line(10, "assistant", [{"type": "text", "text": "Done at last."}])
    file.write_bytes(written([*LINES, more]))
    done = imported(path, file)
    assert (done.restored, done.new_messages, done.messages) == (2, 1, 10)
    assert [part.text for _, parts in messages(path)[4:] for part in parts] == [
        "Go on.", "Done.", "Go on.", "Done again.", "Go on.", "Done at last.",
    ]  # fmt: skip


def test_what_was_recorded_live_meanwhile_stays_in_its_place(path: Path, file: Path) -> None:
    on(path, lambda session: session.record([says("Said live."), user("And asked.")]))
    before = messages(path)
    lose(path, "DELETE FROM entries WHERE seq IN (4, 5)")
    imported(path, file)
    assert messages(path) == before


def test_a_masked_store_is_refilled_without_doubles(tmp_path: Path, file: Path) -> None:
    secret = line(9, "user", "The key is sk-ant-api03-" + "a1B2" * 20)
    file.write_bytes(written([*LINES[:8], secret]))
    path, config = tmp_path / "masked.db", Config(storage=StorageConfig(mask_secrets=True))
    imported(path, file, config)
    before = messages(path)
    lose(path, "DELETE FROM entries WHERE seq IN (2, 5)")
    assert imported(path, file, config).restored == 2
    assert messages(path) == before


def test_what_only_clew_knew_is_noted_as_lost_for_good(path: Path, file: Path) -> None:
    lose(path, "DELETE FROM entries WHERE kind = 'pin'")
    imported(path, file)
    assert not on(path, lambda session: session.reader.losses())
    assert on(path, lambda session: [entry.kind for entry in session.reader.entries()])[-1] is EntryKind.NOTE


def test_an_export_of_our_own_brings_lost_entries_back(path: Path, tmp_path: Path) -> None:
    from clew.cli.session_export import export_session

    copy, before = tmp_path / "copy.jsonl", messages(path)
    on(path, lambda session: export_session(session, "clew", copy, unmasked=True, as_json=False))
    lose(path, "DELETE FROM entries WHERE seq IN (3, 7, 10)", "DELETE FROM blobs")
    assert imported(path, copy).restored == 3
    assert messages(path) == before
    assert [item.text for item in on(path, lambda session: session.pins())] == ["the quay stays"]


def test_a_session_without_a_file_goes_on_around_what_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "clew.db"
    on(path, lambda session: session.record([user("hello"), says("hi"), user("go on")]))
    lose(path, "DELETE FROM entries WHERE seq = 2")
    assert "if it was read from a file" in str(on(path, lambda session: session.reader.losses()))
    on(path, lambda session: session.record([says("still here")]))
    assert [id for id, _ in messages(path)] == ["m1", "m3", "m4"]
