"""What was done in a turn, as checks look at it: simple commands, changed files, code that was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from clew.domain import Call
from clew.text.tools.actions import Action, ActionKind
from clew.text.tools.calls import call_actions
from clew.text.tools.shell import parse_command

#: Turns with more calls are looked at from their end; each text this far.
MAX_CALLS = 400
MAX_COMMAND_CHARS = 8_000
MAX_CODE_CHARS = 40_000

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_PREFIXES = frozenset({"sudo", "time", "nohup", "command", "env", "exec", "nice", "then", "do", "else", "!", "xargs"})

_FAMILIES = {
    "python": "py pyi python python3 pyx",
    "js": "js jsx mjs cjs javascript node",
    "ts": "ts tsx mts cts typescript vue svelte",
    "go": "go golang",
    "rust": "rs rust",
    "java": "java",
    "kotlin": "kt kts kotlin",
    "c": "c h cc cpp cxx hpp c++",
    "csharp": "cs csharp c#",
    "ruby": "rb ruby",
    "php": "php",
    "swift": "swift",
    "shell": "sh bash zsh shell console",
    "sql": "sql",
    "css": "css scss less sass",
    "html": "html htm xml svg",
    "data": "json jsonc yaml yml toml ini cfg lock csv env",
    "text": "md mdx txt rst markdown text adoc",
}
_BY_TAG = {tag: family for family, tags in _FAMILIES.items() for tag in tags.split()}


def language_of(tag: str) -> str:
    """The family of an extension or a fence's tag; empty where nobody knows."""
    return _BY_TAG.get(tag.lower(), "")


class Ran(NamedTuple):
    """A simple command: the place of its call, its words without prefixes, the text fed to it."""

    call: int
    words: tuple[str, ...]
    fed: str

    @property
    def name(self) -> str:
        return self.words[0].rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class Written:
    """Code that was put somewhere: ``old`` is what stood there, where the edit says so."""

    call: int
    path: str
    language: str
    new: str
    old: str = ""


class Work:
    """The calls of one turn, each read once."""

    def __init__(self, calls: tuple[Call, ...]) -> None:
        self._calls = calls

    @cached_property
    def deeds(self) -> tuple[tuple[int, Action], ...]:
        """Every action with the place of its call, in order."""
        first = max(0, len(self._calls) - MAX_CALLS)
        return tuple((at, action) for at in range(first, len(self._calls)) for action in call_actions(self._calls[at]))

    @cached_property
    def names(self) -> tuple[tuple[int, str], ...]:
        """The tools that were called."""
        return tuple((at, call.name) for at, call in enumerate(self._calls))

    @cached_property
    def ran(self) -> tuple[Ran, ...]:
        return tuple(_ran(self.deeds))

    @cached_property
    def changed(self) -> tuple[tuple[int, Action], ...]:
        """What changed files, with the path it changed."""
        return tuple((at, action) for at, action in self.deeds if action.kind.changes_files and action.path)

    @cached_property
    def written(self) -> tuple[Written, ...]:
        return tuple(_written(self.changed))


def _ran(deeds: tuple[tuple[int, Action], ...]) -> Iterator[Ran]:
    seen: set[tuple[int, str]] = set()
    for at, action in deeds:
        if action.command and (at, action.command) not in seen and action.kind is not ActionKind.OTHER:
            seen.add((at, action.command))
            for simple in parse_command(action.command[:MAX_COMMAND_CHARS]):
                if "sudo" in simple.words[:3]:
                    yield Ran(at, ("sudo", *simple.words), "")
                if words := _bare(simple.words):
                    yield Ran(at, words, simple.stdin or "")


def _bare(words: list[str]) -> tuple[str, ...]:
    at = 0
    while at < len(words) and (words[at] in _PREFIXES or words[at] == "timeout" or _ASSIGNMENT.match(words[at])):
        at += 2 if words[at] == "timeout" else 1
    return tuple(words[at:])


def _written(changed: tuple[tuple[int, Action], ...]) -> Iterator[Written]:
    for at, action in changed:
        name = action.path.rsplit("/", 1)[-1]
        language = language_of(name.rsplit(".", 1)[-1]) if "." in name else ""
        if action.content:
            yield Written(at, action.path, language, action.content[:MAX_CODE_CHARS])
        for change in action.changes:
            if change.new:
                yield Written(at, action.path, language, change.new[:MAX_CODE_CHARS], change.old[:MAX_CODE_CHARS])
