"""The plugin for Claude Code says the same as `clew wrap claude-code` writes; `make clients` tries it for real."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import clew
from clew.hooks.client_setup.client_entries import Options, entries_of

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "plugins" / "claude-code"


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_the_marketplace_leads_to_the_plugin_of_this_version() -> None:
    (listed,) = read(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]
    about = read(ROOT / listed["source"] / ".claude-plugin" / "plugin.json")
    assert (about["name"], about["version"]) == (listed["name"], clew.__version__)


def test_hooks_and_server_are_those_of_a_wrapped_client() -> None:
    settings, servers = (file.entries for file in entries_of("claude-code", Options("clew")))
    hooks = read(PLUGIN / "hooks" / "hooks.json")["hooks"]
    assert set(hooks) == set(settings["hooks"])
    for event, groups in hooks.items():
        command = groups[0]["hooks"][0]["command"]
        assert command == f'sh "${{CLAUDE_PLUGIN_ROOT}}/hooks/run.sh" {event}'
    server = read(PLUGIN / ".mcp.json")["mcpServers"]["clew"]
    assert server == {key: value for key, value in servers["mcpServers"]["clew"].items() if key != "type"}


def test_without_clew_a_hook_does_nothing(tmp_path: Path) -> None:
    script = [f"{PLUGIN}/hooks/run.sh", "PreCompact"]
    done = subprocess.run(["/bin/sh", *script], env={"PATH": str(tmp_path)}, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    program = tmp_path / "clew"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(["/bin/sh", *script], env={"PATH": str(tmp_path)}, capture_output=True, check=False)
    assert done.stdout == b"hook claude-code PreCompact\n"


def test_the_skill_names_tools_that_there_are() -> None:
    text = (PLUGIN / "skills" / "recall" / "SKILL.md").read_text("utf-8")
    assert text.startswith("---\nname: recall\ndescription: ")
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src/clew/mcp_server").glob("*.py"))
    for tool in ("search_context", "retrieve_context", "get_story", "get_critical_context", "mark_critical"):
        assert tool in text
        assert tool in source
