"""`clew chat` talks to a local server: lines from a pipe, a terminal with the health bar, and interrupts."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import clew
from clew.config import Config
from tests.journeys.program import Program
from tests.model_server import PATIENCE_SECONDS, FaultyServer, resets, serving
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, provider

#: What stands on the screen when a line may be typed: below the prompt is the bar, from which the cursor went up.
PROMPT = "\x1b[A\r> "
SECRET = "sk-ant-api03-" + "a1B2" * 12


def echo(path: str, body: dict[str, Any]) -> Answer:
    said = body["messages"][-1]["content"]
    return reply(path, Says(f"You said: {said}"), stream="stream" in body)


def test_lines_of_a_pipe_are_answered_and_commands_are_run(tmp_path: Path) -> None:
    program = Program(tmp_path)
    lines = [
        "Always answer in English.",
        f"my key is {SECRET} ok?",
        "/pins",
        "/drift",
        "/recall m1",
        "/compact 5,000",
        "/undo",
    ]
    lines += ["/save chat.jsonl", "/nonsense", "/recall", "/help", "/quit", "never sent"]
    with provider(echo) as served:
        done = program("chat", "talk", "--model", "qwen", "--url", served.url, stdin="\n".join(lines).encode())
        assert [request["model"] for request in served.requests] == ["qwen", "qwen"]
    assert "You said: Always answer in English." in done.out
    assert "You said: my key is" in done.out
    assert SECRET not in done.out + done.err
    assert "[m1 user]\nAlways answer in English." in done.out
    assert "nothing to compact" in done.out
    assert "no command /nonsense; /help lists them" in done.err
    assert "/recall takes an id" in done.err
    assert "/save FILE" in done.out
    assert SECRET not in (tmp_path / "chat.jsonl").read_text()
    with clew.open(program.store) as engine:
        said = [message.text for message in engine.session("talk").messages()]
    assert len(said) == 4
    assert said[0] == "Always answer in English."


def test_json_is_one_object_with_a_turn_for_each_line(tmp_path: Path) -> None:
    program, lines = Program(tmp_path), f"hello\n\n/pins\nmy key is {SECRET}\n/nonsense\n"
    with provider(echo) as served:
        done = program("chat", "talk", "--model", "qwen", "--url", served.url, "--json", stdin=lines.encode())
    said = done.json
    assert (done.code, said["session"]) == (2, "talk")
    hello, pins, key, nonsense = said["turns"]
    assert hello == {"question": "hello", "answer": "You said: hello", "tokens": None, "tools": [], "error": None}
    assert (pins["question"], pins["answer"]) == ("/pins", "no critical items")
    assert key["answer"].startswith("You said: my key is ")
    assert SECRET not in done.out
    assert (nonsense["answer"], nonsense["error"]) == ("", "no command /nonsense; /help lists them")
    assert done.err == "clew: no command /nonsense; /help lists them\n"


def test_a_session_goes_on_where_it_was_and_errors_end_no_chat(tmp_path: Path) -> None:
    program = Program(tmp_path)
    answers: list[Answer] = [(400, {"error": {"message": "no such model"}})]

    def script(path: str, body: dict[str, Any]) -> Answer:
        return answers.pop(0) if answers else echo(path, body)

    with provider(script) as served:
        here = ("--model", "local/qwen", "--url", served.url)
        done = program("chat", "talk", *here, "--system", "Be brief.", stdin=b"first\nsecond\n")
        assert "no such model" in done.err
        assert (done.code, done.out) == (6, "You said: second\n")
        assert program("chat", "latest", *here, stdin=b"third\n").out == "You said: third\n"
        sent = str(served.requests[-1]["messages"])
    assert [word in sent for word in ("Be brief.", "first", "second", "third")] == [True] * 4


def test_without_a_model_or_with_a_file_it_says_what_to_do(tmp_path: Path) -> None:
    program = Program(tmp_path)
    (tmp_path / "talk.jsonl").write_text("{}\n")
    assert "is only read; `clew import` it" in program("chat", "talk.jsonl", "--model", "gpt-5").err
    done = program("chat", stdin=b"hello\n")
    assert (done.code, "no model to ask" in done.err) == (2, True)


def test_a_chat_that_nobody_answers_leaves_no_session_behind(tmp_path: Path) -> None:
    program = Program(tmp_path)
    refusals: list[Answer] = [(401, {"error": {"message": "bad key"}})] * 2

    def script(path: str, body: dict[str, Any]) -> Answer:
        return refusals.pop() if refusals else echo(path, body)

    with provider(script) as served:
        here = ("--model", "local/qwen", "--url", served.url)
        failed = program("chat", "talk", *here, "--system", "Be brief.", stdin=b"/pins\nhello\n")
        assert (failed.code, "session talk is not kept" in failed.err) == (6, True)
        assert program("sessions", "--json").json == {"sessions": []}
        assert program("chat", "harbor", *here, stdin=b"first\nsecond\n").code == 6
        assert program("chat", "latest", *here, stdin=b"third\n").code == 0
        away = ("--model", "local/qwen", "--url", "http://127.0.0.1:9/v1")
        assert program("chat", *away, stdin=b"hello\n").code == 6
        assert [one["id"] for one in program("sessions", "--json").json["sessions"]] == ["harbor"]
        assert program("show", "latest", "--json").json["session"] == "harbor"


def interrupt(run: subprocess.Popen[bytes], terminal: int) -> None:
    """Sends ctrl-c until it is answered: one that comes before the line is waited for is heard with the next key."""
    for _ in range(int(PATIENCE_SECONDS)):
        run.send_signal(signal.SIGINT)
        if select.select([terminal], [], [], 1)[0]:
            return


def read_until(terminal: int, wanted: str) -> str:
    shown = b""
    while wanted.encode() not in shown:
        assert select.select([terminal], [], [], PATIENCE_SECONDS)[0], shown
        shown += os.read(terminal, 4096)
    return shown.decode("utf-8", "replace")


@contextmanager
def started(command: list[str], terminal: int, program: Program, **env: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command at a terminal; it is killed if a test gives up on it."""
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=program.env | env, cwd=program.folder
    ) as run:
        try:
            yield run
        finally:
            run.kill()


def streams_and_hangs(server: FaultyServer) -> Any:
    def behave(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "so far so good"}}]}
        handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        handler.wfile.flush()
        server.hangs(handler)

    return behave


def test_a_terminal_has_the_health_bar_and_an_interrupt_ends_the_reply_alone(tmp_path: Path) -> None:
    program = Program(tmp_path)
    ours, theirs = pty.openpty()
    with serving() as server:
        server.then(streams_and_hangs(server))
        command = [*program.command, "chat", "talk", "--model", "qwen", "--url", server.url]
        with started(command, theirs, program, NO_COLOR="") as run:
            assert "\x1b[32m░░░░░░░░░░░░░░░░ 0%" in read_until(ours, PROMPT)
            os.write(ours, b"count to ten\n")
            read_until(ours, "so far")
            run.send_signal(signal.SIGINT)
            assert "interrupted" in read_until(ours, PROMPT)
            os.write(ours, b"/quit\n")
            assert run.wait(PATIENCE_SECONDS) == 0
    with clew.open(program.store) as engine:
        messages = engine.session("talk").messages()
    assert [message.text.strip() for message in messages] == ["count to ten", "so far so good"]
    assert messages[-1].interrupted


def test_every_command_at_a_terminal_and_what_goes_wrong_there(clew_program: Program) -> None:
    program = clew_program
    with clew.open(program.store, config=Config()) as engine:
        talk = engine.session("talk", model="qwen", window=40_000)
        talk.record([clew.user("Always answer in English."), clew.assistant("Yes.")])
        for at in range(12):
            talk.record([clew.user(f"tell me of {at}"), clew.assistant(f"word{at} " * 300)])
    ours, theirs = pty.openpty()

    def typed(line: str) -> str:
        os.write(ours, f"{line}\n".encode())
        return read_until(ours, PROMPT)

    with provider(echo) as served:
        command = [*program.command, "chat", "talk", "--model", "qwen", "--url", served.url]
        with started(command, theirs, program) as run:
            begun = read_until(ours, PROMPT)
            assert "session talk, 26 messages so far · local/qwen · summaries by local/qwen" in begun
            assert "█" in begun
            assert "You said: hello" in typed("hello")
            compacted = typed("/compact aggressive")
            assert "✓ context compacted" in compacted
            assert "take it back with: /undo" in compacted
            assert "✓ \r\n" not in compacted
            assert "the last compaction is taken back" in typed("/undo")
            assert "nothing to undo" in typed("/undo")
            assert "no strategy 'loud'; there are auto" in typed("/compact loud")
            assert "Always answer in English." in typed("/pins")
            assert "p1" in typed("/drift")
            assert "[m1 user]" in typed("/recall m1")
            assert "no message m99 in session talk; it has m1 to m28" in typed("/recall m99")
            assert "zz is no id" in typed("/recall zz")
            assert "/recall takes an id" in typed("/recall")
            assert "wrote chat.jsonl" in typed("/save chat.jsonl")
            assert "is there already" in typed("/save chat.jsonl")
            assert "cannot write nowhere/x: No such file or directory; choose another place" in typed("/save nowhere/x")
            assert "no command /nonsense; /help lists them" in typed("/nonsense")
            assert typed("").count("\n") == 2  # the line, and the bar anew
            interrupt(run, ours)
            assert "ctrl-d or /quit ends the chat" in read_until(ours, PROMPT)
            served.script = lambda _path, _body: (400, {"error": {"message": "no such model"}})
            assert "\r\x1b[Jclew: 127.0.0.1" in typed("are you there?")
            os.write(ours, b"\x04")
            assert run.wait(PATIENCE_SECONDS) == 0
    with clew.open(program.store) as engine:
        assert engine.session("talk").messages()[-1].text == "are you there?"
    assert program("import", "chat.jsonl", "--session", "again", "--json").json["imported"][0]["messages"] == 28


def summarises(path: str, body: dict[str, Any]) -> Answer:
    """Answers questions, and writes summaries where one is asked for."""
    if "<summary>" in str(body["messages"]):
        text = "<summary>\n- The user asked for tales of the harbour.\n</summary>"
        message = {"role": "assistant", "content": text}
        return 200, {"object": "chat.completion", "choices": [{"message": message, "finish_reason": "stop"}]}
    return reply(path, Says("Yes."), stream=bool(body.get("stream")))


def test_the_model_of_a_chat_writes_its_summaries_unless_the_settings_say_no(clew_program: Program) -> None:
    program = clew_program
    with clew.open(program.store, config=Config()) as engine:
        talk = engine.session("talk", model="qwen", window=40_000)
        for at in range(30):
            talk.record([clew.user(f"tell me of {at}"), clew.assistant(f"word{at} " * 300)])
    with provider(summarises) as served:
        here = ("chat", "talk", "--model", "qwen", "--url", served.url, "--window", "40000")
        program(*here, stdin=b"/compact summarize\n/undo\n", CLEW_MODELS__CHAT_SUMMARIES="false")
        assert served.requests == []
        assert program(*here, stdin=b"/compact summarize\nand now?\n").err == ""
        asked = [str(request["messages"]) for request in served.requests]
    assert "<summary>" in asked[0]
    assert "tales of the harbour" in asked[-1]


def test_a_server_that_dies_is_told_in_one_line_and_the_chat_goes_on(tmp_path: Path) -> None:
    program = Program(tmp_path)
    with serving() as server:
        server.then(resets, resets, resets, resets)
        here = ("--model", "qwen", "--url", server.url)
        done = program("chat", "talk", *here, stdin=b"first\n/recall m1\n", CLEW_MODELS__MAX_RETRIES="0")
    assert (done.code, done.out) == (6, "[m1 user]\nfirst\n")
    assert done.err.startswith("clew: the connection to 127.0.0.1")
    assert done.err.splitlines()[1:] == ["nothing was answered, so session talk is not kept"]
    gone = program("chat", "talk", *here, stdin=b"second\n", CLEW_MODELS__MAX_RETRIES="0")
    assert (gone.code, "is it running and reachable?" in gone.err) == (6, True)


def test_an_interrupt_without_a_terminal_ends_the_program_and_keeps_what_came(tmp_path: Path) -> None:
    program = Program(tmp_path)
    with serving() as server:
        server.then(streams_and_hangs(server))
        with program.start("chat", "talk", "--model", "qwen", "--url", server.url) as run:
            assert run.stdin is not None
            run.stdin.write(b"count to ten\nnever sent\n")
            run.stdin.flush()
            assert server.arrived.wait(PATIENCE_SECONDS)
            assert run.stdout is not None
            assert run.stdout.read(3) == b"so "
            run.send_signal(signal.SIGINT)
            assert run.wait(PATIENCE_SECONDS) == 130
    with clew.open(program.store) as engine:
        assert [message.text.strip() for message in engine.session("talk").messages()] == [
            "count to ten", "so far so good",
        ]  # fmt: skip
