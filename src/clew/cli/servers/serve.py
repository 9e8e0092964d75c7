"""The command serve: Clew over HTTP."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from clew.cli.options import AsJson, StoreUrl
from clew.cli.output import note, print_json, say
from clew.cli.sources import open_engine

if TYPE_CHECKING:
    from clew.engine.engine import Engine

PORT = 7717


def serve(
    host: Annotated[
        str,
        typer.Option("--host", metavar="ADDRESS", help="Where to answer; beyond this machine, by token only."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", help="The port; 0 takes any that is free.")] = PORT,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="HOST", help="A further name by which it is reached; may be given again."),
    ] = None,
    upstream: Annotated[
        list[str] | None,
        typer.Option(
            "--upstream",
            metavar="API=URL",
            help="Where requests of anthropic or openai go; may be given again.",
        ),
    ] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Load the bundled session if the store is empty.")] = False,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Serve Clew over HTTP, until it is interrupted: the gateway at /v1, MCP at /mcp.

    It answers on this machine only, unless --host says otherwise.
    """
    from clew.cli.servers.extras import ensure_extra

    ensure_extra("mcp,server", module="mcp")
    ensure_extra("mcp,server", module="uvicorn")
    from clew.server import serve as server

    with open_engine(store, for_long=True) as engine:
        if sample:
            _load_sample(engine, as_json=as_json)
        engine.read_all()
        server.serve(
            engine,
            host=host,
            port=port,
            names=tuple(name or ()),
            upstreams=tuple(upstream or ()),
            announce=lambda address: _announce(address, as_json=as_json),
        )


def _announce(address: str, *, as_json: bool) -> None:
    """Says where it answers at once, also to whoever reads it through a pipe."""
    if as_json:
        print_json({"address": address, "mcp": f"{address}/mcp"})
    else:
        say(f"Clew answers at {address} (open it to look at your sessions; MCP at {address}/mcp); ctrl-c ends it")
        say(f"to send a client through it: ANTHROPIC_BASE_URL={address} or OPENAI_BASE_URL={address}/v1")
    sys.stdout.flush()


def _load_sample(engine: Engine, *, as_json: bool) -> None:
    """Loads the bundled session into an empty store; one that has sessions is left as it is."""
    from clew.samples import sample

    is_empty = not engine.infos()
    if is_empty:
        engine.import_file(sample(), repairs=False)
    if not as_json:
        outcome = (
            "is loaded, as the store was empty" if is_empty else "is not loaded: the store has sessions of its own"
        )
        note(f"clew: the bundled session {outcome}")
