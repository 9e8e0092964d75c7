"""Starts the real program, with folders of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import clew
from clew.config import Config
from clew.domain.sessions import DEFAULT_USER
from tests.effort import THOROUGH
from tests.journeys.forked_commands import forked_commands

#: No journey waits for the encoder to be loaded, where it is not about it.
WITHOUT_ENCODER = {"CLEW_CRITICAL__ENCODER": "false", "CLEW_MODELS__EMBEDDER": "none"}
#: Hooks start no listener, where it is not about it.
ALONE = {"CLEW_HOOKS__LISTENER_MINUTES": "0"}


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Program:
    folder: Path

    @property
    def env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLEW_", "XDG_"))}
        home = str(self.folder / "home")
        kept |= WITHOUT_ENCODER | ALONE
        return kept | {"HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "NO_COLOR": "1", "PYTHONUTF8": "1"}

    @property
    def store(self) -> Path:
        """Where it keeps sessions unless it is told otherwise."""
        return self.folder / "home" / "clew" / "clew.db"

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "clew.cli"]

    def keep(self, *files: Path, store: Path | None = None) -> None:
        """Puts sessions into its store without starting it, for journeys that begin after the import."""
        with clew.open(store or self.store, config=Config(), person=DEFAULT_USER) as engine:
            for file in files:
                engine.import_file(file)

    def __call__(self, *arguments: str | Path, stdin: bytes = b"", **env: str) -> Done:
        """Runs a command to its end: in a quick run in a process that is forked once everything is imported."""
        if not THOROUGH and not any(name.startswith("PYTHON") for name in env):
            return self.forked(*map(str, arguments), stdin=stdin, **env)
        done = subprocess.run(
            [*self.command, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            env=self.env | env,
            cwd=self.folder,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def forked(self, *words: str, stdin: bytes = b"", place: str = "", has_reader: bool = True, **env: str) -> Done:
        """Runs a command to its end in a forked process, interrupted at a place in it, or where nobody reads."""
        with tempfile.TemporaryDirectory() as folder:
            given, out, errors = (Path(folder) / name for name in ("stdin", "stdout", "stderr"))
            for file, content in ((given, stdin), (out, b""), (errors, b"")):
                file.write_bytes(content)
            files = (given, out if has_reader else None, errors)
            code = forked_commands().run(words, files=files, env=self.env | env, cwd=self.folder, place=place)
            return Done(code, out.read_bytes().decode(), errors.read_bytes().decode())

    def start(self, *arguments: str | Path, **env: str) -> subprocess.Popen[bytes]:
        """The program as it runs, with pipes; in a ``with`` block it is waited for."""
        return subprocess.Popen(
            [*self.command, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.env | env,
            cwd=self.folder,
        )
