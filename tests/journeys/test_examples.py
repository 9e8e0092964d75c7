"""The programs in examples/ run as they stand there, against a provider on this machine that answers from a script."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.program import Program
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, provider

EXAMPLES = Path(__file__).parents[2] / "examples"
#: What each prints.
SHOWN = {
    "compact_messages.py": ("81 messages in ", "part_0"),
    "openai_client.py": ("Answer 3.", "6 messages are kept, good"),
    "anthropic_tools.py": ("Twelve lines.",),
    "mcp_client.py": ("berths are numbered from 1",),
    "gateway_client.py": ("Answer 1.", "Why does login fail?"),
}


def script(path: str, body: dict[str, Any]) -> Answer:
    """Calls the tool that is offered, answers when it has its output; else counts the questions."""
    said = Says(f"Answer {sum(message['role'] == 'user' for message in body['messages'])}.")
    if body.get("tools"):
        asks = "tool_result" not in str(body["messages"])
        said = Says(tool="lines_of", arguments={"path": "login.py"}, id="c1") if asks else Says("Twelve lines.")
    return reply(path, said, stream=bool(body.get("stream")))


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_runs(name: str, clew_program: Program, tmp_path: Path) -> None:
    with provider(script) as served:
        addresses = {"ANTHROPIC_BASE_URL": served.url, "OPENAI_BASE_URL": f"{served.url}/v1"}
        keys = {"ANTHROPIC_API_KEY": "none", "OPENAI_API_KEY": "none"}
        path = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            [sys.executable, EXAMPLES / name],
            capture_output=True,
            text=True,
            env=clew_program.env | addresses | keys | path,
            cwd=tmp_path,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    for shown in SHOWN[name]:
        assert shown in done.stdout
