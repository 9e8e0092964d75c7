"""A process that writes to a store and says what it has written, for tests that kill it or run many of it.

Every transaction writes entries, their marks, a blob and a row, and moves the session's counter: whoever reads
can tell a whole one from a part of one.
"""

from __future__ import annotations

import hashlib
import os
import random
import select
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, groupby

from clew.domain import Entry, EntryKind, SessionInfo, SessionKey
from clew.ports import Store
from clew.storage.stores import open_store

SHARED = SessionKey("acme", "ada", "shared")


def key_of(worker: int) -> SessionKey:
    return SHARED._replace(id=f"worker {worker}")


def start(*arguments: object) -> subprocess.Popen[bytes]:
    """This module as a process of its own; what it says comes unbuffered."""
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)


def write(store: Store, key: SessionKey, *, label: str, chance: random.Random) -> int:
    """One transaction of one to five entries; returns the number of the last."""
    size = chance.randint(1, 5)
    with store.transaction():
        info = store.session(key) or SessionInfo(key=key)
        bodies = [f"{label} {part} {size} ".encode() + chance.randbytes(chance.randrange(4000)) for part in range(size)]
        entries = [
            Entry(seq=seq, kind=EntryKind.MESSAGE, format="clew", body=body, message=seq)
            for seq, body in enumerate(bodies, info.entries + 1)
        ]
        store.append(key, entries)
        store.put_marks(key, {_digest(entry.body).encode(): entry.seq for entry in entries})
        store.put_blobs(key, {_digest(bodies[0]): bodies[0]})
        store.put_rows(key, "transactions", {label: b"%d" % entries[-1].seq})
        store.save_session(replace(info, entries=entries[-1].seq, messages=entries[-1].seq))
    return entries[-1].seq


def whole_transactions(store: Store, key: SessionKey) -> list[str]:
    """The labels of the transactions in the order in which they were written; AssertionError for a part of one."""
    found = list(store.entries(key))
    info = store.session(key) or SessionInfo(key=key)
    assert [entry.seq for entry in found] == list(range(1, info.entries + 1))
    names = [_digest(entry.body).encode() for entry in found]
    assert store.marks(key, names) == {name: entry.seq for name, entry in zip(names, found, strict=True)}
    rows = dict(store.rows(key, "transactions"))
    labels = []
    for label, group in groupby(found, lambda entry: entry.body.split(b" ", 1)[0].decode()):
        entries = list(group)
        assert [entry.body.split(b" ", 3)[1:3] for entry in entries] == [
            [b"%d" % part, b"%d" % len(entries)] for part in range(len(entries))
        ]
        first = entries[0].body
        assert store.blobs(key, [_digest(first)]) == {_digest(first): first}
        assert rows.pop(label) == b"%d" % entries[-1].seq
        labels.append(label)
    assert rows == {}
    return labels


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def _write_until_killed(path: str, seed: str) -> None:
    """Says ``opening`` before, and then each number that is safely written."""
    _say("opening")
    store = open_store(path)
    chance = random.Random(seed)
    for number in count():
        _say(str(write(store, SHARED, label=f"{seed}.{number}", chance=chance)))


def _write_in_turns(path: str, worker: str, turns: str) -> None:
    """Writes to the shared session and to one of its own, by turns; for 0 turns until its input ends."""
    store = open_store(path)
    chance = random.Random(worker)
    for number in _turns(int(turns)):
        for key in (SHARED, key_of(int(worker))):
            write(store, key, label=f"{worker}.{number}", chance=chance)
    store.close()
    _say("done")


def _turns(turns: int) -> Iterator[int]:
    return iter(range(turns)) if turns else _until_told()


def _until_told() -> Iterator[int]:
    for number in count():
        if select.select([0], [], [], 0)[0]:
            return
        yield number


if __name__ == "__main__":
    {"until-killed": _write_until_killed, "in-turns": _write_in_turns}[sys.argv[1]](*sys.argv[2:])
