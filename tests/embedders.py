"""Embedders for tests: they know what words mean the same, and what they were asked to embed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import sqrt
from pathlib import Path
from re import findall
from threading import Thread
from zlib import crc32

import clew
from clew.config import Config
from clew.engine.engine import Engine
from clew.errors import ModelUnavailable
from clew.ports import Embedder

_SIZE = 256


class SynonymEmbedder:
    """An embedder that counts words of more than three letters; to it, words that ``same`` maps to one are one."""

    def __init__(self, name: str = "synonyms", same: Mapping[str, str] | None = None) -> None:
        self.name, self.same = name, same or {}
        self.texts, self.calls, self.fails = list[str](), 0, False

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls += 1
        if self.fails:
            raise ModelUnavailable("the embedder is gone")
        self.texts += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * _SIZE
        for word in findall(r"\w{4,}", text.lower()):
            vector[crc32(self.same.get(word, word).encode()) % _SIZE] += 1.0
        length = sqrt(sum(one * one for one in vector)) or 1.0
        return [one / length for one in vector]


class GivenEmbedders:
    """The embedders of a test: the last one is in use."""

    def __init__(self, *embedders: Embedder) -> None:
        self.all = {one.name: one for one in embedders}
        self.used = embedders[-1]

    def current(self) -> Embedder | None:
        return self.used

    def named(self, name: str) -> Embedder | None:
        return self.all.get(name)


def opened_with(store: Path | str, *embedders: Embedder, config: Config | None = None) -> Engine:
    """An engine that embeds with the last of these."""
    engine = clew.open(store, config=config or Config())
    engine._services = replace(engine.services, embedders=GivenEmbedders(*embedders))
    engine._factory.services = engine._services
    return engine


@contextmanager
def served(embedder: SynonymEmbedder) -> Iterator[str]:
    """Serves an embedder as OpenAI's API does. Yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            vectors = embedder.embed(asked["input"])
            data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"data": data}).encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
