"""Layout of chosen pieces: by folder and file with the names and lines that belong there, then by message.

Lines stand at the margin, as they were written; one that could be taken for a heading is indented by a blank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from clew.packing.material import CandidateLine, SnapshotMaterial
from clew.packing.piece_scores import PieceContent

#: Beyond this distance a name is no longer read as belonging to its file, so the file is named again.
_NEAR_CHARS = 300
_SHOWN_CHARS = 60
_HEADING = "@ "
_ALSO_SEEN = "also seen:"
_LIKE_HEADING = re.compile(r"@ |in \S+/:|also seen:|[mx]\d[\d.]*(?: \(|:)")


@dataclass(slots=True)
class _FileEntry:
    names: list[str] = field(default_factory=list)
    lines: list[CandidateLine] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.names or self.lines)


@dataclass(slots=True)
class _MessageEntry:
    names: list[str] = field(default_factory=list)
    lines: list[CandidateLine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Layout:
    """The two texts that chosen pieces fill: files, and recent work that belongs to no file."""

    files: str
    work: str


def render_layout(contents: Iterable[PieceContent], material: SnapshotMaterial) -> Layout:
    """Renders files by folder and messages in order, each with the names and lines that were chosen of it."""
    files: dict[str, _FileEntry] = {}
    messages: dict[tuple[int, str], _MessageEntry] = {}
    for content in contents:
        if content.path:
            _add(files.setdefault(content.path, _FileEntry()), content)
        elif content.line:
            _add(messages.setdefault((content.line.message_index, content.line.message_id), _MessageEntry()), content)
        elif content.message:
            _add(messages.setdefault(content.message, _MessageEntry()), content)
    work = (_render_message(key[1], messages[key]) for key in sorted(messages))
    return Layout("\n".join(_render_folders(files, material)), "\n".join(work))


def _add(entry: _FileEntry | _MessageEntry, content: PieceContent) -> None:
    if content.name:
        entry.names.append(content.name)
    if content.line:
        entry.lines.append(content.line)


def _names_not_shown(entry: _FileEntry | _MessageEntry) -> list[str]:
    """Names that no line of the entry shows: some were chosen before the line that has them."""
    shown = "\n".join(line.text for line in entry.lines)
    return [name for name in entry.names if name not in shown]


# ── files ────────────────────────────────────────────────────────────────────────────────────────────


def _render_folders(files: Mapping[str, _FileEntry], material: SnapshotMaterial) -> Iterator[str]:
    """Files by the folder above their own, so that folder and name stay together; the likeliest first."""
    above: dict[str, list[tuple[str, str]]] = {}
    order = sorted(files, key=lambda path: (-material.files.get(path, 0.0), path))
    shared = Counter(_split(path)[0] for path in order)
    for path in order:
        folder, tail = _split(path)
        above.setdefault(folder if shared[folder] > 1 else "", []).append((path, tail))
    for folder, found in above.items():
        if folder:
            yield f"in {folder}/:"
            yield from _render_files(found, files, material)
        else:
            yield from _render_files([(path, path) for path, _ in found], files, material)


def _split(path: str) -> tuple[str, str]:
    """The folder above the file's own, and folder and name."""
    parts = path.rsplit("/", 2)
    return (parts[0], "/".join(parts[1:])) if len(parts) == 3 else ("", path)


def _render_files(
    found: Sequence[tuple[str, str]], files: Mapping[str, _FileEntry], material: SnapshotMaterial
) -> Iterator[str]:
    for path, tail in found:
        if not files[path].is_empty:
            yield _render_file(path, tail, files[path], material)
    seen = [tail for path, tail in found if files[path].is_empty]
    if seen:
        yield f"{_ALSO_SEEN} {' '.join(seen)}"


def _render_file(path: str, tail: str, entry: _FileEntry, material: SnapshotMaterial) -> str:
    """A file's path, what was done to it, names used with it, and lines that stand in it now."""
    base = path.rsplit("/", 1)[-1]
    done = _render_deeds(path, material)
    names = _names_not_shown(entry)
    pieces = [_HEADING + tail + done + (":" if names else "")]
    near = len(done) + len(base)
    for name in names:
        if near + len(name) > _NEAR_CHARS:
            pieces.append(f"\n{base}:")
            near = len(base)
        pieces.append(" " + name)
        near += len(name) + 1
    for line in sorted(entry.lines, key=lambda one: one.position):
        again = near + min(len(line.text), _SHOWN_CHARS) > _NEAR_CHARS
        pieces.append(f"\n{base}: {line.text}" if again else f"\n{_no_heading(line.text)}")
        near = len(line.text) + (len(base) if again else near)
    return "".join(pieces)


def _render_deeds(path: str, material: SnapshotMaterial) -> str:
    """What was last done to the file, and where; that it was read is not worth telling."""
    done = material.deeds.get(path, {})
    told = [f"{verb} {done[verb]}" for verb in ("written", "edited", "deleted") if verb in done]
    return f" ({', '.join(told)})" if told else ""


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────


def _render_message(id: str, entry: _MessageEntry) -> str:
    """The message's id, names that stand in it, and lines of it."""
    names = _names_not_shown(entry)
    head = f"{id} ({' '.join(names)})" if names else id
    lines = [line.text for line in sorted(entry.lines, key=lambda one: one.position)]
    return "\n".join([f"{head}: {lines[0]}", *map(_no_heading, lines[1:])]) if lines else head


def _no_heading(text: str) -> str:
    """The line, moved in by a blank if it reads like a heading of ours."""
    return f" {text}" if _LIKE_HEADING.match(text) else text
