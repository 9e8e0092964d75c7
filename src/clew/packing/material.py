"""Material for a snapshot: lines, names and files of a history, and how likely each is to be needed again.

A thing is needed the sooner the more messages mention it and the nearer they are; measured on real sessions, that falls
with a power of the number of messages since. Tool output is needed as much as the agent's own words for the next few
steps, and far less later on. Lines that an edit has removed are not candidates.

Only the newest part of a long history is read closely, so the time this takes has a bound.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from clew.domain import Call, Message, Output, Role
from clew.history.user_requests import request_words
from clew.packing.features import FeatureTable
from clew.packing.path_resolver import PathResolver, common_root
from clew.text.names import paths_in
from clew.text.tools.actions import Action, ActionKind
from clew.text.tools.calls import call_actions

#: Messages after which what was said, printed, or done to a file begins to lose weight, and the power by which it does.
_WORDS_FADE, _OUTPUT_FADE, _ACTION_FADE = (20.0, 0.8), (3.0, 1.1), (4.0, 0.6)
#: How likely words are said again, compared to the agent's own: what it put into files (seldom written twice),
#: commands and to-dos (often); what tools printed; what people wrote (it stands among the requests already).
_WEIGHTS = {ActionKind.EDIT: 0.4, ActionKind.WRITE: 0.4, ActionKind.RUN: 2.0, ActionKind.TODO: 2.0}
_OUTPUT_WEIGHT, _REQUEST_WEIGHT = 0.8, 0.3
#: Weight of a name that only tools ever printed, compared to one that the agent or a person used.
_OUTPUT_NAME_WEIGHT = 0.8
#: How likely a file is touched next: changed, read, named in another call, named in words, printed by a tool.
_CHANGED, _READ, _USED, _NAMED, _PRINTED = 1.0, 0.6, 0.3, 0.2, 0.12
#: An output with more paths than this is a listing; each path in it counts for less.
_LISTING = 8
#: Most characters of an output, and of what the agent or a person wrote in one go, that are read line by line.
_MAX_OUTPUT_CHARS, _MAX_WRITTEN_CHARS = 8_000, 40_000
#: Further characters of an output that are searched for names alone.
_MAX_NAMED_CHARS = 20_000
_MAX_LINE_CHARS = 400
_MIN_LINE_CHARS = 8
#: How far back lines and names are collected, and how far back files.
_CLOSE_CHARS = 240_000
_FAR_MESSAGES = 1_000
#: Text that clients add to outputs; it is not the tool's.
_REMINDER = re.compile(r"<system-reminder>[^<]*(?:</system-reminder>|$)")
#: Lines that assistants put around what a tool printed.
_ENVELOPE = re.compile(
    r"^(?:Chunk ID: |Wall time: |Original token count: |Total output lines: |Process (?:running|exited) with |"
    r"The file \S+ has been (?:updated|created)).*$",
    re.MULTILINE,
)
_NUMBERED = re.compile(r"^[ \t]*\d+(?:→|\t|:|-)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """A line that may be shown.

    It has the message it stands in, the file it belongs to, if any, whether a tool printed it, and its position among
    all lines that were collected.
    """

    message_index: int
    message_id: str
    text: str
    path: str = ""
    from_tool: bool = False
    position: int = 0


@dataclass(slots=True)
class SnapshotMaterial:
    """What a snapshot may show.

    ``lines`` are by text, each where it stood last. ``names``, ``bound_names`` (by path and name) and ``files`` say how
    likely each is needed; ``name_messages`` has the newest message with a name, ``deeds`` what was last done to a file
    and in which message, ``removed`` the lines that edits took out.
    """

    root: str
    paths: PathResolver
    features: FeatureTable = field(default_factory=FeatureTable)
    lines: dict[str, CandidateLine] = field(default_factory=dict)
    names: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    name_messages: dict[str, tuple[int, str]] = field(default_factory=dict)
    bound_names: dict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    files: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    deeds: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    removed: set[str] = field(default_factory=set)
    position: int = 0


@dataclass(frozen=True, slots=True)
class _WeightedMessage:
    """A message, its index, what its calls do, and what its age leaves of the weight of words, outputs and actions."""

    index: int
    message: Message
    actions: dict[str, tuple[Action, ...]]
    words_weight: float
    output_weight: float
    action_weight: float


def collect_material(messages: Sequence[Message], root: str = "") -> SnapshotMaterial:
    """Collects the material of the newest messages.
    Paths are named from ``root``, or from the folder that all share.
    """
    entries = list(_weighted_messages(messages))
    paths = [action.path for entry in entries for acts in entry.actions.values() for action in acts if action.path]
    root = root or common_root(paths)
    material, calls = SnapshotMaterial(root, PathResolver(root, paths)), dict[str, str]()
    close = _first_read_closely(entries)
    for entry in entries:
        closely = entry.index >= close
        if closely and entry.message.text:
            _add_message_text(material, entry)
        for call in entry.message.calls:
            calls[call.id] = _add_call(material, entry, call, closely=closely)
        for output in entry.message.outputs if closely else ():
            _add_output(material, entry, output, calls.get(output.call_id, ""))
    for text in material.removed:
        material.lines.pop(text, None)
    return material


def _weighted_messages(messages: Sequence[Message]) -> Iterator[_WeightedMessage]:
    for at in range(max(0, len(messages) - _FAR_MESSAGES), len(messages)):
        message, age = messages[at], len(messages) - at
        acts = {call.id: call_actions(call) for call in message.calls}
        weights = (_nearness(age, fade) for fade in (_WORDS_FADE, _OUTPUT_FADE, _ACTION_FADE))
        yield _WeightedMessage(at, message, acts, *weights)


def _nearness(age: int, fading: tuple[float, float]) -> float:
    after, power = fading
    return float((1.0 + age / after) ** -power)


def _first_read_closely(entries: Sequence[_WeightedMessage]) -> int:
    """The oldest message that is read closely."""
    left = _CLOSE_CHARS
    for entry in reversed(entries):
        left -= _chars_read(entry)
        if left < 0:
            return entry.index + 1
    return 0


def _chars_read(entry: _WeightedMessage) -> int:
    """How much of a message is read when it is read closely."""
    done = [action for acts in entry.actions.values() for action in acts]
    written = [entry.message.text, *("".join(_written_texts(action)) for action in done)]
    printed = sum(min(len(output.text), _MAX_OUTPUT_CHARS) for output in entry.message.outputs)
    return printed + sum(min(len(text), _MAX_WRITTEN_CHARS) for text in written)


# ── what was done ────────────────────────────────────────────────────────────────────────────────────


def _add_call(material: SnapshotMaterial, entry: _WeightedMessage, call: Call, *, closely: bool) -> str:
    """Adds what a call writes and forgets what it removes; the file it concerns is returned."""
    first = ""
    for action in entry.actions[call.id]:
        path = material.paths.resolve(action.path) if _is_file(action) else ""
        first = first or path
        if path:
            material.files[path] += entry.action_weight * _file_weight(action)
            material.deeds[path][_verb(action)] = entry.message.id
        _track_removed_lines(material, action)
        if closely:
            _add_action(material, entry, action, path, call)
    return first


def _is_file(action: Action) -> bool:
    """A folder that was searched is none, however it is called."""
    known = action.kind.changes_files or action.kind is ActionKind.READ
    return bool(action.path) and (known or "." in action.path.rsplit("/", 1)[-1])


def _file_weight(action: Action) -> float:
    return _CHANGED if action.kind.changes_files else _READ if action.kind is ActionKind.READ else _USED


def _add_action(material: SnapshotMaterial, entry: _WeightedMessage, action: Action, path: str, call: Call) -> None:
    words = ("\n".join(_written_texts(action)) or "\n".join(_argument_texts(call.arguments)))[:_MAX_WRITTEN_CHARS]
    if not path:
        _add_mentioned_files(material, words, entry.action_weight * _USED)
    if action.kind is not ActionKind.READ:
        weight = entry.words_weight * _WEIGHTS.get(action.kind, 1.0)
        _add_lines(material, CandidateLine(entry.index, entry.message.id, words, path), weight, entry.words_weight)
    if path:
        # Names of what an edit replaced mostly stand in the file still: an edit quotes more than it changes.
        replaced = "\n".join(change.old for change in action.changes)[:_MAX_WRITTEN_CHARS]
        _bind_names(material, path, material.features.names_in(f"{words}\n{replaced}"), entry.words_weight)


def _bind_names(material: SnapshotMaterial, path: str, names: Iterable[str], weight: float) -> None:
    """Adds names used with a file; the folders on the way to it and its own name are none."""
    way = f"{material.root}/{path}"
    for name in names:
        if name not in way:
            material.bound_names[path, name] += weight


def _verb(action: Action) -> str:
    return {
        ActionKind.WRITE: "written",
        ActionKind.EDIT: "edited",
        ActionKind.DELETE: "deleted",
        ActionKind.READ: "read",
    }.get(action.kind, "used")


def _written_texts(action: Action) -> Iterator[str]:
    yield from (change.new for change in action.changes)
    yield from (text for text in (action.content, action.command, action.pattern) if text)
    yield from (todo.text for todo in action.todos)


def _argument_texts(value: object) -> Iterator[str]:
    """Every text among a call's arguments, for tools that nobody taught us."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _argument_texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _argument_texts(item)


def _track_removed_lines(material: SnapshotMaterial, action: Action) -> None:
    """Lines that an edit takes out of a file are out, until another puts them back."""
    for change in action.changes:
        new = _stripped_lines(change.new)
        material.removed.update(_stripped_lines(change.old) - new)
        material.removed.difference_update(new)
    if action.content and material.removed:
        material.removed.difference_update(_stripped_lines(action.content))


def _stripped_lines(text: str) -> set[str]:
    return {line.strip()[:_MAX_LINE_CHARS] for line in text.splitlines()} - {""}


# ── what was said and printed ────────────────────────────────────────────────────────────────────────


def _add_message_text(material: SnapshotMaterial, entry: _WeightedMessage) -> None:
    message, asked = entry.message, entry.message.role is Role.USER
    weight = entry.words_weight * (_REQUEST_WEIGHT if asked else 1.0)
    shown = not (asked and request_words(message))
    line = CandidateLine(entry.index, message.id, message.text[:_MAX_WRITTEN_CHARS])
    _add_lines(material, line, weight, entry.words_weight, may_show=shown)
    _add_mentioned_files(material, message.text, entry.action_weight * _NAMED)


def _add_output(material: SnapshotMaterial, entry: _WeightedMessage, output: Output, path: str) -> None:
    text = _REMINDER.sub("", output.text[:_MAX_NAMED_CHARS])
    plain = _ENVELOPE.sub("", _NUMBERED.sub("", text[:_MAX_OUTPUT_CHARS]))
    weight = entry.output_weight * _OUTPUT_NAME_WEIGHT
    line = CandidateLine(entry.index, entry.message.id, plain, path, from_tool=True)
    names = _add_lines(material, line, entry.output_weight * _OUTPUT_WEIGHT, weight)
    for name in material.features.names_in(text[_MAX_OUTPUT_CHARS:]):
        if name not in names:
            names[name] = None
            material.names[name] += weight
            material.name_messages[name] = (entry.index, entry.message.id)
    if path:
        _bind_names(material, path, names, weight)
    _add_mentioned_files(material, text[:_MAX_OUTPUT_CHARS], entry.action_weight * _PRINTED, listing=_LISTING)


def _add_mentioned_files(material: SnapshotMaterial, text: str, weight: float, listing: int = 0) -> None:
    """Adds files by their paths; a tool that lists many says little of each."""
    paths = [path for path in paths_in(text[:_MAX_OUTPUT_CHARS]) if "/" in path]
    if listing and len(paths) > listing:
        weight *= listing / len(paths)
    for path in paths:
        if known := material.paths.resolve_mention(path):
            material.files[known] += weight


def _add_lines(
    material: SnapshotMaterial, source: CandidateLine, weight: float, name_weight: float, *, may_show: bool = True
) -> dict[str, None]:
    """Adds a text line by line; each word and name counts once for a message, however often it stands in it."""
    features, grams, names = material.features, set[int](), dict[str, None]()
    for raw in _lines(source.text):
        found = features.features_of(raw)
        grams.update(found.grams)
        names.update(dict.fromkeys(found.names))
        material.position += 1
        if may_show:
            material.lines[raw] = CandidateLine(
                source.message_index, source.message_id, raw, source.path, source.from_tool, material.position
            )
    features.add_weight(grams, weight)
    for name in names:
        material.names[name] += name_weight
        material.name_messages[name] = (source.message_index, source.message_id)
    return names


def _lines(text: str) -> Iterable[str]:
    for raw in text.split("\n"):
        line = raw.strip()[:_MAX_LINE_CHARS]
        if len(line) >= _MIN_LINE_CHARS:
            yield line
