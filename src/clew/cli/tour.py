"""The tour: runs real commands on the bundled session, in a temporary folder and all in this process."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clew.samples import sample
from clew.text.plurals import pluralise

#: All commands: takes the words of one and runs it.
Program = Callable[..., Any]
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
        more = [f"  … {pluralise(left, 'more line')}"] if left > 0 else []
        return "\n".join([self.about, f"$ {self.command}", *printed[:lines], *more, ""])

    def as_dict(self) -> dict[str, Any]:
        """Returns the stop with the keys that are documented."""
        return asdict(self)


def tour(program: Program) -> None:
    """Prints all stops of the tour."""
    for stop in stops(program):
        print(stop.text(), flush=True)
    print("That was the tour; nothing was stored. `clew import FILE` keeps a session of your own.")


def stops(program: Program) -> Iterator[Stop]:
    """Runs the commands of the tour, and yields each with its output as soon as it is done."""
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        guide = _Guide(Path(folder), program)
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


def lay_out(folder: Path) -> list[Path]:
    """Writes the files of the tour: the sample, and a copy in which the first output of a tool is missing."""
    content = sample().read_bytes()
    lines = content.splitlines(keepends=True)
    lost = next(index for index, line in enumerate(lines) if b'"tool_result"' in line)
    files = {"harbor.jsonl": content, "torn.jsonl": b"".join(lines[:lost] + lines[lost + 1 :])}
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in files]


class _Guide:
    def __init__(self, folder: Path, program: Program) -> None:
        self._folder, self._program = folder, program
        home = str(folder / "home")
        variables = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
        folders = {f"XDG_{kind}_HOME": home for kind in ("DATA", "CONFIG", "CACHE")}
        self._env = variables | folders | _PLAIN | {"HOME": home}

    def stop(self, about: str, command: str) -> Stop:
        out, err = io.StringIO(), io.StringIO()
        with chdir(self._folder), _environment(self._env), redirect_stdout(out), redirect_stderr(err):
            code = self._program(command.split()[1:], prog_name="clew", standalone_mode=False)
        return Stop(about, command, int(code or 0), (out.getvalue() + err.getvalue()).rstrip())


#: As on a plain installation, and as wide everywhere: the encoder, an extra, would take longer than all the rest.
_PLAIN = {"NO_COLOR": "1", "COLUMNS": "80", "CLEW_CRITICAL__ENCODER": "false", "CLEW_MODELS__EMBEDDER": "none"}


@contextmanager
def _environment(env: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ |= env
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= before
