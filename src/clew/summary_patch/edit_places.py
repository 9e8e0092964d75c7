"""Places of edits: in which functions a file was changed, what was added and taken out, and at which line.

A place is known by the definition above it, in the edit itself or in what was read of the file before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clew.domain import Message, Output, Status
from clew.text.definitions import defined_names, definition_in, numbered_lines
from clew.text.tools.actions import Action, ActionKind, TextEdit
from clew.text.tools.calls import call_actions

#: So many lines of an edit must be where they are looked for; so many characters of a text are read.
_SAME_LINES, _MAX_READ_CHARS = 3, 200_000
#: A command that copies the first lines of a file: how many, of which, to where.
_KEEPS_FIRST = re.compile(r"\bhead\s+(?:-n\s*)?-?\d+\s+(\S+)\s*>\s*([^\s;&|]+)")
#: Brackets and imports.
_SAYS_NOTHING = re.compile(
    r"[\s{}()\[\];,*/]*|\s*(?:\w+ )?\"[\w./-]+\"|\s*(?:import\b|from \S+ import\b|#include\b|use [\w:]+).*"
)
COMMENT = re.compile(r"\s*(?://|#|/?\*|--|\"\"\"|<!--)")


@dataclass(frozen=True, slots=True)
class EditPlace:
    """Where an edit was made: the definition it stands in, the line if it is known (else 0), and its first new line."""

    name: str
    line: int
    fresh: str
    number: int


@dataclass(slots=True)
class FileEdits:
    """The edits of one file: names that they defined and took out, each with its message, and their places.
    ``appended`` are names that commands put at its end, ``lines`` those that are known, by number."""

    path: str
    added: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    places: list[EditPlace] = field(default_factory=list)
    appended: set[str] = field(default_factory=set)
    lines: dict[int, str] = field(default_factory=dict)

    @property
    def newest(self) -> int:
        """The message of the newest edit whose text is known."""
        return max((*self.added.values(), *self.removed.values(), *(place.number for place in self.places)), default=0)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A command that put another text in a file's place, and the names that edits before it had defined there."""

    path: str
    number: int
    command: str
    names: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class EditHistory:
    """The edits of all files that are still there, by path, and the commands that replaced texts after edits."""

    files: Mapping[str, FileEdits]
    replacements: Sequence[Replacement]


def read_edit_history(messages: Sequence[Message], *, root: str, commits: Sequence[int] = ()) -> EditHistory:
    """Reads the edits that succeeded; paths of commands are seen from the ``root``. What was in one of the ``commits``
    (numbers of messages) is not lost when a command restores a file."""
    outputs = {output.call_id: output for message in messages for output in message.outputs}
    reading = _Reading(root, commits)
    for message in messages:
        for call in message.calls:
            output = outputs.get(call.id)
            if output is not None and output.status is Status.SUCCESS:
                reading.copy(call_actions(call)[0].command)
                for action in call_actions(call):
                    reading.take(action, output, message.number)
    return EditHistory(reading.files, reading.replacements)


class _Reading:
    def __init__(self, root: str, commits: Sequence[int]) -> None:
        self.files: dict[str, FileEdits] = {}
        self.replacements: list[Replacement] = []
        self._root, self._commits = root, commits
        self._arriving: dict[str, FileEdits] = {}
        self._beginnings: set[tuple[str, str]] = set()

    def copy(self, command: str) -> None:
        """Notes which files a command made of the first lines of others."""
        for source, target in _KEEPS_FIRST.findall(command) if "head" in command else ():
            self._beginnings.add((self._whole(source), self._whole(target)))

    def take(self, action: Action, output: Output, number: int) -> None:
        if not action.path:
            return
        path = self._whole(action.path)
        edits = self.files.setdefault(path, FileEdits(path))
        if action.kind is ActionKind.READ and not action.command:
            edits.lines.update(numbered_lines(output.text[:_MAX_READ_CHARS]))
        elif action.kind is ActionKind.DELETE:
            gone = self.files.pop(path)
            if action.target:
                self._arriving[self._whole(action.target)] = gone
        elif action.kind is ActionKind.WRITE and action.content is not None:
            _write(edits, action.content, number)
        elif action.restore or action.is_unseen_write:
            self._replace(action, path, number)
        elif action.kind is ActionKind.EDIT:
            for change in action.changes:
                _edit(edits, change, number)
                if action.command and not change.old:
                    edits.appended.update(defined_names(change.new))
            if not action.changes:
                edits.lines.clear()

    def _whole(self, path: str) -> str:
        return path if not self._root or path.startswith(("/", "~")) else f"{self._root}/{path.removeprefix('./')}"

    def _replace(self, action: Action, path: str, number: int) -> None:
        before, arrived = self.files[path], self._arriving.pop(path, None)
        now = FileEdits(path)
        if arrived is not None:
            now.added, now.removed, now.places = arrived.added, arrived.removed, arrived.places
            if (path, arrived.path) in self._beginnings:  # what stood further up is still there
                kept = {name: since for name, since in before.added.items() if name not in before.appended}
                now.added, now.removed = {**kept, **now.added}, {**before.removed, **now.removed}
                now.places = [*before.places, *now.places]
        self.files[path] = now
        settled = max((since for since in self._commits if since < number), default=0) if action.restore else 0
        names = {name: since for name, since in before.added.items() if name not in now.added and since > settled}
        if names:
            self.replacements.append(Replacement(path, number, action.command, names))


def _write(edits: FileEdits, content: str, number: int) -> None:
    defined = defined_names(content[:_MAX_READ_CHARS])
    before = {name: edited_in for name, edited_in in edits.added.items() if name in defined}
    edits.lines = dict(enumerate(content[:_MAX_READ_CHARS].split("\n"), 1))
    edits.added = {name: before.get(name, number) for name in defined}
    edits.removed, edits.places = {}, []


def _edit(edits: FileEdits, change: TextEdit, number: int) -> None:
    old, new = defined_names(change.old), defined_names(change.new)
    for name in new:
        edits.removed.pop(name, None)
        if name not in old:
            edits.added[name] = number
    for name in old:
        if name not in new:
            edits.added.pop(name, None)
            edits.removed[name] = number
    place = _place(edits, change, number)
    if place is not None:
        edits.places.append(place)
    _replay(edits, change)


def _place(edits: FileEdits, change: TextEdit, number: int) -> EditPlace | None:
    """Where the first new line of an edit stands; None for one that only takes out, or defines what it adds."""
    old, new = change.old.split("\n"), change.new.split("\n")
    above = next(
        (index for index in range(min(len(old), len(new))) if old[index] != new[index]), min(len(old), len(new))
    )
    known = {line.strip() for line in old}
    fresh = [
        index
        for index in range(above, len(new))
        if new[index].strip() not in known and not _SAYS_NOTHING.fullmatch(new[index])
    ]
    if not fresh:
        return None
    first_new = next((first_new for first_new in fresh if not COMMENT.match(new[first_new])), fresh[0])
    begin = _line_of(edits.lines, change.old)
    name = _definition_above(new[: first_new + 1], new[first_new])
    if not name and begin:
        name = _definition_above(_known_above(edits.lines, begin), new[first_new])
    return EditPlace(name, begin + first_new if begin else 0, new[first_new].strip(), number)


def _known_above(lines: Mapping[int, str], number: int) -> list[str]:
    """The lines above a place, as far as each of them is known."""
    above: list[str] = []
    while (number := number - 1) in lines:
        above.append(lines[number])
    return above[::-1]


def _definition_above(lines: Sequence[str], inside: str) -> str:
    """The nearest definition above a line that is not indented as far as it; empty if there is none."""
    indent = len(inside) - len(inside.lstrip())
    for line in reversed(lines):
        definition = definition_in(line)
        if definition and (definition[0] < indent or line == inside):
            return definition[1]
    return ""


def _line_of(lines: Mapping[int, str], text: str) -> int:
    """The number of the line at which a text stands; 0 where it is not known or stands in several places."""
    wanted = text.split("\n")[:_SAME_LINES]
    if not wanted[0].strip():
        return 0
    first, *rest = wanted
    inner = rest[:-1] if len(wanted) == _SAME_LINES else rest
    places = [
        number
        for number, line in lines.items()
        if line.endswith(first) and all(lines.get(number + 1 + index) == inside for index, inside in enumerate(inner))
    ]
    return places[0] if len(places) == 1 else 0


def _replay(edits: FileEdits, change: TextEdit) -> None:
    """Brings the known lines up to date; where it is not known what an edit replaced, none is known any more."""
    begin = _line_of(edits.lines, change.old)
    if not begin:
        if change.old.count("\n") != change.new.count("\n"):
            edits.lines.clear()
        return
    old, new = change.old.split("\n"), change.new.split("\n")
    growth = len(new) - len(old)
    end = begin + len(old)
    edits.lines = {
        **{number: line for number, line in edits.lines.items() if number < begin},
        **{begin + index: line for index, line in enumerate(new)},
        **{number + growth: line for number, line in edits.lines.items() if number >= end},
    }
