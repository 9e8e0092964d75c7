"""Code that a turn brings in: what tools wrote, or what an answer shows; never what stood there before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.reply import Reply
from clew.signals.adherence.checks.values import Turn
from clew.signals.adherence.checks.work import Written, language_of

#: Where the text is no code.
_NO_CODE = frozenset({"data", "text", "html", ""})


def pieces(turn: Turn) -> tuple[Written, ...]:
    """Code of the turn: what tools wrote, and fenced blocks of an answer that wrote nothing by tool."""
    written = tuple(one for one in turn.work.written if one.language not in _NO_CODE)
    return written or tuple(_fenced(turn.said))


def _fenced(said: Reply) -> Iterator[Written]:
    for tag, body in said.fences:
        if (language := language_of(tag)) not in _NO_CODE | {"shell"}:
            yield Written(-1, "", language, body)


def added(one: Written) -> list[str]:
    """The lines that a piece brings in."""
    before = set(one.old.split("\n")) if one.old else frozenset[str]()
    return [line for line in one.new.split("\n") if line.strip() and line not in before]


_LANGUAGES = {
    "python": r"python|\.py",
    "ts": r"typescript|\.tsx?|\bts\b",
    "js": r"javascript|\.jsx?|\bjs\b",
    "go": r"golang|go code",
    "rust": r"\brust\b",
    "java": r"\bjava\b",
    "ruby": r"\bruby\b",
    "php": r"\bphp\b",
    "css": r"\bcss\b",
    "sql": r"\bsql\b",
}


def named_language(body: str) -> str:
    """The one language that a rule is for; empty for all."""
    return next((name for name, pattern in _LANGUAGES.items() if re.search(pattern, body)), "")
