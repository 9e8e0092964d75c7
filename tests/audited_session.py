"""A written session of Claude Code with a compaction: what its summary keeps, loses, and what the agent does next."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from tests.lines import jsonl

ROOT = "/srv/shop"
CODE = "def total(basket):\n    prices = [item.price for item in basket]\n    return sum(prices) - discount(basket)\n"
OTHER = "\n".join(f"# line {number} of the notes on shipping and returns" for number in range(1, 9))


class Lines:
    """Lines of one session file, each a second after the one before."""

    def __init__(self, session: str = "s1", *, cwd: str = ROOT) -> None:
        self._session, self._cwd = session, cwd
        self._numbers = count(1)
        self.lines: list[dict[str, Any]] = []
        self._clock = 0

    def wait(self, seconds: int) -> None:
        self._clock += seconds

    def add(self, kind: str, content: Any, **more: Any) -> None:
        number = next(self._numbers)
        self._clock += 1
        message: dict[str, Any] = {"role": kind, "content": content}
        if kind == "assistant":
            usage = {"input_tokens": 1_000, "output_tokens": 10, "cache_read_input_tokens": 500}
            message |= {"id": f"{self._session}-{number}", "type": "message", "model": "claude-opus-5", "usage": usage}
        about = {
            "uuid": f"{self._session}-{number}",
            "sessionId": self._session,
            "isSidechain": False,
            "cwd": self._cwd,
        }
        minutes, seconds = divmod(self._clock, 60)
        time = f"2026-03-01T10:{minutes:02d}:{seconds:02d}.000Z"
        self.lines.append({"type": kind, **about, "timestamp": time, "message": message} | more)

    def says(self, text: str) -> None:
        self.add("user", text)

    def answers(self, text: str) -> None:
        self.add("assistant", [{"type": "text", "text": text}])

    def runs(self, name: str, output: str, **arguments: Any) -> None:
        id = f"{self._session}-call-{len(self.lines)}"
        self.add("assistant", [{"type": "tool_use", "id": id, "name": name, "input": arguments}])
        self.add("user", [{"type": "tool_result", "tool_use_id": id, "content": output}])

    def compacts(self, summary: str, *, seconds: int = 60, **about: Any) -> None:
        self.wait(seconds - 1)
        given = {"trigger": "auto", "preTokens": 150_000} | about
        more = {"type": "system", "subtype": "compact_boundary", "compactMetadata": given}
        self.add("user", "Conversation compacted", **more)
        self._clock -= 1
        told = f"This session is being continued from a previous conversation.\nSummary:\n{summary}"
        self.add("user", told, isCompactSummary=True)

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jsonl(self.lines))
        return path


def numbered(text: str, first: int = 1) -> str:
    """A text as the client's reader shows it."""
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(text.split("\n"), first))


def edit(lines: Lines, path: str, old: str, new: str) -> None:
    lines.runs("Edit", "The file has been updated.", file_path=path, old_string=old, new_string=new)


def shop() -> Lines:
    """Reads two files, compacts with a summary that names one of them, and needs the text of that one for an edit."""
    lines = Lines()
    lines.says("Make the discount optional.")
    lines.runs("Read", numbered(CODE), file_path=f"{ROOT}/basket.py")  # m2, m3
    lines.runs("Read", numbered(OTHER), file_path=f"{ROOT}/notes.md")  # m4, m5
    lines.runs("Bash", "1 failed", command="pytest tests/test_basket.py -k total")  # m6, m7
    lines.compacts("The discount in basket.py is to become optional. Tests: pytest tests/test_basket.py -k total")  # m8
    lines.runs("Read", numbered(CODE), file_path=f"{ROOT}/basket.py")  # m9, m10
    edit(lines, f"{ROOT}/basket.py", CODE.strip("\n"), "def total(basket):\n    return 0")  # m11, m12
    lines.runs("Bash", "1 passed", command="pytest tests/test_basket.py -k total")  # m13, m14
    lines.answers("Done.")
    return lines


def sessions(folder: Path) -> Iterator[Path]:
    """A folder as Claude Code keeps it, with one session."""
    yield shop().write(folder / "projects" / "-srv-shop" / "s1.jsonl")
