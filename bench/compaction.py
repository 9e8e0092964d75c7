"""Compactions of real sessions: how long they take at 100,000 tokens, without a model and with the next epoch ready.

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

import clew
from bench.data import folder, transcripts
from bench.compaction_epochs import epochs
from bench.money_items import Reader, conversation
from bench.money_replay import WINDOW, ToldClock
from bench.results import Figure
from bench.warm import exchange_of
from clew.config import CompactionConfig, Config
from clew.domain import Message, Role
from clew.engine.pack import home_of
from clew.engine.session import Session

__all__ = ["epochs", "run"]

_TOKENS, _ROUNDS = 100_000, 3
#: How many sessions are told for each model: exact counts, and estimates.
_MODELS = {"gpt-5": 6, "claude-sonnet-4-5": 2}
#: Files of less do not hold as many tokens.
_LEAST_BYTES = 600_000


@dataclass(slots=True)
class Times:
    """Milliseconds by what was done, of sessions of one model."""

    messages: list[int] = field(default_factory=list)
    taken: dict[str, list[float]] = field(default_factory=dict)

    def timed(self, name: str, do: Callable[[], object]) -> None:
        began = time.perf_counter()
        do()
        self.taken.setdefault(name, []).append((time.perf_counter() - began) * 1000)


def run(tokens: int = _TOKENS, rounds: int = _ROUNDS) -> list[Figure]:
    """Sessions that are told up to so many tokens, one after another, and nothing else beside them."""
    figures: list[Figure] = []
    for model, count in _MODELS.items():
        times = Times()
        for messages in _sessions(tokens, count):
            times.messages.append(len(messages))
            _by_hand(messages, model, times, rounds)
            _by_itself(messages, model, times, is_ready=True)
            _by_itself(messages, model, times, is_ready=False)
        figures += _figures(f"compaction, {model}", times, tokens)
    return figures


def _figures(group: str, times: Times, tokens: int) -> Iterator[Figure]:
    goals = {"compact": "< 250", "compact, store just opened": "< 250", "a pack that switches": "< 50"}
    goals |= {"suggest": "< 50", "suggest, store just opened": "< 50"}
    yield Figure(group, "sessions", len(times.messages), f"of {tokens:,} tokens")
    yield Figure(group, "messages a session", mean(times.messages))
    for name, taken in sorted(times.taken.items()):
        yield Figure(group, name, median(taken), f"ms; at most {max(taken):,.0f}, of {len(taken)}", goals.get(name, ""))
    ordinary = median(times.taken["a pack that goes on"])
    for name in ("compact", "a pack that switches", "a pack that switches, nothing ready"):
        if name in times.taken:
            yield Figure(group, f"{name}, ratio", median(times.taken[name]) / ordinary, "× a pack that goes on")


# ── compacting by hand ───────────────────────────────────────────────────────────────────────────────


def _by_hand(messages: Sequence[Message], model: str, times: Times, rounds: int) -> None:
    """On a handle that has packed before, then on a store that was just opened; each compaction is taken back.

    Nothing is compacted by itself meanwhile, or there would be less to do.
    """
    config = _config(auto=False)
    with TemporaryDirectory() as home:
        store = Path(home) / "bench.db"
        with clew.open(store, config=config) as engine:
            session = engine.session("compacted", model=model, window=WINDOW)
            session.record(messages)
            for _ in range(rounds):
                _sent(session)
                _looked_at(session, times, "")
        for _ in range(rounds):
            with clew.open(store, config=config) as engine:
                _looked_at(engine.find("compacted"), times, ", store just opened")


def _looked_at(session: Session, times: Times, how: str) -> None:
    """The suggestion first: of a store that was just opened it is the first thing that is asked for, as is
    ``compact`` where the engine is opened once more."""
    times.timed(f"suggest{how}", session.suggest)
    times.timed(f"compact{how}", session.compact)
    session.undo()
    times.timed(f"preview{how}", session.preview)


def _sent(session: Session) -> None:
    session.pack().request(home_of(session.info.model))


def _config(*, auto: bool = True, background: bool = True) -> Config:
    return replace(Config(), compaction=replace(CompactionConfig(), auto=auto, background=background))


# ── compacting by itself ─────────────────────────────────────────────────────────────────────────────


def _by_itself(messages: Sequence[Message], model: str, times: Times, *, is_ready: bool) -> None:
    """Told call by call, at default settings; ``is_ready`` says that the next epoch is made in the background, and
    that the model took long enough for that."""
    clock, how = ToldClock(), "" if is_ready else ", nothing ready"
    with (
        TemporaryDirectory() as home,
        clew.open(Path(home) / "bench.db", config=_config(background=is_ready), clock=clock) as engine,
    ):
        session, epoch = engine.session("told", model=model, window=WINDOW), 0
        for message in messages:
            if message.role is Role.ASSISTANT and session.info.messages:
                engine.background.wait()
                taken, now = _asked(session)
                name = "a pack that goes on" if now in (epoch, 1) else f"a pack that switches{how}"
                times.taken.setdefault(name, []).append(taken)
                epoch = now
            clock.at = max(clock.at, message.at or 0.0)
            session.record([message])


def _asked(session: Session) -> tuple[float, int]:
    """Milliseconds of a pack, and its epoch."""
    began = time.perf_counter()
    pack = session.pack()
    pack.request(home_of(session.info.model))
    return (time.perf_counter() - began) * 1000, pack.epoch


# ── sessions of one size ─────────────────────────────────────────────────────────────────────────────


def _sessions(tokens: int, count: int) -> Iterator[list[Message]]:
    """Real sessions up to where they have so many tokens, of all sizes; without data, one that was made up."""
    if folder("transcripts") is None:
        yield _until(made_up(tokens), tokens)
        return
    found = sorted(
        (path for path in transcripts() if path.stat().st_size >= _LEAST_BYTES),
        key=lambda path: (path.stat().st_size, path),
    )
    step = max(len(found) // count, 1)
    spread = [path for first in range(step) for path in found[first::step]]
    for path in spread:
        if count and (messages := _until(conversation(path), tokens)):
            count -= 1
            yield messages


def _until(messages: Sequence[Message], tokens: int) -> list[Message]:
    """The first messages that make so many tokens; none if all of them do not."""
    reader = Reader()
    sizes = accumulate(sum(item.tokens for item in reader.items(message)) for message in messages)
    last = next((at for at, total in enumerate(sizes, 1) if total >= tokens), 0)
    return list(messages[:last])


#: A made-up exchange has more than this.
_EXCHANGE_TOKENS = 500


def made_up(tokens: int) -> list[Message]:
    """At least so many tokens of work, the same every time."""
    with clew.open(":memory:") as engine:
        session = engine.session("made-up")
        told = [line for at in range(tokens // _EXCHANGE_TOKENS + 1) for line in exchange_of(at)]
        session.record(told, format="openai-chat")
        return session.history().prompt_view()
