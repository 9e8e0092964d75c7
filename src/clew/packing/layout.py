"""Chosen pieces, laid out for a reader: by file, with the names and lines that belong to it, then by message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from clew.packing.gather import Line, Material
from clew.packing.weigh import Choice

#: A name further from its file's name than this is no longer read as belonging to it, so the file is named again.
_NEAR_CHARS = 180
_INDENT = "  "


@dataclass(slots=True)
class _File:
    names: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Laid:
    """The two parts of a snapshot that the fit fills: files, and recent work that belongs to no file."""

    files: str
    work: str


def laid_out(choices: Iterable[Choice], material: Material) -> Laid:
    files: dict[str, _File] = {}
    loose: list[Line] = []
    for choice in choices:
        if choice.path:
            entry = files.setdefault(choice.path, _File())
            if choice.name:
                entry.names.append(choice.name)
            if choice.line:
                entry.lines.append(choice.line)
        elif choice.line:
            loose.append(choice.line)
    order = sorted(files, key=lambda path: (-material.files.get(path, 0.0), path))
    full = [_file(path, files[path], material) for path in order if files[path].names or files[path].lines]
    seen = [path for path in order if not (files[path].names or files[path].lines)]
    return Laid("\n".join([*full, *_seen(seen)]), "\n".join(_work(loose)))


def _seen(paths: Sequence[str]) -> Iterator[str]:
    """Files that were only mentioned or looked at, by the folder above their own: folder and name stay together."""
    if not paths:
        return
    yield "also seen:"
    above: dict[str, list[str]] = {}
    for path in paths:
        parts = path.rsplit("/", 2)
        folder, tail = (parts[0], "/".join(parts[1:])) if len(parts) == 3 else ("", path)
        above.setdefault(folder, []).append(tail)
    for folder, tails in above.items():
        yield f"{_INDENT}{folder + '/: ' if folder else ''}{' '.join(tails)}"


def _file(path: str, entry: _File, material: Material) -> str:
    """A file's path, what was done to it, names used with it, and lines that stand in it now."""
    base = path.rsplit("/", 1)[-1]
    text = f"{path}{_deeds(path, material)}"
    near = len(text) - len(path) + len(base)
    pieces = [text + (":" if entry.names else "")]
    for name in entry.names:
        if near + len(name) > _NEAR_CHARS:
            pieces.append(f"\n{_INDENT}{base}:")
            near = len(base)
        pieces.append(" " + name)
        near += len(name) + 1
    for line in sorted(entry.lines, key=lambda one: one.at):
        again = near + min(len(line.text), 60) > _NEAR_CHARS
        pieces.append(f"\n{_INDENT}{base + ': ' if again else ''}{line.text}")
        near = len(line.text) + (len(base) if again else near)
    return "".join(pieces)


def _deeds(path: str, material: Material) -> str:
    """What was last done to the file, and where; that it was read is told only of what was never changed."""
    done = material.deeds.get(path, {})
    told = [f"{verb} {done[verb][-1]}" for verb in ("written", "edited", "deleted") if verb in done]
    return f" ({', '.join(told)})" if told else ""


def _work(lines: Sequence[Line]) -> Iterator[str]:
    """Lines by message; the id stands before the first of each."""
    before = ""
    for line in sorted(lines, key=lambda one: one.at):
        yield f"{line.id}: {line.text}" if line.id != before else f"{_INDENT}{line.text}"
        before = line.id
