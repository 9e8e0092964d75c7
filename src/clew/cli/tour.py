"""The tour: runs real commands on the bundled session, in a temporary folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from clew.samples import sample


def tour() -> None:
    """Prints all stops of the tour."""
    for stop in stops():
        print(stop, flush=True)
    print("That was the tour; nothing was stored. `clew import FILE` keeps a session of your own.")


def stops(lines: int = 14) -> Iterator[str]:
    """Yields each stop as text: an introduction, the command, and the first ``lines`` lines that it really printed."""
    with tempfile.TemporaryDirectory() as folder:
        guide = _Guide(Path(folder), lines)
        guide.lay_out()
        for words, command in _STOPS:
            yield guide.stop(words, command)


#: What is said, and the command that shows it.
_STOPS: Sequence[tuple[str, str]] = (
    ("A session of a coding assistant goes in, every line of it:", "clew import harbor.jsonl"),
    ("The same file again stores nothing twice:", "clew import harbor.jsonl"),
    ("What is kept, by exchange and segment; each id can be read back:", "clew show latest"),
    ("Any part, whole, at any time:", "clew show latest x2"),
    ("Where the tokens went:", "clew show latest --as tools"),
    ("What must never fade, found as it was said:", "clew pins latest"),
    ("Whether it is kept, and how full the context is:", "clew health latest"),
    ("What to send when only 12,000 tokens may be sent:", "clew pack latest --budget 12000 --for anthropic --explain"),
    ("Compacting by hand, once you have seen what it would do:", "clew compact latest"),
    ("And back again, byte for byte:", "clew compact latest --undo"),
    ("A history that lost a tool's output is refused by providers:", "clew check torn.jsonl --for anthropic"),
    (
        "Clew mends it, in the request only; the record keeps what came:",
        "clew check torn.jsonl --for anthropic --repair --out mended.json",
    ),
    ("The mended request passes:", "clew check mended.json --for anthropic"),
    (
        "And the whole session crosses to another provider's format:",
        "clew export latest --to openai-responses --out request.json",
    ),
)


class _Guide:
    def __init__(self, folder: Path, lines: int) -> None:
        self._folder, self._lines = folder, lines
        home = str(folder / "home")
        self._env = os.environ | {"HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "NO_COLOR": "1"}
        self._env.pop("CLEW_STORE", None)

    def lay_out(self) -> None:
        """The sample, and a copy in which the first output of a tool is missing."""
        content = sample().read_bytes()
        (self._folder / "harbor.jsonl").write_bytes(content)
        lines = content.splitlines(keepends=True)
        lost = next(at for at, line in enumerate(lines) if b'"tool_result"' in line)
        (self._folder / "torn.jsonl").write_bytes(b"".join(lines[:lost] + lines[lost + 1 :]))

    def stop(self, words: str, command: str) -> str:
        program = [sys.executable, "-m", "clew.cli", *command.split()[1:]]
        done = subprocess.run(program, cwd=self._folder, env=self._env, capture_output=True, text=True, check=False)
        printed = [f"  {line}".rstrip() for line in (done.stdout + done.stderr).rstrip().splitlines()]
        more = [f"  … {len(printed) - self._lines} more lines"] if len(printed) > self._lines else []
        return "\n".join([words, f"$ {command}", *printed[: self._lines], *more, ""])
