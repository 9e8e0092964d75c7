"""The command mcp: the MCP server over standard input and output."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.cli.options import StoreUrl
from clew.cli.sources import open_engine


def mcp(store: StoreUrl = None) -> None:
    """Serve the tools of Clew to an assistant, over MCP on standard input and output.

    Calls without a session mean the newest one of the folder it was started in, read from the assistant's own
    transcripts as they grow.
    """
    from clew.cli.servers.extras import ensure_extra

    ensure_extra("mcp", module="mcp")
    with _quick_imports():
        from clew.mcp_server.server import serve_stdio
    from clew.environment import variable
    from clew.hooks.listener.server import HookListener
    from clew.hooks.listener.sockets import SERVER, place_of

    with open_engine(store, for_long=True) as engine:
        listener = HookListener(lambda: engine, place=place_of(store or variable("CLEW_STORE")), kind=SERVER)
        if listener.start():
            listener.follow(Path.cwd())
        try:
            serve_stdio(engine)
        finally:
            listener.close()


@contextmanager
def _quick_imports() -> Iterator[None]:
    """Makes importing the protocol's package a sixth quicker: of its five hundred models, those are built that are
    used, and nothing is collected that will never be garbage. A client waits for the first answer meanwhile.
    """
    from pydantic import BaseModel

    gc.disable()
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        gc.freeze()
        gc.enable()
