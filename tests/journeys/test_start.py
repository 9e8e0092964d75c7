"""What the program loads: reading a stored session waits for nothing that only recording or packing needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.program import Program
from tests.lines import CONVERSATION, jsonl

#: Each takes a twentieth of a second or more to load.
HEAVY = [
    "clew.compaction.candidates",
    "clew.curation.curator",
    "clew.digests.draft",
    "clew.engine.compaction.compactor",
    "clew.engine.ingest.importer",
    "clew.engine.prompt.packer",
    "clew.history.work_map.replay",
    "clew.signals.checks.compiler",
    "clew.signals.contradiction.clash",
    "clew.signals.critical.candidates",
    "clew.signals.project_rules.extract",
    "clew.summaries.ladder",
    "drain3",
    "pydantic",
    "rapidfuzz",
    "rich",
    "tiktoken",
]
CODE = """
import json, sys
from clew.cli.app import program
for arguments in json.loads(sys.argv[1]):
    program()(arguments, standalone_mode=False)
print(json.dumps([name for name in json.loads(sys.argv[2]) if name in sys.modules]))
"""


@pytest.fixture
def stored(clew_program: Program, tmp_path: Path) -> Program:
    (tmp_path / "session.jsonl").write_bytes(jsonl(CONVERSATION))
    clew_program.keep(tmp_path / "session.jsonl")
    return clew_program


@pytest.mark.parametrize(
    "commands",
    [
        [["--help"], ["profile", "--help"]],
        [
            ["sessions"],
            ["show", "latest"],
            ["show", "latest", "m1"],
            ["pins", "latest"],
            ["show", "latest", "--as", "tools"],
        ],
        [["health", "latest"], ["sessions", "--json"], ["health", "latest", "--json"]],
    ],
)
def test_commands_that_read_load_nothing_heavy(stored: Program, commands: list[list[str]]) -> None:
    given = [json.dumps(commands), json.dumps(HEAVY)]
    done = subprocess.run([sys.executable, "-c", CODE, *given], capture_output=True, env=stored.env, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_recording_a_short_message_builds_no_whole_token_table() -> None:
    code = """
import clew
from clew.tokens import encodings
with clew.open(":memory:") as engine:
    session = engine.session("a", model="claude-sonnet-5")
    session.record([{"role": "user", "content": "fix the login"}], format="anthropic")
    session.pack("why?", budget=8000)
print(list(encodings._built))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
