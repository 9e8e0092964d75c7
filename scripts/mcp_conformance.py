"""Runs the official conformance suite of MCP against `clew serve`, in both eras of the protocol.

Checks that do not apply to Clew are listed, with the reasons, in tests/mcp_conformance. The suite and the Node that it
needs are fetched from npm into a folder that git ignores.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
HOME = ROOT / ".conformance"
PACKAGES = ("node@22.23.3", "@modelcontextprotocol/conformance@0.2.0-alpha.12")
ERAS = ("2025-11-25", "2026-07-28")


def main() -> int:
    """Returns 0 if everything holds that applies."""
    _install()
    with TemporaryDirectory() as folder, _serving(Path(folder) / "conformance.db") as address:
        failed = [era for era in ERAS if not _holds(era, address, Path(folder))]
    print("conformance: " + (f"not with {', '.join(failed)}" if failed else f"{' and '.join(ERAS)} hold"))
    return len(failed)


def _install() -> None:
    if not (HOME / "node_modules/@modelcontextprotocol/conformance").is_dir():
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(HOME), *PACKAGES]
        HOME.mkdir(exist_ok=True)
        subprocess.run(command, check=True)


@contextmanager
def _serving(store: Path) -> Iterator[str]:
    """The address of a server with the sample session."""
    command = [sys.executable, "-m", "clew.cli", "serve", "--port", "0", "--sample", "--store", str(store)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        found = re.search(r"http://[^ ]+", process.stdout.readline())
        try:
            assert found, "the server did not start"
            yield found[0]
        finally:
            process.terminate()


def _holds(era: str, address: str, folder: Path) -> bool:
    suite = HOME / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    baseline = ROOT / "tests/mcp_conformance" / f"{era}.yml"
    command = [str(HOME / "node_modules/.bin/node"), str(suite), "server", "--url", f"{address}/mcp", "--suite", "all"]
    command += ["--spec-version", era, "--expected-failures", str(baseline), "-o", str(folder / era)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout[max(0, done.stdout.find("=== SUMMARY")) :], done.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
