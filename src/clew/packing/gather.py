"""What a history says, line by line: candidates for the snapshot, and how likely each thing is to be needed again.

A thing is needed the sooner the more messages speak of it and the nearer they are; measured on real sessions, that
falls with a power of the number of messages since. What tools printed is needed as much as what the agent wrote for
the next few steps, and far less later on. Lines that an edit has removed are not candidates.

Only the newest part of a long history is read closely, so the time this takes has a bound.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from clew.domain import Call, Message, Output, Role
from clew.history.requests import request_words
from clew.packing.places import Places, common_root
from clew.packing.snap_terms import Terms
from clew.text.actions import actions
from clew.text.deeds import Action, Deed
from clew.text.names import paths_in

#: Messages after which what was said, printed, or done to a file begins to lose weight, and the power by which it does.
_SAID, _GIVEN, _DONE = (20.0, 0.8), (3.0, 1.1), (4.0, 0.6)
#: How likely words are said again, against those of the agent: what it put into files (seldom written twice), commands
#: and to-dos (often); what tools printed; what people wrote (it stands among the requests already).
_WEIGHTS = {Deed.EDIT: 0.4, Deed.WRITE: 0.4, Deed.RUN: 2.0, Deed.TODO: 2.0}
_GIVEN_WEIGHT, _ASKED_WEIGHT = 0.8, 0.3
#: A name that only tools ever printed, against one that the agent or a person used.
_GIVEN_NAME = 0.8
#: How likely a file is touched next: changed, read, named in another call, named in words, printed by a tool.
_CHANGED, _READ, _USED, _NAMED, _PRINTED = 1.0, 0.6, 0.3, 0.2, 0.12
#: A tool that prints more paths than this lists what there is.
_LISTING = 8
#: No more than so much of an output, and of what the agent or a person wrote in one go, is read line by line.
_MAX_OUTPUT_CHARS, _MAX_TOLD_CHARS = 8_000, 40_000
#: So much more of an output is searched for names alone.
_MAX_NAMED_CHARS = 20_000
_MAX_LINE_CHARS = 400
_MIN_LINE_CHARS = 8
#: How far back lines and names are gathered, and how far back files.
_CLOSE_CHARS = 240_000
_FAR_MESSAGES = 1_000
#: What clients add to outputs is none of theirs.
_REMINDER = re.compile(r"<system-reminder>[^<]*(?:</system-reminder>|$)")
#: Lines that assistants put around what a tool printed.
_ENVELOPE = re.compile(
    r"^(?:Chunk ID: |Wall time: |Original token count: |Total output lines: |Process (?:running|exited) with |"
    r"The file \S+ has been (?:updated|created)).*$",
    re.MULTILINE,
)
_NUMBERED = re.compile(r"^[ \t]*\d+(?:→|\t|:|-)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that may be shown: where it stands (index of the message, place in all that is gathered), the file it
    belongs to, if any, and whether a tool gave it."""

    at: int
    id: str
    text: str
    path: str = ""
    given: bool = False
    place: int = 0


@dataclass(slots=True)
class Material:
    """``lines`` by their text, newest place. ``names``, ``bound`` (to a file) and ``files`` say how likely each is
    needed; ``homes`` is the newest message that has a name."""

    root: str
    places: Places
    terms: Terms = field(default_factory=Terms)
    lines: dict[str, Line] = field(default_factory=dict)
    names: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    homes: dict[str, tuple[int, str]] = field(default_factory=dict)
    bound: dict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    files: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    deeds: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    removed: set[str] = field(default_factory=set)
    place: int = 0


@dataclass(frozen=True, slots=True)
class _Step:
    """A message and what is known of it: its index, what its calls do, and how near it is."""

    at: int
    message: Message
    acts: dict[str, tuple[Action, ...]]
    said: float
    given: float
    done: float


def gathered(messages: Sequence[Message], root: str = "") -> Material:
    """Material of the newest messages; paths are named from the root, or from the folder that all share."""
    steps = list(_steps(messages))
    paths = [action.path for step in steps for acts in step.acts.values() for action in acts if action.path]
    root = root or common_root(paths)
    material, calls = Material(root, Places(root, paths)), dict[str, str]()
    close = _first_close(steps)
    for step in steps:
        closely = step.at >= close
        if closely and step.message.text:
            _hear(material, step)
        for call in step.message.calls:
            calls[call.id] = _do(material, step, call, closely=closely)
        for output in step.message.outputs if closely else ():
            _give(material, step, output, calls.get(output.call_id, ""))
    for text in material.removed:
        material.lines.pop(text, None)
    return material


def _steps(messages: Sequence[Message]) -> Iterator[_Step]:
    for at in range(max(0, len(messages) - _FAR_MESSAGES), len(messages)):
        message, age = messages[at], len(messages) - at
        acts = {call.id: actions(call) for call in message.calls}
        yield _Step(at, message, acts, _near(age, _SAID), _near(age, _GIVEN), _near(age, _DONE))


def _near(age: int, fading: tuple[float, float]) -> float:
    after, power = fading
    return float((1.0 + age / after) ** -power)


def _first_close(steps: Sequence[_Step]) -> int:
    """The oldest message that is read closely."""
    left = _CLOSE_CHARS
    for step in reversed(steps):
        left -= _chars(step)
        if left < 0:
            return step.at + 1
    return 0


def _chars(step: _Step) -> int:
    """How much of a message is read when it is read closely."""
    told = [step.message.text, *("".join(_written(action)) for acts in step.acts.values() for action in acts)]
    printed = sum(min(len(output.text), _MAX_OUTPUT_CHARS) for output in step.message.outputs)
    return printed + sum(min(len(text), _MAX_TOLD_CHARS) for text in told)


# ── what was done ────────────────────────────────────────────────────────────────────────────────────


def _do(material: Material, step: _Step, call: Call, *, closely: bool) -> str:
    """A call: what it writes is said, what it removes is gone; the file it concerns is returned."""
    first = ""
    for action in step.acts[call.id]:
        path = material.places.of(action.path) if _is_file(action) else ""
        first = first or path
        if path:
            material.files[path] += step.done * _likely(action)
            material.deeds[path][_verb(action)] = step.message.id
        _forget(material, action)
        if closely:
            _tell(material, step, action, path, call)
    return first


def _is_file(action: Action) -> bool:
    """A folder that was searched is none, however it is called."""
    known = action.deed.changes_files or action.deed is Deed.READ
    return bool(action.path) and (known or "." in action.path.rsplit("/", 1)[-1])


def _likely(action: Action) -> float:
    return _CHANGED if action.deed.changes_files else _READ if action.deed is Deed.READ else _USED


def _tell(material: Material, step: _Step, action: Action, path: str, call: Call) -> None:
    words = ("\n".join(_written(action)) or "\n".join(_leaves(call.arguments)))[:_MAX_TOLD_CHARS]
    if not path:
        _mention(material, words, step.done * _USED)
    if action.deed is not Deed.READ:
        weight = step.said * _WEIGHTS.get(action.deed, 1.0)
        _say(material, Line(step.at, step.message.id, words, path), weight, step.said)
    if path:
        # Names of what an edit replaced mostly stand in the file still: an edit quotes more than it changes.
        replaced = "\n".join(change.old for change in action.changes)[:_MAX_TOLD_CHARS]
        _bind(material, path, material.terms.names(f"{words}\n{replaced}"), step.said)


def _bind(material: Material, path: str, names: Iterable[str], weight: float) -> None:
    """Names used with a file; the folders on the way to it and its own name are none."""
    way = f"{material.root}/{path}"
    for name in names:
        if name not in way:
            material.bound[path, name] += weight


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
    if action.content and material.removed:
        material.removed.difference_update(_stripped(action.content))


def _stripped(text: str) -> set[str]:
    return {line.strip()[:_MAX_LINE_CHARS] for line in text.splitlines()} - {""}


# ── what was said and printed ────────────────────────────────────────────────────────────────────────


def _hear(material: Material, step: _Step) -> None:
    message, asked = step.message, step.message.role is Role.USER
    weight = step.said * (_ASKED_WEIGHT if asked else 1.0)
    shown = not (asked and request_words(message))
    _say(material, Line(step.at, message.id, message.text[:_MAX_TOLD_CHARS]), weight, step.said, may_show=shown)
    _mention(material, message.text, step.done * _NAMED)


def _give(material: Material, step: _Step, output: Output, path: str) -> None:
    text = _REMINDER.sub("", output.text[:_MAX_NAMED_CHARS])
    plain = _ENVELOPE.sub("", _NUMBERED.sub("", text[:_MAX_OUTPUT_CHARS]))
    weight = step.given * _GIVEN_NAME
    line = Line(step.at, step.message.id, plain, path, given=True)
    names = _say(material, line, step.given * _GIVEN_WEIGHT, weight)
    for name in material.terms.names(text[_MAX_OUTPUT_CHARS:]):
        if name not in names:
            names[name] = None
            material.names[name] += weight
            material.homes[name] = (step.at, step.message.id)
    if path:
        _bind(material, path, names, weight)
    _mention(material, text[:_MAX_OUTPUT_CHARS], step.done * _PRINTED, listing=_LISTING)


def _mention(material: Material, text: str, weight: float, listing: int = 0) -> None:
    """Files by their paths; a tool that lists many says little of each."""
    paths = [path for path in paths_in(text[:_MAX_OUTPUT_CHARS]) if "/" in path]
    if listing and len(paths) > listing:
        weight *= listing / len(paths)
    for path in paths:
        if known := material.places.mentioned(path):
            material.files[known] += weight


def _say(
    material: Material, told: Line, weight: float, name_weight: float, *, may_show: bool = True
) -> dict[str, None]:
    """A text line by line; each word and name counts once for a message, however often it stands in it."""
    terms, grams, names = material.terms, set[int](), dict[str, None]()
    for raw in _lines(told.text):
        term = terms.of(raw)
        grams.update(term.grams)
        names.update(dict.fromkeys(term.names))
        material.place += 1
        if may_show:
            material.lines[raw] = Line(told.at, told.id, raw, told.path, told.given, material.place)
    terms.add(grams, weight)
    for name in names:
        material.names[name] += name_weight
        material.homes[name] = (told.at, told.id)
    return names


def _lines(text: str) -> Iterable[str]:
    for raw in text.split("\n"):
        line = raw.strip()[:_MAX_LINE_CHARS]
        if len(line) >= _MIN_LINE_CHARS:
            yield line
