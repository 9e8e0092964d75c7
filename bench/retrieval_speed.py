"""How long search takes in one session of very many segments, and what indexing adds to recording a message."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import clew
from clew.config import Config, ModelsConfig
from clew.domain import Message, Origin, Role, SessionKey, Text
from clew.engine.ledger.rows import SessionRows
from clew.ports import WORDS, MessageChange, Store
from clew.retrieval.projection import WordIndexProjection
from clew.retrieval.vectors import VectorSet, content_digest, to_row

_WORDS = 20_000
_SIZE = 384
_CHUNK = 1_000
_KEY = SessionKey("default", "default", "big")


def search_seconds(segments: int, *, queries: int) -> tuple[float, float | None, float]:
    """Seconds of one search by words, of one with vectors (None without numpy), and of indexing one message."""
    told = random.Random(7)
    words = [f"word{number:05d}" for number in range(_WORDS)]
    texts = [" ".join(told.choices(words, k=24)) for _ in range(segments)]
    with TemporaryDirectory() as home, clew.open(Path(home) / "clew.db", config=_config()) as engine:
        indexing = _index(engine.store, texts)
        asked = [" ".join(told.choices(words, k=5)) for _ in range(queries)]
        search = _ranked(engine.store)
        by_words = _median(lambda query: search(query, None), asked)
        fused = None
        if find_spec("numpy"):
            near = _vectors(segments, told)
            fused = _median(lambda query: search(query, near), asked)
    return by_words, fused, indexing


def _config() -> Config:
    return Config(models=ModelsConfig(embedder="none"))


def _index(store: Store, texts: Sequence[str]) -> float:
    """Indexes messages; returns the seconds of one, each by itself, at the end of the session."""
    projection, state, rows = WordIndexProjection(), None, SessionRows(store, _KEY, WORDS)
    changes = [_change(number, text) for number, text in enumerate(texts, 1)]
    for at in range(0, len(changes), _CHUNK):
        with store.transaction():
            state = projection.apply(state, changes[at : at + _CHUNK], rows)
            rows.flush()
    spent = []
    for number in range(len(texts) + 1, len(texts) + 51):
        change = _change(number, texts[number % len(texts)])
        began = perf_counter()
        with store.transaction():
            state = projection.apply(state, [change], rows)
            rows.flush()
            spent.append(perf_counter() - began)
    return median(spent)


def _change(number: int, text: str) -> MessageChange:
    message = Message(role=Role.USER, origin=Origin.PERSON, parts=(Text(text=text),))
    return MessageChange(number, message, (len(text) // 4,))


def _ranked(store: Store) -> Callable[[str, VectorSet | None], object]:
    from clew.retrieval.fusion import Figures, rank
    from clew.retrieval.projection import MARKS, SIZES, figures_in
    from clew.retrieval.words import query_words

    def search(query: str, vectors: VectorSet | None) -> object:
        rows = SessionRows(store, _KEY, WORDS)
        figures = Figures(figures_in(rows.scan(SIZES, SIZES + "~")), figures_in(rows.scan(MARKS, MARKS + "~")))
        near = vectors.nearness([1.0] + [0.0] * (_SIZE - 1)) if vectors else None
        return rank(store.find_words(_KEY, query_words(query), 1_000), figures, limit=10, nearness=near)

    return search


def _vectors(count: int, told: random.Random) -> VectorSet:
    import numpy as np

    drawn = np.random.default_rng(told.randrange(1 << 30)).standard_normal((count, _SIZE), dtype=np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    found = VectorSet(_SIZE)
    rows = (to_row(content_digest(str(number)), drawn[number : number + 1]) for number in range(count))
    found.put(dict(enumerate(rows, 1)))
    return found


def _median(run: Callable[[str], object], queries: Sequence[str]) -> float:
    run(queries[0])
    spent = []
    for query in queries:
        began = perf_counter()
        run(query)
        spent.append(perf_counter() - began)
    return median(spent)
