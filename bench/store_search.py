"""Search over a hundred sessions: what a query costs, and whether exact words come first."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from statistics import median

import clew
from bench.basics import temporary_store
from bench.data import transcripts
from bench.results import Figure
from clew.config import Config, ModelsConfig
from clew.domain import Origin, Role
from clew.engine.engine import Engine
from clew.errors import ClewError

_SESSIONS, _PHRASES = 100, 40
#: Words of a phrase, and how long words have to be that it begins with.
_WORDS, _LONG = 6, 5


def run() -> list[Figure]:
    """Queries are words that people said in these sessions, next to each other."""
    with temporary_store() as path, clew.open(path, config=Config(models=ModelsConfig(embedder="none"))) as engine:
        _fill(engine)
        phrases = list(_said(engine))[:_PHRASES]
        for phrase in phrases:  # what is shown is derived when a session is first opened
            engine.search(phrase)
        spent, first = [], 0
        for phrase in phrases:
            began = time.process_time()
            found = engine.search(phrase)
            spent.append(time.process_time() - began)
            first += bool(found) and _says(engine, found[0].session, found[0].messages[0], phrase)
    return [
        Figure("search", "sessions", _SESSIONS),
        Figure("search", "one query", 1000 * median(spent), "ms of CPU", "< 500"),
        Figure("search", "slowest query", 1000 * max(spent), "ms of CPU"),
        Figure("search", "exact words first", 100 * first / len(phrases), "%", ">= 100"),
    ]


def _fill(engine: Engine) -> None:
    sources = transcripts()
    for at in range(3 * _SESSIONS):
        try:
            engine.import_file(sources[at % len(sources)], session=f"s{at}", project=False)
        except ClewError:
            continue
        if len(engine.infos()) >= _SESSIONS:
            return


def _said(engine: Engine) -> Iterator[str]:
    """A few words in a row from what a person said in each session, as far as there is one."""
    for info in engine.infos():
        messages = engine.find(info.key.id).reader.recent_messages(200)
        for message in messages:
            words = re.findall(r"\w+", message.text[:2_000])
            starts = [at for at, word in enumerate(words[:-_WORDS]) if len(word) >= _LONG]
            if message.role is Role.USER and message.origin is Origin.PERSON and starts:
                yield " ".join(words[starts[len(starts) // 2] :][:_WORDS])
                break


def _says(engine: Engine, session: str, message: str, phrase: str) -> bool:
    text = engine.find(session).recall(message)[0].text
    words = " ".join(re.findall(r"\w+", text.casefold()))
    return f" {phrase.casefold()} " in f" {words} "
