"""Texts of the story that are too long to stand in it: the project's files and what commands printed."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
_TITLE = re.compile(r"^==> (.+) <==$", re.MULTILINE)
_OWN_LINE = re.compile(r"\s*(\||[-*#>]\s|\d+\.\s|```)")


def sections(file: str) -> dict[str, str]:
    """The parts of a text file, each under its ``==> title <==``, in order."""
    pieces = _TITLE.split((HERE / file).read_text(encoding="utf-8"))[1:]
    return {title: body[1:-1] for title, body in zip(pieces[::2], pieces[1::2], strict=True)}


def flow(text: str) -> str:
    """Prose as it was meant: the lines of a paragraph are one, lists and fenced code keep theirs."""
    out: list[str] = []
    fenced = False
    for line in textwrap.dedent(text).strip().splitlines():
        fence = line.startswith("```")
        joins = out and out[-1] and line and not fenced and not _OWN_LINE.match(line) and not out[-1].startswith("```")
        out.append(f"{out.pop()} {line.strip()}" if joins else line)
        fenced ^= fence
    return "\n".join(out)
