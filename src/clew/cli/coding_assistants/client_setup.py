"""The commands wrap and unwrap: a client's files are changed, after showing how and asking."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson
from clew.cli.output import confirm, note, print_json, say
from clew.cli.servers.serve import PORT
from clew.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.hooks.client_setup.changes import Change

#: The program of each client, as its own installer names it.
_PROGRAMS = {"claude-code": "claude", "gemini-cli": "gemini", "vscode": "code"}
CLIENTS = "claude-code, codex, gemini-cli, cline, cursor, vscode or opencode"
Client = Annotated[str, typer.Argument(metavar="CLIENT", help=f"{CLIENTS}.", show_default=False)]
Yes = Annotated[bool, typer.Option("--yes", help="Write without asking.")]


def client_named(name: str) -> str:
    """Returns the client that is meant by its own name or that of its program."""
    return next((client for client, program in _PROGRAMS.items() if program == name), name)


def wrap(
    client: Client,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Add to a prompt what it refers to (claude-code, codex).")
    ] = False,
    outputs: Annotated[
        bool, typer.Option("--outputs", help="Make long outputs of tools smaller (claude-code).")
    ] = False,
    gateway: Annotated[
        bool, typer.Option("--gateway", help="Send its requests through `clew serve` (claude-code, codex).")
    ] = False,
    address: Annotated[
        str, typer.Option("--address", metavar="URL", help="Where `clew serve` answers, with --gateway.")
    ] = f"http://127.0.0.1:{PORT}",
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Set a client up: the MCP server, and hooks where it has them.

    The change is shown as a diff first. `clew unwrap` puts the files back.
    """
    from clew.hooks.client_setup.client_entries import Options, own_program
    from clew.hooks.client_setup.setup import plan_wrap, write_wrap

    client = client_named(client)
    place = address.rstrip("/").removesuffix("/v1") if gateway else ""
    options = Options(own_program(), prompts=prompts, outputs=outputs, gateway=place)
    changes = plan_wrap(client, options)
    if is_written := _is_agreed(changes, f"{client} is set up already", yes=yes, as_json=as_json):
        _note_missing_server()
        _note_missing_client(client, changes)
    if is_written or not any(change.before != change.after for change in changes):
        write_wrap(client, changes, options)
    if gateway:
        _note_gateway(client, changes, place)
    next_step = "and allow the hooks where it asks (`/hooks`)" if client == "codex" else "so that it reads them"
    _report(client, changes, is_written=is_written, as_json=as_json, next_step=next_step)


def unwrap(client: Client, yes: Yes = False, as_json: AsJson = False) -> None:
    """Take out of a client's files what `clew wrap` put in.

    A file that nobody else has changed is byte for byte as it was; of any other, only our bytes go.
    """
    from clew.hooks.client_setup.client_entries import own_program
    from clew.hooks.client_setup.setup import plan_unwrap, write_unwrap
    from clew.hooks.listener.sockets import dismiss_listeners

    client = client_named(client)
    changes = plan_unwrap(client, own_program())
    is_named = any(change.notes for change in changes)
    otherwise = "nothing was changed" if is_named else f"nothing of Clew is in the files of {client}"
    is_written = _is_agreed(changes, otherwise, yes=yes, as_json=as_json)
    if is_written or not any(change.before != change.after for change in changes):
        write_unwrap(client, changes)
        dismiss_listeners()
    _report(client, changes, is_written=is_written, as_json=as_json, next_step="so that it runs without Clew")


def _is_agreed(changes: Sequence[Change], otherwise: str, *, yes: bool, as_json: bool) -> bool:
    """Shows the changes, if any, and asks. Raises UsageError where there is nobody to ask."""
    real = [change for change in changes if change.before != change.after]
    if not as_json:
        for change in changes:
            for line in (change.diff.rstrip("\n"), *change.notes):
                if line:
                    say(line)
        if not real:
            say(otherwise)
    if not real or yes:
        return bool(real)
    if as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("nothing was changed: there is no terminal to ask at; --yes writes without asking")
    return confirm(f"write {'these files' if len(real) > 1 else str(real[0].path)}?")


def _report(client: str, changes: Sequence[Change], *, is_written: bool, as_json: bool, next_step: str) -> None:
    real = [change for change in changes if change.before != change.after]
    if as_json:
        about: list[dict[str, Any]] = [
            {"path": str(change.path), "diff": change.diff, "notes": list(change.notes)}
            for change in changes
            if change in real or change.notes
        ]
        print_json({"client": client, "written": is_written, "files": about})
    elif real:
        say(f"written; start the client anew, {next_step}" if is_written else "nothing was changed")


def _note_gateway(client: str, changes: Sequence[Change], address: str) -> None:
    """Says what has to run, and what of the user's stands in the way."""
    from urllib.parse import urlsplit

    from clew.hooks.client_setup.client_entries import ANTHROPIC_BASE, CODEX_PROVIDER, WITH_GATEWAY
    from clew.hooks.client_setup.gateway_address import answers, users_upstream

    upstream, port = users_upstream(client, changes), urlsplit(address).port
    upstream = "" if upstream.rstrip("/").removesuffix("/v1") == address else upstream
    start = "clew serve" + (f" --port {port}" if port not in (None, PORT) else "")
    start += f" --upstream {WITH_GATEWAY[client]}={upstream}" if upstream else ""
    if upstream and {f"env.{ANTHROPIC_BASE}", CODEX_PROVIDER} & set(changes[0].kept):
        note(f"clew: {client} still sends its requests to {upstream}, which is yours; to send them through Clew,")
        note(f"start `{start}` and put {address} in its place")
    elif answers(address):
        note(f"clew: a server answers at {address}; it has to run whenever {client} does")
    else:
        note(f"clew: no server answers at {address}, and without one {client} reaches no model; start it: {start}")


def _note_missing_server() -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        note("clew: the MCP server needs one more package; install it with: pip install 'clew[mcp]'")


def _note_missing_client(client: str, changes: Sequence[Change]) -> None:
    from shutil import which

    program = _PROGRAMS.get(client, client)
    if all(change.before is None for change in changes) and which(program) is None:
        note(f"clew: {client} had no settings here, and no program {program} is on PATH: is it installed?")
