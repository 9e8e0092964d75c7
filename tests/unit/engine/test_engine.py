"""The engine on one store: what a purge leaves behind, and what a list of sessions reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import Config
from clew.engine.engine import Engine
from tests.builders import call, gives, output, says, user

PLANTED = b"zanzibarquay"


def files_with(folder: Path, content: bytes) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if content in file.read_bytes().lower())


def plant(engine: Engine, id: str) -> None:
    """The word stands in a title, messages, a long output, the index of words, a pin and the entries of a pack."""
    word = PLANTED.decode()
    session = engine.session(id, title=f"about {word}", cwd=f"/home/{word}", source=f"/tmp/{word}.jsonl")
    listing = "\n".join(f"{word}_{n} = {n * 7919}" for n in range(400))
    session.record([user(f"Never rename {word}."), says("Reading.", call("c1", "Read", file_path=f"{word}.py"))])
    session.record([gives(output("c1", listing)), says(f"{word} is done.")])
    session.pin(f"{word} stays", kind="decision")
    session.pack(f"what of {word}?", budget=4_000)
    session.compact()


def test_a_purge_leaves_nothing_in_any_file_of_the_store(tmp_path: Path) -> None:
    with clew.open(tmp_path / "clew.db", config=Config()) as engine:
        engine.session("kept").record([user("hello"), says("hi")])
        plant(engine, "one")
        plant(engine, "two")
        backup = tmp_path / "clew.db.backup-v1"
        backup.write_bytes(PLANTED)
        assert files_with(tmp_path, PLANTED) == ["clew.db-wal", "clew.db.backup-v1"]
        erasure = engine.purge(engine.key("one"), engine.key("two"))
        assert (erasure.copies, erasure.left) == ((str(backup),), "")
        # The index leaves out the beginning that a word shares with the one before it.
        assert files_with(tmp_path, PLANTED) + files_with(tmp_path, PLANTED[4:]) == []
        assert [info.key.id for info in engine.infos()] == ["kept"]
    assert files_with(tmp_path, PLANTED[4:]) == []


@pytest.mark.parametrize("ids", [(), ("one",)])
def test_each_purged_session_is_announced(engine: Engine, ids: tuple[str, ...]) -> None:
    told: list[str] = []
    engine.on("purged", lambda event: told.append(event.data["session"]))
    for id in ids:
        engine.session(id).record([user("hello")])
    engine.purge(*map(engine.key, ids))
    assert told == list(ids)


def test_a_list_of_sessions_reads_little_of_each(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        engine.session(f"s{number}").record([user("Never touch docs/old. Fix the login."), says("I will.")])
    monkeypatch.setattr(engine.services.tokenizers, "count", lambda _: pytest.fail("nothing has to be counted"))
    asked: list[str] = []
    for name in ("session", "row", "rows"):
        _noted(engine, name, asked, monkeypatch)
    assert [one.health for one in engine.sessions()] == ["good"] * 3
    assert asked.count("session") == 0
    assert len(asked) <= 3 * 12


def _noted(engine: Engine, name: str, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    method = getattr(engine.store, name)

    def noted(*arguments: Any, **named: Any) -> Any:
        asked.append(name)
        return method(*arguments, **named)

    monkeypatch.setattr(engine.store, name, noted)
