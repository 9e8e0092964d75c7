"""Reading a session: what is shown is read, not all that there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import clew
from clew import app
from clew.config import Config
from clew.domain import Entry, SessionKey
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.storage.memory import MemoryStore
from tests.builders import call, gives, output, says, user
from tests.conftest import HandClock
from tests.work import work


class CountingStore(MemoryStore):
    """Counts rows and entries that are read."""

    read = 0

    def rows(
        self, key: SessionKey, projection: str, *, start: str = "", stop: str | None = None, last: int | None = None
    ) -> list[tuple[str, bytes]]:
        found = super().rows(key, projection, start=start, stop=stop, last=last)
        self.read += len(found)
        return found

    def entries_of(self, key: SessionKey, first: int, last: int) -> Iterator[Entry]:
        for entry in super().entries_of(key, first, last):
            self.read += 1
            yield entry


def grown(engine: Engine, exchanges: int) -> Session:
    session = engine.session(f"s{exchanges}", cwd="/w")
    for at in range(exchanges):
        edit = call(f"c{at}", "Edit", file_path=f"/w/f{at}.py", old_string="a", new_string="b")
        session.record([user(f"change part {at}"), says(edit), gives(output(f"c{at}", "The file has been updated."))])
    session.reader.tokens()
    return session


def test_a_story_and_a_part_read_as_much_of_a_long_session_as_of_a_short_one() -> None:
    store = CountingStore()
    engine = app.assemble(store, Config(), HandClock())
    for exchanges in (80, 160):
        grown(engine, exchanges)

    def read(show: Callable[[Session], object]) -> list[int]:
        found = []
        for exchanges in (80, 160):
            before, session = store.read, engine.find(f"s{exchanges}")
            show(session)
            found.append(store.read - before)
        return found

    for shown in (read(lambda session: session.story(newest=12)), read(lambda session: session.recall("x2", "full"))):
        assert shown[0] == shown[1] > 0


def test_a_story_of_the_newest_messages_tells_what_the_whole_story_tells() -> None:
    session = grown(app.assemble(MemoryStore(), Config(), HandClock()), 6)
    whole = {one.name: one.text for one in session.story()}
    newest = {one.name: one.text for one in session.story(newest=6)}
    assert whole["state"] == newest["state"]
    assert whole["files"] == newest["files"]
    assert newest["user-said"].startswith("m1 (x1) user: change part 0\n")
    assert newest["user-said"].endswith("m16 (x6) user: change part 5")


def test_a_work_map_is_read_once_while_the_conversation_stays_as_it_is() -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s", model="gpt-5")
        session.record(work(30))
        held = session.reader.work_map()
        assert session.compact(budget=3_000).undo
        assert session.reader.work_map() is held
        session.record(work(31)[-3:])
        assert session.reader.work_map() != held
        session.rollback()
        assert session.reader.work_map() == engine.find("s").reader.work_map()
        engine.purge(session.info.key)
        assert not session.reader.work_map().files
