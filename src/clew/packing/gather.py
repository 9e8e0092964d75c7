"""What a history says, line by line: candidates for the snapshot, and how much each thing in them matters.

A thing matters the more often it was said and the more recently; what the agent wrote weighs more than what
tools gave back. Lines that an edit has removed are not candidates.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp

from clew.domain import Call, Message, Output, Role
from clew.packing.places import Places
from clew.text.actions import actions
from clew.text.deeds import Action, Deed
from clew.text.names import names_in, paths_in

#: The share of the history over which weight falls to a third; the last tenth is what the agent works on.
_HORIZON = 0.12
#: What is old keeps this much: a name used all along is still a name.
_FLOOR = 0.05
_OUTPUT_WEIGHT = 0.15
_MAX_OUTPUT_CHARS = 8_000
_MAX_LINE_CHARS = 400
_MIN_LINE_CHARS = 6
_NUMBERED = re.compile(r"^\s*\d+(?:→|\t|:|-)")
_EDITING = {Deed.EDIT, Deed.WRITE, Deed.DELETE}


@dataclass(frozen=True, slots=True)
class Line:
    """A line that may be shown: where it stands (index of the message), the file it belongs to, if any, and
    whether a tool gave it."""

    at: int
    id: str
    text: str
    path: str = ""
    given: bool = False


@dataclass(slots=True)
class Material:
    """``lines`` by their text, newest place; weights of what was said, of names bound to files, and of files."""

    lines: dict[str, Line] = field(default_factory=dict)
    said: list[tuple[str, float]] = field(default_factory=list)
    bound: dict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    files: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    deeds: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    removed: set[str] = field(default_factory=set)


def gathered(messages: Sequence[Message], places: Places) -> Material:
    material = Material()
    calls: dict[str, str] = {}
    for at, message in enumerate(messages):
        weight = exp((at - len(messages)) / (_HORIZON * len(messages))) + _FLOOR
        if message.role is not Role.USER:
            _say(material, Line(at, message.id, message.text), weight)
        _mention(material, paths_in(message.text[:_MAX_OUTPUT_CHARS]), weight * 0.7, places)
        for part in message.parts:
            if isinstance(part, Call):
                calls[part.id] = _do(material, at, message.id, part, weight, places)
            elif isinstance(part, Output):
                _give(material, Line(at, message.id, part.text, calls.get(part.call_id, "")), weight, places)
    for text in material.removed:
        material.lines.pop(text, None)
    return material


def _do(material: Material, at: int, id: str, call: Call, weight: float, places: Places) -> str:
    """A call: what it writes is said, what it removes is gone; the file it concerns is returned."""
    first = ""
    for action in actions(call):
        path = places.of(action.path) if action.path else ""
        first = first or path
        if path:
            material.files[path] += weight * (3.0 if action.deed in _EDITING else 1.5)
            marks = material.deeds[path][_verb(action)]
            if not marks or marks[-1] != id:
                marks.append(id)
        _forget(material, action)
        words = "\n".join(_written(action)) or "\n".join(_leaves(call.arguments))
        if action.deed is not Deed.READ:
            _say(material, Line(at, id, words, path), weight)
        if path:
            # Names of what an edit replaced mostly stand in the file still: an edit quotes more than it changes.
            replaced = "\n".join(change.old for change in action.changes)
            for name in names_in(f"{words}\n{replaced}"):
                material.bound[path, name] += 2 * weight
    return first


def _verb(action: Action) -> str:
    return {Deed.WRITE: "written", Deed.EDIT: "edited", Deed.DELETE: "deleted", Deed.READ: "read"}.get(
        action.deed, "used"
    )


def _written(action: Action) -> Iterator[str]:
    yield from (change.new for change in action.changes)
    yield from (text for text in (action.content, action.command, action.pattern) if text)
    yield from (todo.text for todo in action.todos)


def _leaves(value: object) -> Iterator[str]:
    """Every text among a call's arguments, for tools that nobody taught us."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)


def _forget(material: Material, action: Action) -> None:
    """Lines that an edit takes out of a file are out, until another puts them back."""
    for change in action.changes:
        new = _stripped(change.new)
        material.removed.update(_stripped(change.old) - new)
        material.removed.difference_update(new)
    if action.content:
        material.removed.difference_update(_stripped(action.content))


def _stripped(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


def _give(material: Material, output: Line, weight: float, places: Places) -> None:
    text = output.text[:_MAX_OUTPUT_CHARS]
    plain = "\n".join(_NUMBERED.sub("", line) for line in text.split("\n"))
    _say(material, Line(output.at, output.id, plain, output.path, given=True), weight * _OUTPUT_WEIGHT)
    if output.path:
        for name in names_in(plain):
            material.bound[output.path, name] += 0.4 * weight
    _mention(material, paths_in(text), weight * 0.5, places)


def _mention(material: Material, paths: Iterable[str], weight: float, places: Places) -> None:
    for path in paths:
        if "/" in path:
            material.files[places.of(path)] += weight


def _say(material: Material, line: Line, weight: float) -> None:
    for raw in line.text.split("\n"):
        text = raw.strip()[:_MAX_LINE_CHARS]
        if len(text) >= _MIN_LINE_CHARS:
            material.said.append((text, weight))
            material.lines[text] = Line(line.at, line.id, text, line.path, line.given)
