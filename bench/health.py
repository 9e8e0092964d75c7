"""How long it takes to look at a session's health, drift and critical items, at a million tokens and at a tenth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import clew
from bench.results import Figure
from bench.warm_packs import grow_session
from clew.engine.session import Session

_LONG = 20_000
_ROUNDS = 60
_RULES = (
    "Never touch migrations/0001_initial.sql, it has run in production.",
    "Always answer in English.",
    "From now on, keep every answer under 200 words.",
    "I prefer small commits, one thought each.",
    "Never run git push.",
    "We decided to use PostgreSQL.",
    "All new files must have type hints.",
    "Do not use lodash in this project.",
)
_GOALS = {"health": "< 2", "drift": "< 20", "critical, by kind": "< 1", "critical, by id": "< 1", "record": "< 5"}


def run(long: int = _LONG, rounds: int = _ROUNDS) -> list[Figure]:
    """One message more, then a look, over and over: what is asked for is never the same twice."""
    with TemporaryDirectory() as home, clew.open(Path(home) / "bench.db") as engine:
        large, small = (_times(_with_rules(grow_session(engine, size)), rounds) for size in (long, long // 10))
    return list(_figures(large, small))


def _figures(large: dict[str, float], small: dict[str, float]) -> Iterator[Figure]:
    for name, goal in _GOALS.items():
        yield Figure("health", name, large[name], f"ms; a tenth of the history {small[name]:.2f}", goal)
        yield Figure("health", f"{name}, ratio", large[name] / small[name], "×")


def _with_rules(session: Session) -> Session:
    session.record([{"role": "user", "content": rule} for rule in _RULES], format="openai-chat")
    return session


def _times(session: Session, rounds: int) -> dict[str, float]:
    """Milliseconds, the median of all rounds."""
    looks: dict[str, Callable[[], object]] = {
        "health": session.health,
        "drift": session.drift,
        "critical, by kind": lambda: session.pins("constraint"),
        "critical, by id": lambda: session.recall("p1"),
    }
    taken: dict[str, list[float]] = {name: [] for name in _GOALS}
    for at in range(rounds):
        taken["record"].append(_milliseconds(partial(_one_more, session, at)))
        for name, look in looks.items():
            taken[name].append(_milliseconds(look))
    return {name: median(times) for name, times in taken.items()}


def _one_more(session: Session, at: int) -> None:
    role = "user" if at % 2 else "assistant"
    text = f"Part {at} of the importer is done; its limit is {at * 7} rows, and the tests pass."
    session.record([{"role": role, "content": text}], format="openai-chat")


def _milliseconds(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return (time.perf_counter() - begin) * 1000
