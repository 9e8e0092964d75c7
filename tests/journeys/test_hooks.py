"""Hooks and the status line as a client starts them: the real program, fed on standard input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hook_events import RULE, SESSION, STATUS, GrowingSession, pre_compact, session_start, user_prompt
from tests.journeys.program import Done, Program

#: Loading any of these takes longer than the status line may.
LONG = {"file": {"content": "x" * 9_000}}
HEAVY = ["clew.app", "clew.config", "clew.domain", "clew.ports", "clew.storage.stores", "orjson", "typer", "rich"]


@pytest.fixture
def work() -> GrowingSession:
    session = GrowingSession()
    session.work()
    return session


def fed(program: Program, about: object, *arguments: str) -> Done:
    data = about if isinstance(about, bytes) else json.dumps(about).encode()
    return program(*arguments, stdin=data)


def log_of(program: Program) -> str:
    path = program.store.parent / "hooks.log"
    return path.read_text() if path.exists() else ""


def test_a_compaction_from_end_to_end(clew_program: Program, work: GrowingSession) -> None:
    told = fed(clew_program, pre_compact(work.path), "hook", "claude-code", "PreCompact")
    assert (told.code, told.err) == (0, "")
    assert RULE in told.out
    started = fed(clew_program, session_start(work.path, "compact"), "hook", "claude-code", "SessionStart")
    assert "4be91d7" in told.out
    added = started.json["hookSpecificOutput"]["additionalContext"]
    assert "4be91d7" not in added  # the client keeps what its summariser was told
    assert "export/part_2.py" in added
    again = fed(clew_program, session_start(work.path, "compact"), "hook", "claude-code", "SessionStart")
    assert again == Done(0, "", "")
    line = fed(clew_program, STATUS, "statusline")
    assert line.out.startswith("clew ▰▰▰▱▱▱▱▱▱▱ 34% of 180k · drift ")
    assert log_of(clew_program) == ""


def test_what_the_status_line_learned_reaches_everybody(clew_program: Program, work: GrowingSession) -> None:
    work.reply("Done.", usage={"input_tokens": 62_000, "output_tokens": 20})
    clew_program.keep(work.path)
    assert clew_program("health", SESSION, "--json").json["limit_source"] == "assumed"
    stated = STATUS["context_window"] | {"context_window_size": 1_000_000}
    line = fed(clew_program, STATUS | {"context_window": stated}, "statusline")
    assert line.out.startswith("clew ▰▱▱▱▱▱▱▱▱▱ 7% of 900k · ")
    health = clew_program("health", SESSION, "--json").json
    (listed,) = clew_program("sessions", "--json").json["sessions"]
    for found in (health, listed):
        names = ("window", "tokens_limit", "limit_source", "tokens_used")
        assert [found[name] for name in names] == [1_000_000, 900_000, "client", 62_020]
    assert log_of(clew_program) == ""


def test_pause_silences_all_of_it_and_resume_ends_that(clew_program: Program, work: GrowingSession) -> None:
    assert (
        clew_program("pause").out == "paused: hooks say nothing and the gateway changes nothing until `clew resume`\n"
    )
    assert clew_program("pause", "--json").json == {"paused": True, "changed": False}
    checks = {one["check"]: one["detail"] for one in clew_program("doctor", "--json").json["checks"]}
    assert checks["assistants"].startswith("set up: none; paused; `clew resume` ends it")
    assert fed(clew_program, pre_compact(work.path), "hook", "claude-code", "PreCompact") == Done(0, "", "")
    assert fed(clew_program, STATUS, "statusline") == Done(0, "", "")
    assert clew_program("resume").out == "hooks and the gateway work again\n"
    assert clew_program("resume").out == "nothing was paused\n"
    assert fed(clew_program, pre_compact(work.path), "hook", "claude-code", "PreCompact").out
    assert log_of(clew_program) == ""


EVENTS = ("PreCompact", "SessionStart", "PostCompact", "SubagentStop", "UserPromptSubmit", "PostToolUse")


@pytest.mark.parametrize(
    ("arguments", "data"),
    [
        *((("hook", "claude-code", event), b"{broken") for event in EVENTS[:2]),
        (("hook", "claude-code", "PreCompact"), b'{"session_id": "x"}'),
        (("hook", "claude-code", "PreCompact"), b'{"session_id": "x", "transcript_path": "/etc/passwd"}'),
        (("hook", "claude-code", "Nonsense"), b'{"session_id": "x"}'),
        (("hook", "emacs", "PreCompact"), b'{"session_id": "x"}'),
        (("hook",), b""),
        (("statusline",), b"[]"),
        (("statusline",), b"\xff"),
    ],
)
def test_what_cannot_be_answered_is_only_logged(clew_program: Program, arguments: tuple[str, ...], data: bytes) -> None:
    assert fed(clew_program, data, *arguments) == Done(0, "", "")
    assert log_of(clew_program).count("\n") == 1
    assert " ".join(arguments) in log_of(clew_program)


def test_a_store_that_cannot_be_opened_is_only_logged(clew_program: Program, work: GrowingSession) -> None:
    clew_program.store.write_bytes(b"no database at all, whoever wrote it" * 100)
    assert fed(clew_program, pre_compact(work.path), "hook", "claude-code", "PreCompact") == Done(0, "", "")
    assert "StoreDamaged" in log_of(clew_program) or "StorageError" in log_of(clew_program)


def test_a_person_who_types_it_is_told_what_it_takes(clew_program: Program) -> None:
    done = clew_program("hook", "--help")
    assert done.code == 0
    assert "PreCompact" in done.out


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        (["statusline"], STATUS),
        (["hook", "claude-code", "PostToolUse"], {"session_id": "s", "tool_response": {"stdout": "short"}}),
        (["hook", "claude-code", "PostToolUse"], {"session_id": "s", "tool_name": "Read", "tool_response": LONG}),
        (["hook", "claude-code", "UserPromptSubmit"], {"session_id": "s", "prompt": "yes"}),
        (["hook", "claude-code", "UserPromptSubmit"], {"session_id": SESSION, "prompt": "What was the export about?"}),
        (["hook", "claude-code", "SubagentStop"], {"session_id": "s", "agent_type": "Explore"}),
    ],
)
def test_what_comes_often_loads_next_to_nothing(
    clew_program: Program, work: GrowingSession, arguments: list[str], about: dict[str, Any]
) -> None:
    clew_program.keep(work.path)
    fed(clew_program, STATUS, "statusline")  # keeps the window that the client states, once
    about = about | {"transcript_path": str(work.path)}
    code = "import sys; from clew.cli.__main__ import main; main()\n"
    code += f"print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=json.dumps(about).encode(),
        capture_output=True,
        env=clew_program.env,
        cwd=clew_program.folder,
        check=True,
    )
    *said, loaded = done.stdout.decode().splitlines()
    assert loaded == "[]"
    assert [line.partition(" · cache")[0] for line in said] == (
        ["clew ▰▰▰▱▱▱▱▱▱▱ 34% of 180k · drift 0.00 · 1 critical"] if arguments == ["statusline"] else []
    )
    assert Path(work.path).stem == SESSION


def test_a_prompt_waits_for_no_encoder(clew_program: Program, work: GrowingSession) -> None:
    work.say("The importer chokes on Latvian invoice numbers such as LV-2207.")
    work.sum_up()
    asked = json.dumps(user_prompt(work.path, "Is the thing with the Latvian invoice numbers fixed?")).encode()
    env = {"CLEW_MODELS__EMBEDDER": "auto", "CLEW_CRITICAL__ENCODER": "true", "PYTHONPROFILEIMPORTTIME": "1"}
    done = clew_program("hook", "claude-code", "UserPromptSubmit", stdin=asked, **env)
    assert "LV-2207" in done.json["hookSpecificOutput"]["additionalContext"]
    loaded = {line.rpartition("|")[2].strip() for line in done.err.splitlines()}
    assert "clew.packing.excerpts" in loaded
    assert not loaded & {"onnxruntime", "numpy", "tokenizers", "pydantic"}
