"""Changes to a client's files, as they would be written: with entries of ours put in, or taken out. Nothing is written
here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from clew.errors import UsageError
from clew.hooks.client_setup import json_text, toml_text
from clew.hooks.client_setup.client_entries import FileEntries
from clew.hooks.client_setup.files import decoded, digest, read_settings
from clew.hooks.client_setup.jsonc import parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file before and after; None is for a file that is not there. ``clean`` is the file without anything of ours.

    ``pieces`` are the texts that were put in, ``created`` the objects made for them, ``notes`` what the user keeps.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    clean: bytes | None = None
    pieces: tuple[str, ...] = ()
    created: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def diff(self) -> str:
        """The change as people read it."""
        old, new = ((data or b"").decode("utf-8").splitlines(keepends=True) for data in (self.before, self.after))
        names = [str(self.path) if data is not None else "/dev/null" for data in (self.before, self.after)]
        lines = unified_diff(old, new, fromfile=names[0], tofile=names[1])
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def addition(file: FileEntries, current: bytes | None) -> Change:
    """Returns the change that puts entries into a file that has these bytes now.

    Raises UsageError for a file that is broken, or has other entries under our name.
    """
    text = decoded(current or b"", file.path)
    try:
        wanted, notes = _without_optional(file, text)
        created = [] if file.is_toml else json_text.created_paths(text, wanted.entries)
        after, pieces = _with(wanted, text)
        _ensure_all_in(wanted, after)
    except ValueError as error:
        raise UsageError(f"{file.path}: {error}; nothing was changed, mend it and try again") from None
    return Change(
        path=file.path,
        before=current,
        after=current if after == text else after.encode("utf-8"),
        pieces=tuple(pieces),
        created=tuple(map(tuple, created)),
        notes=tuple(notes),
    )


def _with(file: FileEntries, text: str) -> tuple[str, list[str]]:
    if not file.is_toml:
        return json_text.with_entries(text, file.entries)
    data = toml_text.parsed(text)
    tables = {name: table for name, table in file.tables.items() if toml_text.value_at(data, name) is None}
    settings = {name: value for name, value in file.settings.items() if name not in data}
    return toml_text.with_tables(text, settings=settings, tables=tables)


def _value(file: FileEntries, text: str) -> Any:
    if file.is_toml:
        return toml_text.parsed(text)
    return parse(text).value if text.strip("\ufeff \t\r\n") else {}


def _without_optional(file: FileEntries, text: str) -> tuple[FileEntries, list[str]]:
    """Without what the user has set himself, and the lines that say so."""
    found = _value(file, text)
    if not isinstance(found, dict):
        raise ValueError("it is no JSON object")
    ours = file.entries | file.settings
    kept = {name for name in file.optional if name in found and not json_text.is_ours(found[name], ours[name])}
    left = FileEntries(
        path=file.path,
        entries={name: value for name, value in file.entries.items() if name not in kept},
        settings={name: value for name, value in file.settings.items() if name not in kept},
        tables=file.tables,
    )
    return left, [f"{name} in {file.path} stays as you have set it" for name in sorted(kept)]


def _ensure_all_in(file: FileEntries, text: str) -> None:
    """Nothing of ours may be missing, as it is where the user has something else under that name."""
    found = _value(file, text)
    wanted = file.entries | file.settings
    for path, value in json_text.leaves(wanted):
        if not json_text.holds(found, path, value):
            raise ValueError(f"it has something else under {'.'.join(filter(None, path))}, which Clew needs")
    for name, table in file.tables.items():
        if not json_text.is_ours(toml_text.value_at(found, name), table):
            raise ValueError(f"it has something else under [{name}], which Clew needs")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFile:
    """What is remembered of a file that was written: what it takes to put it back."""

    path: str
    existed: bool
    written: str
    backup: str = ""
    pieces: Sequence[str] = ()
    created: Sequence[Sequence[str]] = ()
    folders: Sequence[str] = ()


def removal(file: FileEntries, known: WrittenFile | None) -> Change:
    """Returns the change that takes our entries out of a file as it is now.

    A file that nobody else has touched becomes what it was. Raises UsageError for one that is broken.
    """
    current = read_settings(file.path)
    if current is None:
        return Change(path=file.path, before=None, after=None)
    if known and digest(current) == known.written:
        return Change(path=file.path, before=current, after=original(known))
    text = decoded(current, file.path)
    try:
        left = _without(file, text, known)
    except ValueError as error:
        raise UsageError(f"{file.path}: {error}; nothing was changed, mend it and try again") from None
    is_gone = known is not None and not known.existed and left.strip("\ufeff \t\r\n{}") == ""
    return Change(path=file.path, before=current, after=None if is_gone else left.encode("utf-8"))


def original(known: WrittenFile) -> bytes | None:
    """Returns the bytes that a file had before; None if it was not there. Raises UsageError if the backup is gone."""
    if not known.existed:
        return None
    try:
        return Path(known.backup).read_bytes()
    except OSError as error:
        raise UsageError(f"the backup {known.backup} cannot be read ({error.strerror}); nothing was changed") from None


def _without(file: FileEntries, text: str, known: WrittenFile | None) -> str:
    """The text without our very bytes, or, where they were rewritten, without what they say."""
    _value(file, text)
    pieces = list(known.pieces) if known else []
    left = text
    for piece in pieces:
        left = left.replace(piece, "", 1) if left.count(piece) == 1 else left
    expected = _cut(file, text, known)
    try:
        if pieces and _value(file, left) == _value(file, expected):
            return left
    except ValueError:  # a comma of ours has become one of theirs
        pass
    return expected


def _cut(file: FileEntries, text: str, known: WrittenFile | None) -> str:
    if file.is_toml:
        return toml_text.without_tables(text, settings=file.settings, tables=file.tables)
    return json_text.without_entries(text, file.entries, known.created if known else ())
