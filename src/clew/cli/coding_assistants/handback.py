"""The command handback: what a client needs to go on with a session without Clew."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.coding_assistants.client_setup import CLIENTS, client_named
from clew.cli.options import AsJson, FileFormat, Source, StoreUrl
from clew.cli.output import note, print_json, say
from clew.cli.sources import AUTO, is_file, session_of, split_source
from clew.errors import StorageError, UsageError

if TYPE_CHECKING:
    from clew.assistants.resumable import ResumableAssistant, SessionFile
    from clew.engine.session import Session


def handback(
    source: Source,
    to: Annotated[str, typer.Option("--to", metavar="CLIENT", help=f"{CLIENTS}.", show_default=False)],
    write: Annotated[
        bool, typer.Option("--write", help="Write a session file into the client's folder (claude-code, codex).")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the session file here instead.")
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Every message in the session file; else compacted.")] = False,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="N", help="Tokens of the prompt, or of the compacted session."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Where the client goes on; default: the session's own folder."),
    ] = None,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Hand a session back to a client, to go on without Clew.

    Prints a prompt to begin with. With --write or --out it is a session file that the client itself opens, and the
    command to type; no file that is there is replaced. Secrets stay as they are, as the work needs them.
    """
    from clew.compaction.presets import target_tokens

    to = client_named(to)
    _check(to, write=write, out=out, whole=whole, budget=budget)
    _check_folder(folder)
    with session_of(source, store, format=format) as session:
        if not whole and is_file(split_source(source)[0]):
            note("clew: what is shortened can be read by its id once the file is stored; `clew import` does that")
        if write or out:
            usual = target_tokens(session.config.compaction, session.limit())
            size = None if whole else usual if budget is None else budget
            _hand_file(session, to, out, folder=folder, budget=size, as_json=as_json)
        else:
            _hand_prompt(session, to, budget, as_json=as_json)


def _check(to: str, *, write: bool, out: Path | None, whole: bool, budget: int | None) -> None:
    """Raises UsageError for options that exclude one another, or an unknown client."""
    from clew.assistants.clients import resumable
    from clew.hooks.client_setup.client_entries import CLIENTS as KNOWN

    if write and out:
        raise UsageError("--write knows the place and --out names one; give one of them")
    if whole and budget is not None:
        raise UsageError("--whole keeps every message, so that there is no --budget; give one of them")
    if whole and not (write or out):
        raise UsageError("--whole is of a session file; add --write, or --out FILE")
    if write or out:
        resumable(to)
    elif to not in KNOWN:
        raise UsageError(f"no client {to!r}; there are {', '.join(KNOWN)}")


def _check_folder(folder: Path | None) -> None:
    if folder and not folder.is_dir():
        raise UsageError(f"no folder {folder}; --folder names where the client goes on")


def _hand_prompt(session: Session, to: str, budget: int | None, *, as_json: bool) -> None:
    from clew.engine.session import RESUME_TOKENS

    pack = session.pack(None, budget=RESUME_TOKENS if budget is None else budget, target="text", record=False)
    text = f"Go on with session {session.id}. What follows is its record, as Clew keeps it.\n\n{pack.text}"
    if as_json:
        print_json(
            {"session": session.id, "to": to, "tokens": session.reader.count(text), "prompt": text}, unmasked=True
        )
    else:
        sys.stdout.write(text + "\n")


def _hand_file(
    session: Session, to: str, out: Path | None, *, folder: Path | None, budget: int | None, as_json: bool
) -> None:
    from clew.assistants.clients import resumable
    from clew.assistants.session_file import session_file
    from clew.cli.session_export import note_losses, working_folder

    client = resumable(to)
    file = session_file(session, to, folder=folder.resolve() if folder else working_folder(session), budget=budget)
    place, command = out or client.place(file), _command(client, file)
    is_new = _write(file, place, command)
    if as_json:
        print_json(_report(session, file, place, command))
        return
    note_losses(file.losses)
    done = f"wrote {place}" if is_new else f"{place} is there already, as it would be written"
    if out:
        say(f"{done}; {client.title} looks for it at {client.place(file)}")
    else:
        say(done)
    say(f"go on with: {command}")


def _command(client: ResumableAssistant, file: SessionFile) -> str:
    """What to type: in the folder that the session belongs to."""
    command = client.resume_command(file.id)
    return command if file.folder == Path.cwd() else f"cd {quote(str(file.folder))} && {command}"


def _write(file: SessionFile, place: Path, command: str) -> bool:
    """Writes the file, and returns False where it is there already. Raises UsageError when another is in its place."""
    from clew.cli.file_output import write_file

    content = b"".join(file.encode())
    if os.path.lexists(place):
        if place.is_file() and place.read_bytes() == content:
            return False
        raise UsageError(
            f"{place} is there and says something else: it is not replaced; go on with `{command}` if it is this"
            " session, or name another place with --out"
        )
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make {place.parent}: {error.strerror}; name another place with --out") from None
    write_file(place, [content])
    return True


def _report(session: Session, file: SessionFile, place: Path, command: str) -> dict[str, Any]:
    return {
        "session": session.id,
        "to": file.client,
        "id": file.id,
        "out": str(place),
        "command": command,
        "repairs": [asdict(repair) for repair in file.repairs],
        "losses": [asdict(loss) for loss in file.losses],
    }
