"""Which session is the latest one."""

from __future__ import annotations

from pathlib import Path

from clew.engine.engine import Engine
from clew.engine.ledger.session_ledger import LATEST
from tests.lines import CONVERSATION, jsonl
from tests.unit.engine.ledger.test_deduplication import a, u


def write(folder: Path, session: str, *, year: int) -> Path:
    path = folder / f"{session}.jsonl"
    path.write_bytes(
        jsonl([one | {"sessionId": session, "timestamp": f"{year}-03-01T10:00:00Z"} for one in CONVERSATION])
    )
    return path


def test_the_latest_session_is_the_one_last_recorded_into(engine: Engine, tmp_path: Path) -> None:
    old, new = write(tmp_path, "old", year=2001), write(tmp_path, "new", year=2002)
    engine.import_file(new)
    engine.import_file(old)
    assert engine.find("latest").id == "old"
    engine.session("live").record([u("one"), a("two")], format="openai-chat")
    assert engine.find("latest").id == "live"
    engine.import_file(new)
    assert engine.find("latest").id == "new"


def test_of_a_batch_the_session_with_the_newest_message_is_the_latest(engine: Engine, tmp_path: Path) -> None:
    files = [write(tmp_path, f"s{year}", year=year) for year in (2003, 2005, 2004)]
    engine.session("live").record([u("one")], format="openai-chat")
    ids = [engine.import_file(file)[0].session for file in files]
    assert engine.mark_latest(ids) == engine.find("latest").id == "s2005"
    chats = [f"# aider chat started at {year}-03-04 05:06:07\n\n#### one  \n" for year in (2006, 2008, 2007)]
    (tmp_path / "chats.md").write_text("\n".join(chats))
    engine.import_file(tmp_path / "chats.md")
    assert engine.find("latest").id.endswith("2008-03-04T05-06-07")


def test_a_purge_of_the_latest_session_leaves_the_one_with_the_newest_message(engine: Engine, tmp_path: Path) -> None:
    for name, year in (("old", 2001), ("new", 2002), ("gone", 2000)):
        engine.import_file(write(tmp_path, name, year=year))
    key = engine.find("latest").key
    engine.purge(key)
    assert engine.find("latest").id == "new"
    assert engine.store.values(key.tenant, key.user, LATEST) == {}
