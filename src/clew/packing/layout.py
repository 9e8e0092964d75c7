"""Chosen pieces, laid out for a reader: by folder and file, with names and lines that belong there, then by message.

Lines stand at the margin, as they were written; what could be taken for one of our own headings is moved in by a blank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from clew.packing.gather import Line, Material
from clew.packing.weigh import Choice

#: A name further from its file's name than this is no longer read as belonging to it, so the file is named again.
_NEAR_CHARS = 300
_SHOWN_CHARS = 60
_HEADING = "@ "
_SEEN = "also seen:"
_OURS = re.compile(r"@ |in \S+/:|also seen:|[mx]\d[\d.]*(?: \(|:)")


@dataclass(slots=True)
class _File:
    names: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.names or self.lines)


@dataclass(slots=True)
class _Said:
    names: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Laid:
    """The two parts of a snapshot that the fit fills: files, and recent work that belongs to no file."""

    files: str
    work: str


def laid_out(choices: Iterable[Choice], material: Material) -> Laid:
    files: dict[str, _File] = {}
    said: dict[tuple[int, str], _Said] = {}
    for choice in choices:
        if choice.path:
            _put(files.setdefault(choice.path, _File()), choice)
        elif choice.line:
            _put(said.setdefault((choice.line.at, choice.line.id), _Said()), choice)
        elif choice.home:
            _put(said.setdefault(choice.home, _Said()), choice)
    return Laid("\n".join(_folders(files, material)), "\n".join(_message(key[1], said[key]) for key in sorted(said)))


def _put(entry: _File | _Said, choice: Choice) -> None:
    if choice.name:
        entry.names.append(choice.name)
    if choice.line:
        entry.lines.append(choice.line)


def _unshown(entry: _File | _Said) -> list[str]:
    """Names that no line of the entry shows: some were chosen before the line that has them."""
    shown = "\n".join(line.text for line in entry.lines)
    return [name for name in entry.names if name not in shown]


# ── files ────────────────────────────────────────────────────────────────────────────────────────────


def _folders(files: Mapping[str, _File], material: Material) -> Iterator[str]:
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
            yield from _block(found, files, material)
        else:
            yield from _block([(path, path) for path, _ in found], files, material)


def _split(path: str) -> tuple[str, str]:
    """The folder above the file's own, and folder and name."""
    parts = path.rsplit("/", 2)
    return (parts[0], "/".join(parts[1:])) if len(parts) == 3 else ("", path)


def _block(found: Sequence[tuple[str, str]], files: Mapping[str, _File], material: Material) -> Iterator[str]:
    for path, tail in found:
        if not files[path].is_empty:
            yield _file(path, tail, files[path], material)
    seen = [tail for path, tail in found if files[path].is_empty]
    if seen:
        yield f"{_SEEN} {' '.join(seen)}"


def _file(path: str, tail: str, entry: _File, material: Material) -> str:
    """A file's path, what was done to it, names used with it, and lines that stand in it now."""
    base = path.rsplit("/", 1)[-1]
    done = _deeds(path, material)
    names = _unshown(entry)
    pieces = [_HEADING + tail + done + (":" if names else "")]
    near = len(done) + len(base)
    for name in names:
        if near + len(name) > _NEAR_CHARS:
            pieces.append(f"\n{base}:")
            near = len(base)
        pieces.append(" " + name)
        near += len(name) + 1
    for line in sorted(entry.lines, key=lambda one: one.place):
        again = near + min(len(line.text), _SHOWN_CHARS) > _NEAR_CHARS
        pieces.append(f"\n{base}: {line.text}" if again else f"\n{_plain(line.text)}")
        near = len(line.text) + (len(base) if again else near)
    return "".join(pieces)


def _deeds(path: str, material: Material) -> str:
    """What was last done to the file, and where; that it was read is not worth telling."""
    done = material.deeds.get(path, {})
    told = [f"{verb} {done[verb]}" for verb in ("written", "edited", "deleted") if verb in done]
    return f" ({', '.join(told)})" if told else ""


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────


def _message(id: str, said: _Said) -> str:
    """The message's id, names that stand in it, and lines of it."""
    names = _unshown(said)
    head = f"{id} ({' '.join(names)})" if names else id
    lines = [line.text for line in sorted(said.lines, key=lambda one: one.place)]
    return "\n".join([f"{head}: {lines[0]}", *map(_plain, lines[1:])]) if lines else head


def _plain(text: str) -> str:
    return f" {text}" if _OURS.match(text) else text
