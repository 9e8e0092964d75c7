"""A client that dies, a server that is killed, a very long transcript: nothing is lost, nothing is stored twice."""

from __future__ import annotations

import json
import os
import signal
import sys
from subprocess import Popen
from typing import Any

import pytest

import clew
from tests.assistant_files import claude_file, claude_line
from tests.hook_events import GrowingSession, pre_compact, user_prompt
from tests.journeys.program import Done, Program

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
#: Kilobytes that catching up with any transcript may take, of which the program itself is a good half.
MOST_MEMORY = 400 << 10


def send(server: Popen[bytes], *messages: dict[str, Any]) -> None:
    assert server.stdin
    server.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0"} | one).encode() + b"\n" for one in messages))
    server.stdin.flush()


def call(id: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def answer(server: Popen[bytes], id: int) -> Any:
    assert server.stdout
    while (said := json.loads(server.stdout.readline())).get("id") != id:
        pass
    return said["result"]


def begin(server: Popen[bytes]) -> None:
    send(server, {"id": 1, "method": "initialize", "params": HELLO}, {"method": "notifications/initialized"})
    answer(server, 1)


def texts(program: Program, session: str = "s1") -> list[str]:
    with clew.open(program.store) as engine:
        return [message.text for message in engine.find(session).messages()]


@pytest.mark.skipif(os.name == "nt", reason="needs kill -9")
def test_a_server_that_is_killed_while_it_follows_begins_again_where_the_store_stands(clew_program: Program) -> None:
    path = claude_file("s1", "first")
    for number in range(2):
        with clew_program.start("mcp") as server:
            begin(server)
            send(server, call(2, "get_context_health", session="s1"))
            assert answer(server, 2)["structuredContent"]["session"] == "s1"
            with path.open("ab") as file:  # the client goes on while the server reads, and both end in the middle
                file.write(json.dumps(claude_line(f"step {number}")).encode() + b'\n{"type": "user", "mess')
            send(server, call(3, "get_story", session="s1"))
            server.send_signal(signal.SIGKILL)
        with path.open("ab") as file:
            file.write(json.dumps(claude_line(f"again {number}")).encode() + b"\n")
    with clew.open(clew_program.store) as engine:
        engine.import_file(path)
    said = [text for number in range(2) for text in (f"step {number}", f"again {number}")]
    assert texts(clew_program) == ["first", *said]


def test_a_client_that_vanishes_in_the_middle_of_a_call_ends_the_server(clew_program: Program) -> None:
    claude_file("s1", *(f"Note {number} on the importer." for number in range(40)))
    with clew_program.start("mcp") as server:
        begin(server)
        send(server, call(2, "get_story", session="s1"))
        assert server.stdin
        assert server.stdout
        server.stdout.close()
        server.stdin.close()
        server.stdin = None
        assert server.wait(60) == 0
        assert server.stderr
        assert b"Traceback" not in server.stderr.read()
    assert list((clew_program.store.parent / "hooks").glob("run/*")) == []


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted as Linux does")
def test_a_transcript_of_50_mb_is_read_in_pieces_by_those_who_may_wait(clew_program: Program) -> None:
    work = GrowingSession()
    work.say("Find out why the importer stops.")
    for number in range(25):  # nothing of a picture is counted or read as words, so that this takes a second
        source = {"type": "base64", "media_type": "image/png", "data": f"{number:02d}" + "iVBORw0KGgo=" * 170_000}
        work.call("Read", [{"type": "image", "source": source}], file_path=f"/srv/shop/{number}.png")
    work.sum_up()
    assert work.path.stat().st_size > 50_000_000
    prompt = json.dumps(user_prompt(work.path, "Why does the importer stop?")).encode()
    assert clew_program("hook", "claude-code", "UserPromptSubmit", stdin=prompt) == Done(0, "", "")
    assert "48 MB of" in (clew_program.store.parent / "hooks.log").read_text()
    before = _most_memory_of_children()
    told = clew_program("hook", "claude-code", "PreCompact", stdin=json.dumps(pre_compact(work.path)).encode())
    assert (told.code, told.err) == (0, "")
    assert "Find out why the importer stops." in told.out
    assert max(before, MOST_MEMORY) >= _most_memory_of_children()
    with clew.open(clew_program.store) as engine:
        assert engine.find(work.session).info.messages == 52


def _most_memory_of_children() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
