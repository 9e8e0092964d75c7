"""Background work ends with the program, also where nobody closes the engine; a job that fails stops no other."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clew.engine.background import Background
from clew.storage.stores import open_store
from clew.telemetry.events import Bus, Event

ROOT = Path(__file__).parents[3]

PROGRAM = """
import threading
from clew.engine.background import Background

begun, background = threading.Event(), Background(None)


def job(cancel):
    begun.set()
    print(cancel.wait(20), flush=True)


background.submit("job", job)
begun.wait()
"""


def test_a_job_is_called_off_and_waited_for_when_a_program_ends() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit("x"), KeyboardInterrupt("x"), GeneratorExit("x")])
def test_whatever_a_job_raises_is_told_and_the_next_is_done(error: BaseException) -> None:
    told, done, bus = list[Event](), list[str](), Bus()
    bus.on("*", told.append)
    background = Background(bus)

    def fail(_: object) -> None:
        raise error

    background.submit("one", fail)
    background.submit("two", lambda _: done.append("two"))
    assert background.wait(20)
    background.close()
    assert done == ["two"]
    assert [(one.name, dict(one.data)) for one in told] == [("background.failed", {"reason": "x"})]


HOLDER = """
import sys
import apsw

store = apsw.Connection(sys.argv[1])
store.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
store.execute("COMMIT")
"""


def test_a_job_that_finds_the_store_locked_is_done_when_the_lock_is_gone(tmp_path: Path) -> None:
    told, bus, tries, again = list[Event](), Bus(), list[str](), threading.Event()
    bus.on("*", told.append)
    background, store = Background(bus), open_store(str(tmp_path / "s.db"), busy_timeout_seconds=0.01)
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "s.db")]

    def write(_: object) -> None:
        tries.append("try")
        again.set() if len(tries) > 1 else None
        with store.transaction():
            store.put_values("", "", "test", {"done": b"yes"})

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdin
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        background.submit("write", write)
        assert again.wait(20)
        assert not store.values("", "", "test", ["done"])
        holder.stdin.close()
    assert background.wait(20)
    background.close()
    assert store.values("", "", "test", ["done"]) == {"done": b"yes"}
    assert told == []
    store.close()
