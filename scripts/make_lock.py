"""Writes requirements/: every package that was tested, pinned by hash, without the address it came from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCKS = {"core.txt": [], "dev.txt": ["--extra", "dev"]}


def main() -> int:
    for name, extras in LOCKS.items():
        command = [
            *(sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", *extras),
            *("--universal", "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url"),
            *("--no-emit-find-links", "--no-annotate", "--custom-compile-command", "make lock"),
            *("--output-file", f"requirements/{name}", "--quiet"),
        ]
        subprocess.run(command, cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
