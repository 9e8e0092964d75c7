"""What becomes of sentences that should last, as users of the product have them: on the handle that recorded them, on
another handle, in the next process, and after an import.

Each held-back sentence is a session of its own: the agent's words before it, and the message that it stands in.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import clew
from bench.results import Figure
from clew.codecs import jsonio
from clew.config import Config
from clew.domain import Json
from clew.signals.learned.encoder import is_installed

#: Goals of what is pinned or proposed: recall, precision.
_GOALS = ">= 0.9", ">= 0.93"
#: Whose sentences are measured: each is a session of its own, which takes time.
_AUTHOR = "given"


class Heard(NamedTuple):
    """An item: what it says, and whether it is pinned, or at least proposed."""

    text: str
    is_pinned: bool
    is_live: bool


Items = dict[str, list[Heard]]


def hearing_figures(rows: Sequence[Json], lasting: set[str]) -> Iterator[Figure]:
    """Figures by who asks for the items."""
    if not is_installed():
        return
    talks = {f"s{at}": row for at, row in enumerate(rows) if row["author"] == _AUTHOR}
    wanted = {id for id, row in talks.items() if row["label"] in lasting}
    yield Figure("heard", "sentences", len(talks), f"{len(wanted)} of them lasting")
    with TemporaryDirectory() as home:
        for who, items in _asked(Path(home), talks):
            yield from _figures(f"heard, {who}", talks, wanted, items)


def _asked(home: Path, talks: dict[str, Json]) -> Iterator[tuple[str, Items]]:
    with clew.open(home / "live.db", config=Config()) as engine:
        handles = {id: engine.session(id) for id in talks}
        for id, row in talks.items():
            handles[id].record(list(_messages(row)), format="openai-chat")
        engine.wait()
        yield "the handle that recorded", {id: _heard(handle) for id, handle in handles.items()}
        yield "another handle", {id: _heard(engine.find(id)) for id in talks}
    yield "the next process", _in_another_process(home / "live.db")
    yield "after an import", _imported(home, talks)


def _heard(session: clew.Session) -> list[Heard]:
    return [Heard(one.text, one.is_in_force, one.is_live) for one in session.pins(all=True)]


def _in_another_process(store: Path) -> Items:
    """The items of all sessions, as a process that has recorded nothing has them."""
    done = subprocess.run([sys.executable, "-m", __name__, str(store)], capture_output=True, check=True)
    return {id: [Heard(*one) for one in items] for id, items in jsonio.loads(done.stdout).items()}


def _imported(home: Path, talks: dict[str, Json]) -> Items:
    """The items of sessions that the command imported from files, as another process has them."""
    files = home / "files"
    files.mkdir()
    for id, row in talks.items():
        (files / f"{id}.json").write_bytes(jsonio.dumps({"model": "gpt-5", "messages": list(_messages(row))}))
    store = home / "imported.db"
    command = [sys.executable, "-m", "clew.cli", "import", str(files), "--json", "--store", str(store)]
    done = subprocess.run(command, capture_output=True, check=True, env=os.environ | {"HOME": str(home)})
    sessions = {Path(one["path"]).stem: one["session"] for one in jsonio.loads(done.stdout)["imported"]}
    found = _in_another_process(store)
    return {id: found[session] for id, session in sessions.items()}


def _messages(row: Json) -> Iterator[Json]:
    if row.get("before"):
        yield {"role": "user", "content": "Go on."}
        yield {"role": "assistant", "content": row["before"]}
    yield {"role": "user", "content": row["context"]}


def _figures(group: str, talks: dict[str, Json], wanted: set[str], items: Items) -> Iterator[Figure]:
    """A sentence is found if an item says it. An item of the rest of its message is neither right nor wrong, and so is
    one that says a lasting sentence along with it: people write two without a stop between them.
    """
    lasting: dict[str, list[Json]] = {}
    for id in wanted:
        lasting.setdefault(talks[id]["context"], []).append(talks[id])

    def is_found(id: str, kept: list[Heard]) -> bool:
        said = [one for one in kept if _says(one, talks[id])]
        siblings = lasting.get(talks[id]["context"], ())
        return any(id in wanted or not any(_says(one, row) for row in siblings) for one in said)

    pinned = {id for id in talks if is_found(id, [one for one in items[id] if one.is_pinned])}
    live = {id for id in talks if is_found(id, [one for one in items[id] if one.is_live])}
    for name, found, goals in (("pinned", pinned, ("", "")), ("pinned or proposed", live, _GOALS)):
        yield Figure(group, f"{name}: recall", len(found & wanted) / max(len(wanted), 1), "", goals[0])
        yield Figure(
            group, f"{name}: precision", len(found & wanted) / max(len(found), 1), f"of {len(found)}", goals[1]
        )


def _says(item: Heard, row: Json) -> bool:
    said, text = " ".join(item.text.split()), " ".join(row["text"].split())
    return text in said or (said in text and len(said) * 2 > len(text))


if __name__ == "__main__":
    with clew.open(sys.argv[1], config=Config()) as opened:
        kept = {info.key.id: _heard(opened.find(info.key.id)) for info in opened.infos()}
    sys.stdout.buffer.write(jsonio.dumps(kept))
