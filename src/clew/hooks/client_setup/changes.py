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
from clew.hooks.client_setup.files import decode_utf8, digest, read_settings
from clew.hooks.client_setup.jsonc import parse
from clew.hooks.client_setup.own_entries import is_ours, mentions

#: What stands under a name that Clew needs, and does not start Clew.
_NEEDED = ", which Clew needs and which does not start it: give that another name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file before and after; None is for a file that is not there. ``clean`` is the file without anything of ours.

    ``pieces`` are the texts that were put in, ``created`` the objects made for them, ``kept`` names entries that
    are the user's own, and ``notes`` says what stays.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    clean: bytes | None = None
    pieces: tuple[str, ...] = ()
    created: tuple[tuple[str, ...], ...] = ()
    kept: tuple[str, ...] = ()
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
    text = decode_utf8(current or b"", file.path)
    try:
        notes = _notes_on_kept(file, text)
        wanted = file.without_names(notes)
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
        kept=tuple(notes),
        notes=tuple(notes.values()),
    )


def _with(file: FileEntries, text: str) -> tuple[str, list[str]]:
    if not file.is_toml:
        return json_text.with_entries(text, file.entries)
    data = toml_text.parse(text)
    tables = {name: table for name, table in file.tables.items() if toml_text.value_at(data, name) is None}
    settings = {name: value for name, value in file.settings.items() if name not in data}
    return toml_text.with_tables(text, settings=settings, tables=tables)


def _value(file: FileEntries, text: str) -> Any:
    if file.is_toml:
        return toml_text.parse(text)
    return parse(text).value if text.strip("\ufeff \t\r\n") else {}


def _notes_on_kept(file: FileEntries, text: str) -> dict[str, str]:
    """Names of what the user has set himself, each with the line that says that it stays."""
    present = _value(file, text)
    if not isinstance(present, dict):
        raise ValueError("it is no JSON object")
    wanted = file.entries | file.settings
    own = {
        name: value
        for name in sorted(file.optional)
        if (value := toml_text.value_at(present, name)) is not None and toml_text.value_at(wanted, name) is not None
    }
    notes = {
        name: f"{name} in {file.path} stays as you have set it"
        + ("" if is_ours(value, toml_text.value_at(wanted, name)) else ", so that of Clew is not set")
        for name, value in own.items()
    }
    for name in file.servers:
        if is_ours(toml_text.value_at(present, name), _entry(file, name)):
            notes[name] = f"{name} in {file.path} starts Clew already, and stays as it is"
    return notes


def _entry(file: FileEntries, name: str) -> Any:
    """What we would put in under a dotted name."""
    return file.tables[name] if name in file.tables else toml_text.value_at(file.entries, name)


def _ensure_all_in(file: FileEntries, text: str) -> None:
    """Nothing of ours may be missing, as it is where the user has something else under that name."""
    present = _value(file, text)
    wanted = file.entries | file.settings
    for path, value in json_text.leaves(wanted):
        if not json_text.holds(present, path, value):
            raise ValueError(f"it has something else under {'.'.join(filter(None, path))}{_NEEDED}")
    for name, table in file.tables.items():
        if not is_ours(toml_text.value_at(present, name), table):
            raise ValueError(f"it has something else under [{name}]{_NEEDED}")


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
    kept: Sequence[str] = ()


def removal(file: FileEntries, known: WrittenFile | None, *, is_recorded: bool = True) -> Change:
    """Returns the change that takes our entries out of a file as it is now, with a line on each that stays.

    A file that nobody else has touched becomes what it was. ``is_recorded`` says that there is a record of what was
    written for the client: then a server in a file that is not in it is the user's own; without one, what is as we
    would write it is ours. Raises UsageError for a file that is broken.
    """
    current = read_settings(file.path)
    if current is None:
        return Change(path=file.path, before=None, after=None)
    after = (
        original(known)
        if known and digest(current) == known.written
        else _remaining_content(file, current, known, is_recorded)
    )
    return Change(path=file.path, before=current, after=after, notes=_notes_on_left(file, after))


def _remaining_content(file: FileEntries, current: bytes, known: WrittenFile | None, is_recorded: bool) -> bytes | None:
    text = decode_utf8(current, file.path)
    try:
        kept = known.kept if known else _not_written(file, text, is_recorded)
        left = _without_entries(file.without_names(kept), text, known)
    except ValueError as error:
        raise UsageError(f"{file.path}: {error}; nothing was changed, mend it and try again") from None
    is_gone = known is not None and not known.existed and left.strip("\ufeff \t\r\n{}") == ""
    return None if is_gone else left.encode("utf-8")


def _not_written(file: FileEntries, text: str, is_recorded: bool) -> list[str]:
    """Servers in a file of which nothing is recorded that `clew wrap` has not put in."""
    present = _value(file, text)
    return [name for name in file.servers if is_recorded or toml_text.value_at(present, name) != _entry(file, name)]


def _notes_on_left(file: FileEntries, after: bytes | None) -> tuple[str, ...]:
    """What still starts Clew, and who put it there."""
    text = decode_utf8(after or b"", file.path)
    present = _value(file, text)
    servers = [name for name in file.servers if is_ours(toml_text.value_at(present, name), _entry(file, name))]
    notes = [f"{name} in {file.path} stays: `clew wrap` did not put it in" for name in servers]
    lines = [f"{file.path}, line {no} still starts Clew; take it out by hand: {line}" for no, line in mentions(text)]
    return (*notes, *lines)


def original(known: WrittenFile) -> bytes | None:
    """Returns the bytes that a file had before; None if it was not there. Raises UsageError if the backup is gone."""
    if not known.existed:
        return None
    try:
        return Path(known.backup).read_bytes()
    except OSError as error:
        raise UsageError(f"the backup {known.backup} cannot be read ({error.strerror}); nothing was changed") from None


def _without_entries(file: FileEntries, text: str, known: WrittenFile | None) -> str:
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
