"""Codex as people run it, with Clew set up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests import hook_events

from clients.conftest import Machine

RULE = "Never write to the production database, use the staging copy."
FLAGS = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust")
SETTINGS = """# mine
model = "gpt-test"  # any
model_provider = "local"
model_context_window = 20000

[model_providers.local]
name = "local"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
"""


@pytest.fixture
def settings(machine: Machine) -> Path:
    path = machine.home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(SETTINGS.format(url=machine.upstream.url))
    return path


def told(machine: Machine, text: str, *more: str) -> None:
    machine.run("codex", "exec", *FLAGS, *more, text)


def test_a_compaction_is_steered_and_mended_once(machine: Machine, settings: Path) -> None:
    machine.clew("wrap", "codex", "--yes")
    told(machine, f"Make the export streaming. {RULE} The branch is feat/stream-export, the commit 4be91d7.")
    machine.upstream.input_tokens = 19_500
    told(machine, "Once more.", "resume", "--last")
    machine.upstream.input_tokens = 1_000
    told(machine, "Go on, please.", "resume", "--last")
    assert "You are about to lose this conversation" in machine.upstream.summary_request()
    said = machine.upstream.said()
    assert said.count("Missing from the summary above") == 1
    told(machine, "And on.", "resume", "--last")
    assert machine.upstream.said().count("Missing from the summary above") == 1
    assert machine.log() == ""


def test_the_server_is_started(machine: Machine, settings: Path) -> None:
    machine.clew("wrap", "codex", "--yes")
    assert "clew" in machine.run("codex", "mcp", "list")


def test_unwrapping_puts_the_files_back(machine: Machine, settings: Path) -> None:
    before = settings.read_bytes()
    machine.clew("wrap", "codex", "--yes")
    told(machine, "Hello.")
    machine.clew("unwrap", "codex", "--yes")
    assert settings.read_bytes() == before
    assert not (settings.parent / "hooks.json").exists()
    told(machine, "Hello.")


def test_events_have_the_shapes_that_the_tests_take_them_to_have(machine: Machine, settings: Path) -> None:
    names = ("SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact")
    record = machine.folder / "events"
    record.mkdir()
    hooks = {name: [{"hooks": [{"type": "command", "command": f"cat > {record}/{name}"}]}] for name in names}
    (settings.parent / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    machine.upstream.input_tokens = 19_500
    told(machine, "Make the export streaming.")
    told(machine, "Go on.", "resume", "--last")
    seen: dict[str, dict[str, Any]] = {name: json.loads((record / name).read_text()) for name in names}
    for name, event in seen.items():
        own = hook_events.codex_event(Path(event["transcript_path"]), name)
        assert set(own) - {"permission_mode"} <= set(event), name
    assert seen["SessionStart"]["source"] == "compact"
    assert seen["PreCompact"]["trigger"] == "auto"
