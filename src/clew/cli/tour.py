"""The tour: runs real commands on the bundled session, in a temporary folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clew.samples import sample
from clew.text.plurals import counted

#: Lines of a command's output that the tour shows; the rest is counted.
_LINES = 14


@dataclass(frozen=True)
class Stop:
    """One stop of the tour: an introduction, the command, and what it really printed."""

    about: str
    command: str
    exit_code: int
    output: str

    def text(self, lines: int = _LINES) -> str:
        """Returns the stop as people read it, with the first ``lines`` lines of the output."""
        printed = [f"  {line}".rstrip() for line in self.output.splitlines()]
        left = len(printed) - lines
        more = [f"  … {counted(left, 'more line')}"] if left > 0 else []
        return "\n".join([self.about, f"$ {self.command}", *printed[:lines], *more, ""])

    def as_dict(self) -> dict[str, Any]:
        """Returns the stop with the keys that are documented."""
        return asdict(self)


def tour() -> None:
    """Prints all stops of the tour."""
    for stop in stops():
        print(stop.text(), flush=True)
    print("That was the tour; nothing was stored. `clew import FILE` keeps a session of your own.")


def stops() -> Iterator[Stop]:
    """Runs the commands of the tour, and yields each with its output as soon as it is done."""
    with tempfile.TemporaryDirectory() as folder:
        guide = _Guide(Path(folder))
        guide.lay_out()
        for about, command in _STOPS:
            yield guide.stop(about, command)


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
    def __init__(self, folder: Path) -> None:
        self._folder = folder
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

    def stop(self, about: str, command: str) -> Stop:
        program = [sys.executable, "-m", "clew.cli", *command.split()[1:]]
        done = subprocess.run(program, cwd=self._folder, env=self._env, capture_output=True, text=True, check=False)
        return Stop(about, command, done.returncode, (done.stdout + done.stderr).rstrip())
