"""A real gateway on this machine, before an upstream that a test has made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import uvicorn

from clew.engine.engine import Engine
from clew.gateway.upstreams import upstreams_of
from clew.server.application import make_application
from clew.server.guard import GuardRules
from clew.server.serve import listen


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@contextmanager
def gateway(engine: Engine, upstream: str, *, openai: str = "") -> Iterator[str]:
    """Serves until the block ends; gives the address. Requests of both APIs go to one upstream unless two are given."""
    upstreams = upstreams_of(engine.config.gateway, [f"anthropic={upstream}", f"openai={openai or upstream}"])
    with listen("127.0.0.1", 0) as listener:
        rules = GuardRules(host="127.0.0.1", port=listener.getsockname()[1])
        application = make_application(engine, rules, upstreams)
        server = _Server(uvicorn.Config(application, log_level="error", server_header=False))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        server.ready.wait(30)
        try:
            yield f"http://127.0.0.1:{rules.port}"
        finally:
            server.should_exit = True
            thread.join(30)
