"""How commands end when nobody reads on, and when they are interrupted: quietly, with the code that shells expect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.cli.app import program as command_line
from clew.server.access_tokens import AccessTokens
from tests.journeys.program import Program
from tests.lines import CONVERSATION, SESSION, jsonl
from tests.unit.cli.test_app import COMMANDS as ALL_COMMANDS

ROOT = Path(__file__).parents[2]
FIND, IMPORT = "clew.engine.engine:Engine:find", "clew.engine.engine:Engine:import_file"
OPEN = "clew.engine.engine:Engine:__enter__"

#: Every command, and the function in which it is interrupted.
COMMANDS = [
    (IMPORT, "import session.jsonl"),
    ("clew.engine.engine:Engine:sessions", "sessions"),
    (FIND, f"show {SESSION}"),
    ("clew.engine.read.reader:SessionReader:entries", f"export {SESSION} --to clew"),
    ("clew.engine.read.reader:SessionReader:request", f"check {SESSION} --for anthropic"),
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
    (OPEN, "remember brevity"),
    (OPEN, "forget p1"),
    (OPEN, "open"),
    ("clew.engine.engine:Engine:gain", "gain"),
    ("clew.engine.engine:Engine:search", "search login"),
    ("clew.engine.knowledge.library:Knowledge:add", "knowledge add notes.md"),
    ("clew.engine.knowledge.library:Knowledge:list", "knowledge list"),
    (OPEN, "knowledge show notes"),
    ("clew.engine.knowledge.library:Knowledge:search", "knowledge search keys"),
    ("clew.engine.knowledge.library:Knowledge:load", "knowledge load keys"),
    ("clew.engine.knowledge.library:Knowledge:refresh", "knowledge refresh"),
    ("clew.engine.knowledge.library:Knowledge:remove", "knowledge remove notes"),
    ("clew.cli.chat.conversation::run_command", "chat"),
    ("clew.audit.run:Audit:report", "audit session.jsonl"),
    ("clew.engine.session:Session:pack", f"handback {SESSION} --to codex"),
    ("clew.engine.session:Session:mend", f"mend {SESSION} --summary notes.md --budget 500"),
    ("clew.hooks.client_setup.setup::plan_wrap", "wrap claude-code --yes"),
    ("clew.hooks.client_setup.setup::plan_unwrap", "unwrap claude-code --yes"),
    ("clew.server.access_tokens:AccessTokens:make", "token make laptop"),
    ("clew.server.access_tokens:AccessTokens:all", "token list"),
    ("clew.server.access_tokens:AccessTokens:revoke", "token revoke TOKEN"),
    ("clew.hooks.pre_compact::answer", "hook claude-code PreCompact"),
    ("clew.hooks.statusline::status_line", "statusline"),
    ("clew.hooks.switch::pause", "pause"),
    ("clew.hooks.switch::resume", "resume"),
    ("clew.mcp_server.server::serve_stdio", "mcp"),
    ("clew.server.serve::serve", "serve --port 0"),
    ("clew.storage.doctor::inspect", "doctor"),
    ("clew.engine.ledger.projector:Projector:rebuild", "rebuild"),
    ("clew.cli.tour::lay_out", "demo"),
    ("clew.engine.engine:Engine:purge", f"purge {SESSION} --yes"),
]
#: Commands while they wait, and while they write.
OTHERS = [
    ("time::sleep", f"health {SESSION} --watch"),
    ("time::sleep", "import session.jsonl --follow"),
    ("clew.engine.ledger.session_ledger:SessionLedger:append_records", "import other.jsonl"),
]
#: What Claude Code tells hooks; it keeps the session in TRANSCRIPT.
TOLD = json.dumps({"session_id": SESSION, "transcript_path": "TRANSCRIPT", "trigger": "manual"})
CALL = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}\n'
STDIN = {"chat": "/help\n", "hook": TOLD, "mcp": CALL, "statusline": TOLD}
#: Clients of these expect no code but 0, whatever happens.
FAIL_OPEN = {"hook", "statusline"}
#: Commands that run until they are interrupted.
ENDLESS = {"chat", "mcp", "serve"}
#: Commands that tell something on stderr before the answer, and how that begins.
TELLS = {
    "token make laptop": "token ",
    "knowledge load keys": "notes#1: ",
    f"compact {SESSION}": "clew: `clew health` tells of ",
}
WITHOUT_JSON = {"demo", "hook", "mcp", "statusline"}


def transcript() -> Path:
    return Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects" / "harbor" / f"{SESSION}.jsonl"


@pytest.fixture
def program(clew_program: Program, tmp_path: Path) -> Program:
    (tmp_path / "session.jsonl").write_bytes(jsonl(CONVERSATION))
    (tmp_path / "other.jsonl").write_bytes(jsonl(CONVERSATION).replace(SESSION.encode(), b"other"))
    (tmp_path / "notes.md").write_text("Rotate the keys.\n")
    transcript().parent.mkdir(parents=True)
    transcript().write_bytes(jsonl(CONVERSATION))
    (Path(os.environ["CLAUDE_CONFIG_DIR"]) / "settings.json").write_text("{}")  # it is installed
    clew_program.keep(tmp_path / "session.jsonl")
    return clew_program


@pytest.fixture
def tokens(program: Program) -> list[str]:
    """Ids of tokens that may be revoked, one for each time."""
    with clew.open(program.store) as engine:
        made = AccessTokens(engine.store, engine.services.clock)
        return [made.make(name, user="ana")[0].id for name in ("laptop", "phone", "tablet")]


def endings(program: Program, commands: list[tuple[str, str]], tokens: list[str]) -> dict[str, tuple[int, str]]:
    """How each command ends, by what was typed: its exit code, and what it wrote to stderr. Nobody reads what one
    writes that is not interrupted at a place in it.
    """
    found = {}
    for place, typed in commands:
        words = [tokens.pop() if word == "TOKEN" else word for word in typed.split()]
        stdin = STDIN.get(words[0], "").replace("TRANSCRIPT", str(transcript())).encode()
        done = program.forked(*words, stdin=stdin, place=place, has_reader=bool(place))
        found[f"{typed} in {place}" if place else typed] = (done.code, done.err)
    return found


def hooks_log(program: Program) -> list[str]:
    """What kept hooks and the status line from answering, which they tell nobody else."""
    log = (program.store.parent / "hooks.log").read_text()
    return [line.split(": ")[1].rstrip(":") for line in log.splitlines()]


def test_these_are_all_commands() -> None:
    tried = [command for _, command in COMMANDS]
    assert [path for path in ALL_COMMANDS if not any(f"clew {one} ".startswith(f"{path} ") for one in tried)] == []


def test_a_reader_who_goes_away_ends_every_command_quietly(program: Program, tokens: list[str]) -> None:
    plain = [f"health {SESSION} --watch", *(command for _, command in COMMANDS)]
    as_json = [f"{one} --json" for one in _with_new_ids(plain, 1) if one.split()[0] not in WITHOUT_JSON]
    commands = ["--help", *as_json, "import session.jsonl", *_with_new_ids(plain, 3)]
    done = endings(program, [("", command) for command in commands], tokens)
    loud = {command: ending for command, ending in done.items() if ending != (0, "")}
    told = {command: ending for command, ending in loud.items() if ending[1].startswith(TELLS.get(command, "\0"))}
    assert {ending[0] for ending in told.values()} <= {0}
    assert loud == told
    assert hooks_log(program) == ["BrokenPipeError"] * len(FAIL_OPEN)


def test_an_interrupt_ends_every_command_with_130_and_a_line_on_what_is_stored(
    program: Program, tokens: list[str]
) -> None:
    done = endings(program, [*OTHERS, *COMMANDS], tokens)
    told = {command: _ending(command) for command in done}
    assert {command: ending for command, ending in done.items() if ending != told[command]} == {}
    assert hooks_log(program) == ["KeyboardInterrupt"] * len(FAIL_OPEN)
    again = program("import", "other.jsonl", "--json").json["imported"][0]
    assert (again["messages"], again["new_messages"]) == (5, 5)


def _with_new_ids(commands: list[str], next_id: int) -> list[str]:
    """The commands, with ids of the profile that are there when they are typed: one is given once."""
    found = []
    for command in commands:
        found.append(command.replace("forget p1", f"forget p{next_id}"))
        next_id += " forget " in f" {command}"
    return found


def _ending(command: str) -> tuple[int, str]:
    """The exit code, and one line on what is stored, unless the command runs until it is interrupted."""
    name = command.split(maxsplit=1)[0]
    if name in FAIL_OPEN:
        return 0, ""
    if name in ENDLESS or any(option in command for option in ("--watch", "--follow")):
        return 130, ""
    if name == "import":
        return 130, "clew: interrupted; what was read until then is stored; the same command goes on from there\n"
    return 130, "clew: interrupted; what was stored until then stays\n"


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


def commands_with_json() -> list[tuple[str, ...]]:
    """The names of all commands that answer programs."""
    found = []

    def walk(command: Any, path: tuple[str, ...]) -> None:
        for name, below in getattr(command, "commands", {}).items():
            walk(below, (*path, name))
        if any("--json" in one.opts for one in command.params):
            found.append(path)

    walk(command_line(), ())
    return found


@pytest.mark.parametrize("path", commands_with_json(), ids=" ".join)
def test_whoever_asks_for_json_is_told_of_errors_in_json(clew_program: Program, path: tuple[str, ...]) -> None:
    done = clew_program(*path, "--json", "--no-such-option")
    assert (done.code, done.out) == (2, "")
    hint = f"`clew {' '.join(path)} --help` lists what it takes"
    assert json.loads(done.err) == {"error": "no such option: --no-such-option", "hint": hint}


def test_errors_of_the_work_are_told_likewise(clew_program: Program) -> None:
    plain, done = clew_program("show", "nobody"), clew_program("show", "nobody", "--json")
    told = json.loads(done.err)
    assert (plain.code, plain.err) == (done.code, f"clew: {told['error']}; {told['hint']}\n")
