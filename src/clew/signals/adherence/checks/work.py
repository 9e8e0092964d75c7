"""What was done in a turn, as checks look at it: simple commands, changed files, code that was brought in."""

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
_MAX_CALLS, _MAX_COMMAND_CHARS, _MAX_CODE_CHARS, _MAX_LINES, _MAX_LINE_CHARS = 400, 8_000, 40_000, 2_000, 400

_PREFIX = re.compile(r"(?:sudo|time|nohup|command|env|exec|nice|then|do|else|!|xargs)\Z|[A-Za-z_]\w*=")
_GIT_OPTION = re.compile(r"\Agit(?: -[Cc] \S+| --?\w[\w-]*(?:=\S+)?)+")
#: Languages by the extensions of their files and the tags of their code blocks; prose and data are none.
_TAGS = {
    "python": "py pyi python python3 pyx", "js": "js jsx mjs cjs javascript node",
    "ts": "ts tsx mts cts typescript vue svelte", "go": "go golang", "rust": "rs rust", "java": "java",
    "kotlin": "kt kts kotlin", "c": "c h cc cpp cxx hpp c++", "csharp": "cs csharp c#", "ruby": "rb ruby", "php": "php",
    "swift": "swift", "shell": "sh bash zsh shell console", "sql": "sql", "css": "css scss less sass",
}  # fmt: skip
LANGUAGES = {tag: language for language, tags in _TAGS.items() for tag in tags.split()}


class Ran(NamedTuple):
    """A simple command: the place of its call, and its words without prefixes."""

    call: int
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.words[0].rsplit("/", 1)[-1]

    @property
    def command_text(self) -> str:
        return " ".join(self.words)

    @property
    def line(self) -> str:
        """The command for patterns: blanks part words alone, and git comes without options of its own."""
        return _GIT_OPTION.sub("git", " ".join(word.replace(" ", "_") for word in (self.name, *self.words[1:])))


@dataclass(frozen=True, slots=True)
class Code:
    """Code that was put somewhere: ``old`` is what stood there, where the edit says so."""

    call: int
    path: str
    language: str
    new: str
    old: str = ""

    @property
    def added_lines(self) -> list[str]:
        """The lines that it brings in."""
        before = set(self.old.split("\n")) if self.old else frozenset[str]()
        lines = [line[:_MAX_LINE_CHARS] for line in self.new.split("\n") if line.strip() and line not in before]
        return lines[:_MAX_LINES]


class Work:
    """The calls of one turn, each read once; ``fences`` are the code blocks of its reply."""

    def __init__(self, calls: tuple[Call, ...], fences: tuple[tuple[str, str], ...] = ()) -> None:
        self._calls = calls
        self._fences = [(LANGUAGES.get(tag, ""), body) for tag, body in fences]

    @cached_property
    def deeds(self) -> tuple[tuple[int, Action], ...]:
        """Every action with the place of its call, in order."""
        first = max(0, len(self._calls) - _MAX_CALLS)
        return tuple(
            (index, action) for index in range(first, len(self._calls)) for action in call_actions(self._calls[index])
        )

    @cached_property
    def ran(self) -> tuple[Ran, ...]:
        """The commands that were run."""
        commands = dict.fromkeys(
            (call_index, deed.command) for call_index, deed in self.deeds if deed.kind is not ActionKind.OTHER
        )
        return tuple(ran for call_index, command in commands if command for ran in _ran(call_index, command))

    @cached_property
    def shown_commands(self) -> tuple[Ran, ...]:
        """The commands that an answer tells people to run."""
        return tuple(ran for language, body in self._fences if language == "shell" for ran in _ran(-1, body))

    @cached_property
    def file_changes(self) -> tuple[tuple[int, Action], ...]:
        """What changed files, with the path it changed."""
        return tuple(
            (call_index, action) for call_index, action in self.deeds if action.kind.changes_files and action.path
        )

    @cached_property
    def written_code(self) -> tuple[Code, ...]:
        """Code that tools wrote."""
        return tuple(_written_code(self.file_changes))

    @cached_property
    def code(self) -> tuple[Code, ...]:
        """Code of the turn: what tools wrote, else what the answer shows."""
        shown = (Code(-1, "", language, body) for language, body in self._fences if language not in {"", "shell"})
        return self.written_code or tuple(shown)


def _ran(call_index: int, command: str) -> Iterator[Ran]:
    for simple in parse_command(command[:_MAX_COMMAND_CHARS]):
        words, start = simple.words, 0
        if "sudo" in words[:3]:
            yield Ran(call_index, ("sudo", *words))
        while start < len(words) and (_PREFIX.match(words[start]) or words[start] == "timeout"):
            start += 2 if words[start] == "timeout" else 1
        if words[start:]:
            yield Ran(call_index, tuple(words[start:]))


def _written_code(changed: tuple[tuple[int, Action], ...]) -> Iterator[Code]:
    for call_index, action in changed:
        language = LANGUAGES.get(action.path.rsplit("/", 1)[-1].rpartition(".")[2].lower(), "")
        for old, new in (("", action.content or ""), *((change.old, change.new) for change in action.changes)):
            if new and language:
                yield Code(call_index, action.path, language, new[:_MAX_CODE_CHARS], old[:_MAX_CODE_CHARS])
