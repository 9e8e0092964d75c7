"""Folders of their own for the clients, a provider, and Clew on the path."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from clients.upstream import Upstream, serving

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / ".clients" / "node_modules" / ".bin"


@dataclass(frozen=True)
class Machine:
    """A user's folders and how to start programs in them."""

    folder: Path
    upstream: Upstream

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def env(self) -> dict[str, str]:
        """Nothing of whoever runs this, and no key that opens anything."""
        return {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "PYTHONPATH": str(ROOT / "src"),
            "ANTHROPIC_BASE_URL": self.upstream.url,
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "OPENAI_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",
            "DISABLE_AUTOUPDATER": "1",
            "NO_COLOR": "1",
            "TERM": "xterm",
        }

    def run(self, *command: str, stdin: str = "") -> str:
        """Runs a program to its end, and returns what it printed; it must succeed."""
        done = subprocess.run(
            command, input=stdin, env=self.env, cwd=self.work, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, (command, done.stdout[-2_000:], done.stderr[-2_000:])
        return done.stdout

    def clew(self, *arguments: str, stdin: str = "") -> str:
        return self.run("clew", *arguments, stdin=stdin)

    def log(self) -> str:
        path = self.home / ".local" / "share" / "clew" / "hooks.log"
        return path.read_text() if path.exists() else ""


@pytest.fixture
def machine() -> Iterator[Machine]:
    with (
        TemporaryDirectory(prefix="clew-clients-", ignore_cleanup_errors=True) as name,  # a listener may be leaving
        serving() as upstream,
    ):
        folder = Path(name)
        for one in ("home", "work", "bin"):
            (folder / one).mkdir()
        script = folder / "bin" / "clew"
        script.write_text(f"#!{sys.executable}\nfrom clew.cli.__main__ import main\n\nmain()\n")
        script.chmod(0o755)
        for program in ("claude", "codex"):
            (folder / "bin" / program).symlink_to(PROGRAMS / program)
        yield Machine(folder, upstream)
