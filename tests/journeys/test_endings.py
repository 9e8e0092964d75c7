"""How commands end when nobody reads on, and when they are interrupted: quietly, with the code that shells expect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import clew
from clew.cli.app import app
from tests.journeys.program import Program
from tests.lines import CONVERSATION, SESSION, jsonl

ROOT = Path(__file__).parents[2]
FIND, IMPORT = "clew.engine.engine:Engine:find", "clew.engine.engine:Engine:import_file"
OPEN = "clew.engine.engine:Engine:__enter__"

#: Every command, and the function in which it is interrupted.
COMMANDS = [
    (IMPORT, "import session.jsonl"),
    ("clew.engine.engine:Engine:sessions", "sessions"),
    (FIND, f"show {SESSION}"),
    ("clew.engine.session:Session:entries", f"export {SESSION} --to clew"),
    ("clew.engine.session:Session:request", f"check {SESSION} --for anthropic"),
    ("clew.engine.session:Session:pack", f"pack {SESSION}"),
    ("clew.engine.session:Session:compact", f"compact {SESSION}"),
    ("clew.engine.session:Session:health", f"health {SESSION}"),
    ("clew.engine.session:Session:drift", f"drift {SESSION}"),
    ("clew.engine.session:Session:pin", f"pin {SESSION} words"),
    ("clew.engine.session:Session:pins", f"pins {SESSION}"),
    (FIND, f"unpin {SESSION} p1"),
    (OPEN, "profile show"),
    (OPEN, "profile set brevity"),
    (OPEN, "profile forget p1"),
    (OPEN, "profile learn latest"),
    ("clew.storage.doctor::inspect", "doctor"),
    ("clew.engine.ledger.projector:Projector:rebuild", "rebuild"),
    ("subprocess:Popen:communicate", "demo"),
    ("clew.engine.engine:Engine:purge", f"purge {SESSION} --yes"),
]
#: Commands while they wait, and while they write.
OTHERS = [
    ("time::sleep", f"health {SESSION} --watch"),
    ("time::sleep", "import session.jsonl --follow"),
    ("clew.engine.ledger.session_ledger:SessionLedger:append_records", "import other.jsonl"),
]


@pytest.fixture
def program(clew_program: Program, tmp_path: Path) -> Program:
    (tmp_path / "session.jsonl").write_bytes(jsonl(CONVERSATION))
    (tmp_path / "other.jsonl").write_bytes(jsonl(CONVERSATION).replace(SESSION.encode(), b"other"))
    clew_program.keep(tmp_path / "session.jsonl")
    return clew_program


def run(program: Program, what: str, commands: list[list[str]]) -> list[tuple[int, str]]:
    places = [str(Path(__file__).parents[2]), program.env.get("PYTHONPATH", "")]
    env = program.env | {"PYTHONPATH": os.pathsep.join(filter(None, places))}
    command = [sys.executable, "-m", "tests.journeys.forked_commands", what, json.dumps(commands)]
    done = subprocess.run(command, capture_output=True, env=env, cwd=program.folder, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [(code, errors) for code, errors in json.loads(done.stdout)]


#: Commands that need a client, a server or a folder of their own; how they end is not tried here.
OF_THEIR_OWN = {
    "audit", "chat", "handback", "hook", "knowledge", "mcp", "mend", "pause", "resume", "search", "serve", "statusline",
    "token", "unwrap", "wrap",
}  # fmt: skip


def test_these_are_all_commands() -> None:
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert {command.split()[0] for _, command in COMMANDS} == set(known) - OF_THEIR_OWN


def test_a_reader_who_goes_away_ends_every_command_quietly(program: Program) -> None:
    plain = [["health", SESSION, "--watch"], *(command.split() for _, command in COMMANDS)]
    as_json = [[*command, "--json"] for command in plain if command != ["demo"]]
    commands = [["--help"], *as_json, ["import", "session.jsonl"], *plain]
    done = run(program, "unread", commands)
    shown = {" ".join(command): ending for command, ending in zip(commands, done, strict=True)}
    assert {command: ending for command, ending in shown.items() if ending != (0, "")} == {}


def test_an_interrupt_ends_every_command_with_130_and_no_traceback(program: Program) -> None:
    commands = [[place, *command.split()] for place, command in [*OTHERS, *COMMANDS]]
    done = run(program, "interrupted", commands)
    endings = {" ".join(command[1:]): ending for command, ending in zip(commands, done, strict=True)}
    assert {command: ending for command, ending in endings.items() if ending != (130, "")} == {}
    again = program("import", "other.jsonl", "--json").json["imported"][0]
    assert (again["messages"], again["new_messages"]) == (5, 5)


def test_a_stream_that_is_half_read_when_a_program_ends_is_recorded_then(tmp_path: Path) -> None:
    code = (
        "import sys, clew\n"
        "from tests.stream_examples import EXAMPLES\n"
        "events = iter(clew.open(sys.argv[1]).session('s').stream(EXAMPLES['openai-chat'].events))\n"
        "for _ in range(6): next(events)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "clew.db"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    with clew.open(tmp_path / "clew.db") as engine:
        assert [message.interrupted for message in engine.session("s").messages()] == [True]
