"""Wraps a client and unwraps it: all changes are planned first, then written, with backups and a record of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from clew.environment import data_folder
from clew.errors import UsageError
from clew.hooks.client_setup.changes import Change, WrittenFile, addition, removal
from clew.hooks.client_setup.client_entries import CLIENTS, FileEntries, Options, entries_of
from clew.hooks.client_setup.files import digest, make_folder, read_settings, remove_folders, write_settings


@dataclass(frozen=True, slots=True)
class _Record:
    """What was written for a client: with which options, into which files."""

    options: Options
    files: dict[str, WrittenFile] = field(default_factory=dict)


def plan_wrap(client: str, options: Options) -> list[Change]:
    """Returns what would be changed to set a client up; of a client that is set up already, what is new.

    Raises UsageError for an unknown client, or a file that cannot be edited; nothing is written.
    """
    known = _load_record(client, options)
    olds = _files(client, known)
    changes = []
    for file in entries_of(client, options):
        current, written = read_settings(file.path), known.files.get(str(file.path))
        clean = removal(olds[str(file.path)], written).after if written else current
        changes.append(replace(addition(file, clean), before=current, clean=clean))
    return changes


def write_wrap(client: str, changes: Sequence[Change], options: Options) -> None:
    """Writes the changes of ``plan_wrap``, and what it takes to undo them: also which entries are the user's own."""
    known = _load_record(client, options)
    files, folder = dict(known.files), _folder() / client
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number, change in enumerate(changes):
        if change.after is None or change.after == change.before:
            if change.kept and str(change.path) not in files:
                files[str(change.path)] = WrittenFile(path=str(change.path), existed=True, written="", kept=change.kept)
                _record(client, _Record(options, files))
            continue
        old, backup = files.get(str(change.path)), folder / f"{number}-{change.path.name}.backup"
        if change.clean is not None:
            backup.write_bytes(change.clean)
            backup.chmod(0o600)
        files[str(change.path)] = WrittenFile(
            path=str(change.path),
            existed=change.clean is not None,
            written=digest(change.after),
            backup=str(backup) if change.clean is not None else "",
            pieces=change.pieces,
            created=change.created,
            folders=(*make_folder(change.path.parent), *(old.folders if old else ())),
            kept=change.kept,
        )
        _record(client, _Record(options, files))  # first, so that whatever happens next can be undone
        write_settings(change.path, change.after, expected=change.before)


def plan_unwrap(client: str, program: str = "clew") -> list[Change]:
    """Returns what would be changed to take a client's entries out again; nothing for one that has none.

    ``program`` is how our entries start Clew, where nothing is recorded of them.
    """
    known = _load_record(client, Options(program, prompts=True, outputs=True))
    changes = [
        removal(file, known.files.get(path), is_recorded=bool(known.files))
        for path, file in _files(client, known).items()
    ]
    return [
        change for change in changes if change.before != change.after or change.notes or str(change.path) in known.files
    ]


def write_unwrap(client: str, changes: Sequence[Change]) -> None:
    """Writes the changes of ``plan_unwrap``, and forgets what was recorded."""
    known = _load_record(client, Options(""))
    for change in changes:
        if change.after is None and change.before is not None:
            change.path.unlink()
        elif change.after is not None and change.after != change.before:
            write_settings(change.path, change.after, expected=change.before)
    for written in known.files.values():
        remove_folders(list(written.folders))
    folder = _folder() / client
    for path in folder.glob("*.backup"):
        path.unlink()
    (_folder() / f"{client}.json").unlink(missing_ok=True)
    remove_folders([str(folder), str(_folder())])


def wrapped_clients() -> list[str]:
    """Returns the clients that are set up, by the record of what was written."""
    return [client for client in CLIENTS if (_folder() / f"{client}.json").is_file()]


# ── the record of what was written ───────────────────────────────────────────────────────────────────


def _folder() -> Path:
    return data_folder() / "wrapped"


def _files(client: str, known: _Record) -> dict[str, FileEntries]:
    """What was put into each file; a file may have been elsewhere, when a variable named another folder."""
    files = {str(file.path): file for file in entries_of(client, known.options)}
    for path in known.files.keys() - files.keys():
        like = next((file for file in files.values() if file.path.name == Path(path).name), None)
        files |= {path: replace(like, path=Path(path))} if like is not None else {}
    return files


def _load_record(client: str, otherwise: Options) -> _Record:
    """Returns the record of a client; an empty one with those options where there is none."""
    if client not in CLIENTS:
        raise UsageError(f"no client {client!r}; there are {', '.join(CLIENTS)}")
    path = _folder() / f"{client}.json"
    try:
        data = json.loads(path.read_text("utf-8"))
        files = {name: WrittenFile(**about) for name, about in data["files"].items()}
        return _Record(Options(**data["options"]), files)
    except FileNotFoundError:
        return _Record(otherwise)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UsageError(f"{path} is damaged; move it away, and what Clew wrote is found by what it says") from None


def _record(client: str, known: _Record) -> None:
    path = _folder() / f"{client}.json"
    about = {"files": {name: asdict(file) for name, file in known.files.items()}, "options": asdict(known.options)}
    path.write_text(json.dumps(about, indent=2, ensure_ascii=False), "utf-8")
    path.chmod(0o600)
