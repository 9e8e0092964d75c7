"""The listener that hooks start for themselves where no server runs: real processes, on a store of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest

from tests.hook_events import RULE, GrowingSession, pre_compact, session_start, subagent_stop
from tests.journeys.program import Done, Program

ON = {"CLEW_HOOKS__LISTENER_MINUTES": "10"}
#: What a hook loads that answers by itself.
HEAVY = ("clew.app", "clew.engine", "clew.domain", "apsw", "orjson")
FRIDAY = "Never deploy on a Friday, whoever asks for it."


@pytest.fixture
def program(request: pytest.FixtureRequest) -> Iterator[Program]:
    """The program, with a home whose name has a space, or is too long for a socket. Listeners end with it."""
    with TemporaryDirectory(prefix="clew ") as folder:
        found = Program(Path(folder) / getattr(request, "param", "a b"))
        (found.folder / "home").mkdir(parents=True)
        yield found
        say(found, "dismiss_listeners()")
        for path in left_locks(found):
            path.unlink()
        sockets = sockets_of(found)
        if not sockets.is_relative_to(found.folder):
            sockets.rmdir()


@pytest.fixture
def work() -> GrowingSession:
    session = GrowingSession()
    session.work()
    return session


def say(program: Program, call: str) -> Any:
    """What a call returns in a process with the program's environment."""
    code = f"import json; from clew.hooks.listener.sockets import *; print(json.dumps({call}))"
    done = subprocess.run([sys.executable, "-c", code], env=program.env | ON, capture_output=True, check=True)
    return json.loads(done.stdout)


def sockets_of(program: Program) -> Path:
    return Path(say(program, "sockets_folder()"))


def own(program: Program) -> list[int]:
    """The processes that hooks have started, as far as they listen."""
    found: list[int] = say(program, "[process_of(one) for one in listeners(kind=OWN)]")
    return found


def left_locks(program: Program) -> list[Path]:
    """Waits until all have left, which is when nobody holds what only one can have."""
    locks = list(sockets_of(program).glob("*.lock"))
    for path in locks:
        with closing(apsw.Connection(str(path))) as lock:
            lock.set_busy_timeout(60_000)
            lock.execute("begin exclusive")
    return locks


def hook(program: Program, event: dict[str, Any], name: str) -> Done:
    return program("hook", "claude-code", name, stdin=json.dumps(event).encode(), **ON)


def begun(program: Program, event: dict[str, Any], name: str) -> subprocess.Popen[bytes]:
    """A hook that has got its event, as it runs."""
    process = program.start("hook", "claude-code", name, **ON)
    assert process.stdin
    process.stdin.write(json.dumps(event).encode())
    process.stdin.close()
    process.stdin = None
    return process


def loaded(program: Program, event: dict[str, Any], name: str) -> tuple[str, list[str]]:
    """What a hook says, and what it loads for that."""
    code = "import json, sys; from clew.cli.__main__ import main; main()\n"
    code += f"print(json.dumps([one for one in {HEAVY!r} if one in sys.modules]), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, "hook", "claude-code", name],
        input=json.dumps(event).encode(),
        capture_output=True,
        env=program.env | ON,
        cwd=program.folder,
        check=True,
    )
    return done.stdout.decode(), json.loads(done.stderr)


def log_of(program: Program) -> str:
    path = program.store.parent / "hooks.log"
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize("program", ["a b", "long" * 30], indirect=True, ids=["space", "long"])
def test_a_session_has_one_from_its_beginning_that_answers_all_its_hooks(
    program: Program, work: GrowingSession
) -> None:
    assert hook(program, session_start(work.path, "startup"), "SessionStart") == Done(0, "", "")
    told, heavy = loaded(program, pre_compact(work.path), "PreCompact")
    assert RULE in told
    assert heavy == []
    (process,) = own(program)
    assert hook(program, subagent_stop(work.path, "<summary>All done.</summary>"), "SubagentStop") == Done(0, "", "")
    added, heavy = loaded(program, session_start(work.path, "compact"), "SessionStart")
    assert "export/part_2.py" in added
    assert heavy == []
    assert own(program) == [process]
    assert f"hooks are answered by process {process}" in program("doctor", **ON).out
    assert log_of(program) == ""


def test_two_sessions_that_begin_at_once_share_one(program: Program, work: GrowingSession) -> None:
    other = GrowingSession(session="6f1d2c3b-0000-4000-8000-0000000000b2")
    other.work()
    other.say(FRIDAY)
    both = [begun(program, pre_compact(one.path), "PreCompact") for one in (work, other)]
    said = [process.communicate()[0].decode() for process in both]
    assert [RULE in one for one in said] == [True, True]
    assert [FRIDAY in one for one in said] == [False, True]
    assert len(own(program)) == 1
    assert log_of(program) == ""


def test_one_that_was_killed_is_replaced_and_the_store_is_sound(program: Program, work: GrowingSession) -> None:
    assert RULE in hook(program, pre_compact(work.path), "PreCompact").out
    (process,) = own(program)
    os.kill(process, signal.SIGKILL)
    work.say(FRIDAY)
    assert FRIDAY in hook(program, pre_compact(work.path), "PreCompact").out
    (other,) = own(program)
    assert other != process
    checks = {one["check"]: one["ok"] for one in program("doctor", "--json", **ON).json["checks"]}
    assert checks["integrity"]
    assert checks["entries readable"]


def test_one_that_is_killed_while_a_hook_waits_leaves_the_answer_to_it(program: Program, work: GrowingSession) -> None:
    hook(program, pre_compact(work.path), "PreCompact")
    (process,) = own(program)
    os.kill(process, signal.SIGSTOP)  # it hears nothing more
    asking = begun(program, pre_compact(work.path, prompt_id="another"), "PreCompact")
    os.kill(process, signal.SIGKILL)
    assert RULE in asking.communicate()[0].decode()


def test_where_none_can_listen_the_hook_answers(program: Program, work: GrowingSession) -> None:
    folder = sockets_of(program)
    folder.parent.mkdir(parents=True)
    folder.write_bytes(b"")  # as in a sandbox
    assert RULE in hook(program, pre_compact(work.path), "PreCompact").out
    assert own(program) == []


def test_it_leaves_where_the_store_cannot_be_read(program: Program, work: GrowingSession) -> None:
    program.store.parent.mkdir(parents=True)
    program.store.write_bytes(b"no database at all, whoever wrote it" * 100)
    assert hook(program, pre_compact(work.path), "PreCompact") == Done(0, "", "")
    assert len(left_locks(program)) == 1
    assert sorted(line.split()[1] for line in log_of(program).splitlines()) == ["hook", "listener:"]


@pytest.mark.parametrize("ending", [("pause",), ("unwrap", "claude-code", "--yes")], ids=["pause", "unwrap"])
def test_it_leaves_when_it_is_not_wanted(program: Program, work: GrowingSession, ending: tuple[str, ...]) -> None:
    hook(program, pre_compact(work.path), "PreCompact")
    assert len(own(program)) == 1
    assert program(*ending, **ON).code == 0
    assert len(left_locks(program)) == 1
    assert own(program) == []


def test_it_leaves_when_a_server_listens(program: Program, work: GrowingSession) -> None:
    hook(program, pre_compact(work.path), "PreCompact")
    assert len(own(program)) == 1
    with program.start("mcp", **ON) as server:
        assert server.stdin
        server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}\n')
        server.stdin.flush()
        assert len(left_locks(program)) == 1
        assert own(program) == []
        assert RULE in hook(program, pre_compact(work.path, prompt_id="another"), "PreCompact").out
        assert own(program) == []
        server.stdin.close()
        server.stdin = None
    assert say(program, "listeners()") == []


def test_a_setting_turns_it_off(program: Program, work: GrowingSession) -> None:
    event = json.dumps(pre_compact(work.path)).encode()
    assert RULE in program("hook", "claude-code", "PreCompact", stdin=event).out
    assert own(program) == []
