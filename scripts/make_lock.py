"""Writes requirements/: every package that was tested, pinned by hash, without the address it came from."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCKS = {"core.txt": [], "all.txt": ["--extra", "all"], "dev.txt": ["--extra", "dev"]}
#: Installed from this repository.
OURS = "clew-encoder"
#: Locked without what it asks for, which is heavy and not used.
BARE = "local-llm"


def main() -> int:
    for name, extras in LOCKS.items():
        lock(name, "pyproject.toml", *extras)
    bare = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"][BARE]
    lock(f"{BARE}.txt", "-", "--no-deps", "--only-binary", ":all:", asked="\n".join(bare))
    return 0


def lock(name: str, *source: str, asked: str = "") -> None:
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", *source),
        *("--universal", "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url"),
        *("--no-emit-package", OURS, "--no-emit-find-links", "--no-annotate", "--custom-compile-command", "make lock"),
        *("--output-file", f"requirements/{name}", "--quiet"),
    ]
    subprocess.run(command, cwd=ROOT, check=True, input=asked, text=True)


if __name__ == "__main__":
    sys.exit(main())
