"""Compactions of sessions of 100,000 tokens: how long they take without a model, by hand and with the next epoch ready.

What is left of a session after one, three and five of them is measured in ``bench.compaction_epochs``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import TypeVar

import clew
from bench.compaction_epochs import is_compaction
from bench.data import folder, transcripts
from bench.money_items import Reader, conversation
from bench.money_replay import WINDOW, MessageClock
from bench.results import Figure
from bench.warm_packs import made_up_exchange
from clew.config import CompactionConfig, Config
from clew.domain import Message, Role
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session

_TOKENS, _ROUNDS = 100_000, 3
#: How many sessions are told for each model: one whose tokens are counted, and one whose are estimated.
_MODELS = {"gpt-5": 6, "claude-sonnet-4-5": 2}
#: Files of fewer bytes hold fewer tokens.
_LEAST_BYTES = 600_000
_GOALS = {"compact": "< 250", "compact, store just opened": "< 250", "a pack that switches": "< 50"}
_GOALS |= {"suggest": "< 50", "suggest, store just opened": "< 50"}
_ORDINARY = "a pack that goes on"
_Done = TypeVar("_Done")


@dataclass(slots=True)
class Times:
    """Milliseconds by what was done, of all sessions of a model."""

    messages: list[int] = field(default_factory=list)
    taken: dict[str, list[float]] = field(default_factory=dict)

    def measure(self, name: str, do: Callable[[], _Done]) -> _Done:
        began = time.perf_counter()
        done = do()
        self.add(name, (time.perf_counter() - began) * 1000)
        return done

    def add(self, name: str, taken: float) -> None:
        self.taken.setdefault(name, []).append(taken)


def run(tokens: int = _TOKENS, rounds: int = _ROUNDS) -> list[Figure]:
    """One session after another, with nothing beside it."""
    figures: list[Figure] = []
    for model, count in _MODELS.items():
        times = Times()
        for messages in _sessions(tokens, count):
            times.messages.append(len(messages))
            _by_hand(messages, model, times, rounds)
            _by_itself(messages, model, times, is_ready=True)
            _by_itself(messages, model, times, is_ready=False)
        figures += time_figures(f"compaction, {model}", times, tokens)
    return figures


def time_figures(group: str, times: Times, tokens: int) -> Iterator[Figure]:
    yield Figure(group, "sessions", len(times.messages), f"of {tokens:,} tokens")
    if not times.taken:
        return
    yield Figure(group, "messages a session", mean(times.messages))
    ordinary = median(times.taken[_ORDINARY])
    for name, taken in sorted(times.taken.items()):
        told = f"ms; at most {max(taken):,.0f} of {len(taken)}"
        if name != _ORDINARY:
            told += f"; {median(taken) / ordinary:,.1f} × a pack that goes on"
        yield Figure(group, name, median(taken), told, _GOALS.get(name, ""))


def _config(*, auto: bool = True, background: bool = True) -> Config:
    return replace(Config(), compaction=replace(CompactionConfig(), auto=auto, background=background))


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────────


def _by_hand(messages: Sequence[Message], model: str, times: Times, rounds: int) -> None:
    """On a handle that has packed before, and on a store that was just opened; each compaction is taken back.

    Nothing is compacted by itself meanwhile, or little would be left to do.
    """
    config = _config(auto=False)
    with TemporaryDirectory() as home:
        store = Path(home) / "bench.db"
        with clew.open(store, config=config) as engine:
            session = engine.session("compacted", model=model, window=WINDOW)
            session.record(messages)
            for _ in range(rounds):
                session.pack().request()
                for name in _DONE:
                    _do(session, name, times)
        for name in _DONE * rounds:
            with clew.open(store, config=config) as engine:
                _do(engine.find("compacted"), name, times, ", store just opened")


_DONE = ("suggest", "preview", "compact")


def _do(session: Session, name: str, times: Times, how: str = "") -> None:
    if name == "suggest":
        times.measure(name + how, session.compactor.suggest)
    elif name == "preview":
        times.measure(name + how, session.compactor.preview)
    elif times.measure(name + how, session.compact).undo:
        session.undo()


# ── by itself ────────────────────────────────────────────────────────────────────────────────────────


def _by_itself(messages: Sequence[Message], model: str, times: Times, *, is_ready: bool) -> None:
    """Told call by call, at default settings. ``is_ready`` says that the next epoch is laid out in the background, and
    that the model took long enough for that; else all of it is done when the pack is asked for."""
    clock, epoch = MessageClock(), 0
    config = _config(background=is_ready)
    with TemporaryDirectory() as home, clew.open(Path(home) / "bench.db", config=config, clock=clock) as engine:
        session = engine.session("told", model=model, window=WINDOW)
        for message in messages:
            if message.role is Role.ASSISTANT and session.info.messages:
                engine.wait()
                pack, taken = _timed_pack(session)
                name = "a pack that switches" if is_compaction(pack, epoch) else _ORDINARY
                times.add(name if is_ready else f"{name}, nothing ready", taken)
                epoch = pack.epoch
            clock.at = max(clock.at, message.at or 0.0)
            session.record([message])


def _timed_pack(session: Session) -> tuple[Pack, float]:
    """A pack, and the milliseconds it took."""
    began = time.perf_counter()
    pack = session.pack()
    pack.request()
    return pack, (time.perf_counter() - began) * 1000


# ── sessions of one size ─────────────────────────────────────────────────────────────────────────────


def _sessions(tokens: int, count: int) -> Iterator[list[Message]]:
    """Real sessions of all sizes, up to where they have so many tokens; without data, one that was made up."""
    if folder("transcripts") is None:
        yield first_tokens(_made_up_session(tokens), tokens)
        return
    sizes = {path: path.stat().st_size for path in transcripts()}
    found = sorted((path for path in sizes if sizes[path] >= _LEAST_BYTES), key=lambda path: (sizes[path], path))
    step = max(len(found) // count, 1)
    for path in (path for first in range(step) for path in found[first::step]):
        messages = first_tokens(conversation(path), tokens) if count else []
        count -= bool(messages)
        if messages:
            yield messages


def first_tokens(messages: Sequence[Message], tokens: int) -> list[Message]:
    """The first messages that make so many tokens; none if all of them are fewer."""
    reader = Reader()
    sizes = accumulate(sum(item.tokens for item in reader.items(message)) for message in messages)
    last = next((at for at, total in enumerate(sizes, 1) if total >= tokens), 0)
    return list(messages[:last])


#: A made-up exchange has more than this.
_EXCHANGE_TOKENS = 500


def _made_up_session(tokens: int) -> list[Message]:
    """At least so many tokens of work, the same every time."""
    with clew.open(":memory:") as engine:
        session = engine.session("made-up")
        told = [line for at in range(tokens // _EXCHANGE_TOKENS + 1) for line in made_up_exchange(at)]
        session.record(told, format="openai-chat")
        return session.reader.history().prompt_view()
