"""Looking writes nothing: not an entry, not a row, not a blob."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

import clew
from clew.codecs import jsonio, registry
from clew.config import Config
from clew.curation.markers import blob_id
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import call, gives, output, says, user
from tests.conftest import HandClock
from tests.effort import first
from tests.work import work

LONG = "\n".join(f"12:{at % 60:02d} INFO harbor.tides: reading {at} of station {at % 7} is fine" for at in range(3_000))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a session, to be copied."""
    path = tmp_path_factory.mktemp("filled") / "clew.db"
    with clew.open(path, config=Config(), clock=HandClock()) as engine:
        session = engine.session("s", model="claude-sonnet-4-5")
        reads = [says("Again.", call("r", "Read", file_path="src/harbor/module_3.py")), gives(output("r", LONG))]
        session.record([*work(60), user("And the log?"), *reads, says("Now.", call("open", "Bash", command="make"))])
        session.pin("Use tabs.", kind="constraint")
    return path


@pytest.fixture
def engine(filled: Path, tmp_path: Path, clock: HandClock) -> Iterator[Engine]:
    copy = shutil.copy(filled, tmp_path / "clew.db")
    with clew.open(copy, config=Config(), clock=clock) as opened:
        yield opened


@pytest.fixture
def session(engine: Engine) -> Session:
    return engine.find("s")


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        tables = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")]
        return {name: sorted(map(tuple, db.execute(f'select * from "{name}"')), key=repr) for name in tables}


LOOKS: dict[str, Callable[[Session], object]] = {
    "preview": lambda session: session.compactor.preview(),
    "preview to little": lambda session: session.compactor.preview("aggressive", budget=4_000, keep_recent=2),
    "suggest": lambda session: session.compactor.suggest(),
    "health": lambda session: (
        session.health(),
        session.drift(),
        session.monitor.alert(),
        session.monitor.relevance("modules"),
    ),
    "mend": lambda session: session.mend("A summary of it.", 400),
    "recall": lambda session: session.recall(["m3", "x1", "x2", "p1"]),
    "check": lambda session: [session.reader.request(provider) for provider in registry.PROVIDERS],
    "a tool's response": lambda session: session.pack(
        LONG, budget=9_000, kind="tool_response", tool_id="open", record=False
    ),
} | {
    f"pack for {target} at {budget}": lambda session, target=target, budget=budget: (
        session.pack(budget=budget, target=target, record=False).left_out
    )
    for target in ("anthropic", "gemini", "text")
    for budget in first((9_000, 3_000, 60_000))
}


@pytest.mark.parametrize("name", LOOKS)
def test_looking_writes_nothing(session: Session, tmp_path: Path, name: str) -> None:
    before = contents(tmp_path / "clew.db")
    LOOKS[name](session)
    assert contents(tmp_path / "clew.db") == before


def test_a_session_that_was_never_recorded_leaves_nothing_behind(engine: Engine, tmp_path: Path) -> None:
    before = contents(tmp_path / "clew.db")
    session = engine.session("new")
    _ = (
        session.health(),
        session.pins(),
        session.pack("Hello?", record=False),
        session.reader.segments(),
        session.reader.work_map(),
    )
    assert contents(tmp_path / "clew.db") == before


def test_what_is_sent_can_be_read_whole(session: Session) -> None:
    """The texts that a look did not keep are kept as soon as their markers are sent."""
    answer = LONG.replace("fine", "late")
    session.pack(answer, budget=9_000, kind="tool_response", tool_id="open", record=False)
    sent = session.pack(answer, budget=9_000, kind="tool_response", tool_id="open")
    named = set(re.findall(r"whole: (b[0-9a-f]{12})", jsonio.dumps(sent.request()).decode()))
    assert blob_id(answer) in named
    for id in (*named, *(one.id for one in sent.left_out)):
        assert session.recall(id)[0].text


CODE = "\n".join(f"{at:>5}→def tide_{at}(station):\n{at:>5}→    return read_{at}(station)" for at in range(1, 40))


def test_what_a_pack_names_that_was_only_looked_at_can_be_read(session: Session) -> None:
    read, edit = (call(id, name, file_path="/harbor/tides.py") for id, name in (("t1", "Read"), ("t2", "Edit")))
    edit = replace(edit, arguments=edit.arguments | {"old_string": "def tide_3(", "new_string": "def tide_three("})
    session.record([gives(output("open", "done")), user("Rename it."), says(read), gives(output("t1", CODE))])
    session.record([says(edit), gives(output("t2", "The file has been updated."))])
    pack = session.pack("And now?", budget=9_000, record=False)
    named = set(re.findall(r"whole: (b[0-9a-f]{12})", jsonio.dumps(pack.request()).decode()))
    named |= {one.id for one in pack.left_out}
    assert blob_id(CODE) in named
    assert all(session.recall(id)[0].text for id in named)
