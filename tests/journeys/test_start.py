"""What the program loads: reading a stored session waits for nothing that only recording or packing needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.program import Program
from tests.lines import CONVERSATION, jsonl

#: Each takes a few hundredths of a second to load, or its patterns do.
HEAVY = [
    "clew.compaction.candidates",
    "clew.curation.curator",
    "clew.digests.draft",
    "clew.engine.compactor.compactor",
    "clew.engine.health.rule_files",
    "clew.engine.ingest.importer",
    "clew.engine.prompt.packer",
    "clew.engine.read.search",
    "clew.history.work_map.replay",
    "clew.signals.adherence.checks.compiler",
    "clew.signals.contradiction.clash",
    "clew.signals.critical.candidates",
    "clew.signals.rule_files.extract",
    "clew.summaries.ladder",
    "clew.text.injected_text",
    "clew.text.markers",
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
    ("commands", "needed"),
    [
        ([["--help"], ["profile", "--help"]], []),
        ([["sessions"], ["show", "latest"], ["pins", "latest"], ["show", "latest", "--as", "tools"]], []),
        ([["health", "latest"], ["sessions", "--json"], ["health", "latest", "--json"]], []),
        ([["show", "latest", "m1"]], ["clew.text.injected_text"]),  # its codec tells the person's words apart
    ],
)
def test_commands_that_read_load_nothing_heavy(stored: Program, commands: list[list[str]], needed: list[str]) -> None:
    given = [json.dumps(commands), json.dumps(HEAVY)]
    done = subprocess.run([sys.executable, "-c", CODE, *given], capture_output=True, env=stored.env, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout.splitlines()[-1]) == needed


def test_recording_a_short_message_loads_no_rule_files_and_no_whole_token_table() -> None:
    code = """
import clew, sys
from clew.tokens import encodings
with clew.open(":memory:") as engine:
    session = engine.session("a", model="claude-sonnet-5")
    session.record([{"role": "user", "content": "fix the login"}], format="anthropic")
    print("clew.engine.health.rule_files" in sys.modules)
    session.pack("why?", budget=8000)
print(list(encodings._built))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "[]"]
