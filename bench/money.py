"""Money: real sessions told call by call, with the prices of a prompt cache, under several ways to send them.

All costs are shares of what sending everything at every call comes to. One session is drawn in ``.bench/money.svg``,
all of them are listed in ``.bench/money.txt``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

from bench.data import CACHE, folder, transcripts
from bench.money_items import ModelCall, Reader, conversation, model_calls
from bench.money_policies import (
    SYSTEM_TOKENS,
    Bill,
    CallItems,
    compact_when_full,
    cost,
    mask_outputs,
    send_everything,
    with_cold_cache,
)
from bench.money_replay import ReplayResult, replay_session
from bench.plots import Series, line_plot
from bench.results import Figure
from clew.compaction.presets import PRESETS
from clew.config import Config

_WORKERS = 2
#: What makes a long session; of a longer one only so many calls are told, unless CLEW_BENCH_FULL is set.
_LEAST_CALLS, _LEAST_TOKENS, _MOST_CALLS = 60, 60_000, 600
#: How long providers keep a prompt that nobody asks for again.
_COLD_SECONDS = 300.0
#: A compaction within so many calls of the last one repeats it.
_SOON = 2

_PLAIN: dict[str, Callable[[CallItems], Bill]] = {
    "all but 10 outputs masked": lambda told: mask_outputs(told, keep=10),
    "160k to 20k": lambda told: compact_when_full(told, full=160_000, left=20_000),
    "100k to 20k": lambda told: compact_when_full(told, full=100_000, left=20_000),
    "60k to 10k": lambda told: compact_when_full(told, full=60_000, left=10_000),
    "60k to 10k, outputs halved": lambda told: compact_when_full(told, full=60_000, left=10_000, outputs=0.5),
}
_DEFAULT = "balanced"


def settings() -> dict[str, Config]:
    """Clew with each of its presets; one is as it comes."""
    default = Config()
    return {name: replace(default, compaction=replace(default.compaction, preset=name)) for name in PRESETS}


@dataclass(frozen=True, slots=True)
class PricedSession:
    """One session under every policy, and when its calls were."""

    name: str
    times: tuple[float, ...]
    whole: Bill
    plain: dict[str, Bill]
    clew: dict[str, ReplayResult]

    def share(self, bill: Bill) -> float:
        return cost(bill) / cost(self.whole)


def run() -> list[Figure]:
    sources = sorted(transcripts(), key=lambda path: (-path.stat().st_size, path))
    least = (_LEAST_CALLS, _LEAST_TOKENS) if folder("transcripts") else (1, 1)
    most = None if os.environ.get("CLEW_BENCH_FULL") else _MOST_CALLS
    with ProcessPoolExecutor(_WORKERS) as pool:
        begun = [pool.submit(price_session, source, settings(), least=least, most=most) for source in sources]
        done = [found for one in begun if (found := one.result())]
    if not done:
        return [Figure("money", "sessions", 0, "none is long enough")]
    done.sort(key=lambda one: (-len(one.whole), one.name))
    CACHE.mkdir(exist_ok=True)
    (CACHE / "money.txt").write_text("".join(f"{line}\n" for line in session_lines(done)))
    (CACHE / "money.svg").write_text(draw_session(_typical_session(done)))
    has_goal = folder("transcripts") is not None
    lived_through = [clew_figures(name, done, has_goal=has_goal and name == _DEFAULT) for name in settings()]
    return [*plain_figures(done), *(figure for figures in lived_through for figure in figures)]


def price_session(
    source: Path, configs: Mapping[str, Config], *, least: tuple[int, int], most: int | None = None
) -> PricedSession | None:
    """A session under every policy; None for one that has fewer calls or tokens."""
    asks = model_calls(conversation(source))[:most]
    reader = Reader()
    told = [[item for message in ask.messages for item in reader.items(message)] for ask in asks]
    whole = send_everything(told)
    if len(asks) < least[0] or whole[-1].tokens - SYSTEM_TOKENS < least[1]:
        return None
    return PricedSession(
        name=f"{source.parent.name}/{source.name}",
        times=_times(asks),
        whole=whole,
        plain={name: policy(told) for name, policy in _PLAIN.items()},
        clew={name: replay_session(asks, config, reader) for name, config in configs.items()},
    )


def _times(asks: Sequence[ModelCall]) -> tuple[float, ...]:
    """When each call was made: when the last thing before it was told."""
    out: list[float] = []
    for ask in asks:
        known = [message.at for message in ask.messages if message.at is not None]
        out.append(max([*known, *out[-1:]], default=0.0))
    return tuple(out)


# ── figures ──────────────────────────────────────────────────────────────────────────────────────────


def plain_figures(done: Sequence[PricedSession]) -> Iterator[Figure]:
    yield Figure("money", "sessions", len(done))
    yield Figure("money", "calls a session", mean(len(one.whole) for one in done))
    yield Figure("money", "tokens a session", mean(one.whole[-1].tokens - SYSTEM_TOKENS for one in done))
    for name in _PLAIN:
        shares = [one.share(one.plain[name]) for one in done]
        yield Figure("money", name, mean(shares), f"of everything; dearer in {_dearer(shares)} of {len(done)}")


def _dearer(shares: Sequence[float]) -> int:
    return sum(share > 1 for share in shares)


def clew_figures(name: str, done: Sequence[PricedSession], *, has_goal: bool) -> Iterator[Figure]:
    """Of one setting; the goals are those of long sessions at the default one."""
    group = f"money, {name}"
    lives = [one.clew[name] for one in done]
    shares = [one.share(life.charged) for one, life in zip(done, lives, strict=True)]
    yield Figure(group, "cost", mean(shares), "of everything", "<= 0.5" if has_goal else "")
    yield Figure(group, "dearer than everything", _dearer(shares), f"of {len(done)}", "= 0" if has_goal else "")
    yield Figure(group, "dearest session", max(shares), "of everything")
    yield from _other_costs(group, done, lives)
    yield from _compactions(group, lives, has_goal=has_goal)
    yield from _fewer(group, done, lives, has_goal=has_goal)
    yield Figure(group, "prefix broken in an epoch", sum(life.broken for life in lives), "calls", "= 0")
    yield from _times_taken(group, lives, has_goal=has_goal)


def _other_costs(group: str, done: Sequence[PricedSession], lives: Sequence[ReplayResult]) -> Iterator[Figure]:
    """The same with less and with more charged."""
    pairs = list(zip(done, lives, strict=True))
    yield Figure(group, "cost, nothing read again", mean(one.share(life.sent) for one, life in pairs))
    yield Figure(
        group, "cost, edited and shortened text read again", mean(one.share(life.all_charged) for one, life in pairs)
    )
    cold = [
        cost(with_cold_cache(life.charged, one.times, _COLD_SECONDS))
        / cost(with_cold_cache(one.whole, one.times, _COLD_SECONDS))
        for one, life in pairs
    ]
    yield Figure(group, "cost, cache of 5 minutes", mean(cold), f"dearer in {_dearer(cold)}")


def _compactions(group: str, lives: Sequence[ReplayResult], *, has_goal: bool) -> Iterator[Figure]:
    count = sum(len(life.compactions) for life in lives)
    yield Figure(group, "compactions", count / len(lives), "a session")
    if not count:
        return
    yield Figure(group, "needs unmet", sum(life.needs for life in lives) / count, "a compaction")
    yield Figure(group, "read again", sum(life.reread_tokens for life in lives) / count, "tokens a compaction")
    yield Figure(group, "read again, outputs", sum(life.rereads for life in lives) / count, "a compaction")
    calls = [[b.call - a.call for a, b in pairwise(life.compactions)] for life in lives]
    requests = [[b.request - a.request for a, b in pairwise(life.compactions)] for life in lives]
    submit = sum(any(gap <= _SOON for gap in gaps) for gaps in calls)
    yield Figure(group, "repeated within two calls", submit, "sessions", "= 0" if has_goal else "")
    if any(calls):
        yield Figure(group, "calls between two, least", min(min(gaps) for gaps in calls if gaps))
        yield Figure(group, "calls between two", median(gap for gaps in calls for gap in gaps), "median")
        yield Figure(group, "requests between two, least", min(min(gaps) for gaps in requests if gaps))


def _fewer(
    group: str, done: Sequence[PricedSession], lives: Sequence[ReplayResult], *, has_goal: bool
) -> Iterator[Figure]:
    """How much less is sent, the system prompt not counted."""
    shares = [_conversation(life.sent) / _conversation(one.whole) for one, life in zip(done, lives, strict=True)]
    yield Figure(group, "fewer tokens sent", 1 - mean(shares), "of everything", ">= 0.7" if has_goal else "")
    left = [one.after / one.before for life in lives for one in life.compactions]
    if left:
        yield Figure(group, "fewer tokens at a compaction", 1 - median(left), "median")
        yield Figure(group, "fewer tokens at a compaction, least", 1 - max(left))
        yield Figure(group, "tokens after a compaction", median(c.after for life in lives for c in life.compactions))


def _conversation(bill: Bill) -> int:
    return sum(prompt.tokens - SYSTEM_TOKENS for prompt in bill)


def _times_taken(group: str, lives: Sequence[ReplayResult], *, has_goal: bool) -> Iterator[Figure]:
    """With as many sessions at a time as there are workers; the longest are those of a busy machine."""
    ordinary = [ms for life in lives for ms in life.ordinary_ms]
    switch = [ms for life in lives for ms in life.switch_ms]
    if ordinary:
        yield Figure(group, "a pack that goes on", median(ordinary), f"ms; at most {max(ordinary):,.0f}")
    if switch:
        goal = "< 50" if has_goal else ""
        yield Figure(group, "a pack that switches", median(switch), f"ms; at most {max(switch):,.0f}", goal)


# ── for people ───────────────────────────────────────────────────────────────────────────────────────


def session_lines(done: Sequence[PricedSession]) -> Iterator[str]:
    """A line for each session: its size, and what it costs under each policy."""
    yield "calls, tokens, " + ", ".join([*_PLAIN, *(f"{name} (compactions)" for name in settings())])
    for one in done:
        shares = [f"{one.share(bill):.2f}" for bill in one.plain.values()]
        shares += [f"{one.share(life.charged):.2f} ({len(life.compactions)})" for life in one.clew.values()]
        tokens = one.whole[-1].tokens - SYSTEM_TOKENS
        yield f"{len(one.whole):4d} {tokens:8,d}  {'  '.join(shares)}  {one.name}"


def _typical_session(done: Sequence[PricedSession]) -> PricedSession:
    """A session that is longer than three in four: the policies differ, and the longest of all is no measure."""
    return sorted(done, key=lambda one: (one.whole[-1].tokens, one.name))[3 * len(done) // 4]


_DRAWN = ("all but 10 outputs masked", "100k to 20k", "60k to 10k")


def draw_session(one: PricedSession) -> str:
    """The prompts of one session, call by call, under each policy."""
    bills = {"everything": one.whole} | {name: one.plain[name] for name in _DRAWN}
    lines = [Series(name, _tokens(bill), note=f"cost {one.share(bill):.2f}") for name, bill in bills.items()]
    for name, life in one.clew.items():
        marks = tuple(compaction.call for compaction in life.compactions)
        note = f"cost {one.share(life.charged):.2f}, compactions: {len(marks)}"
        lines.append(Series(f"Clew, {name}", _tokens(life.sent), marks, note, is_main=name == _DEFAULT))
    title = "One session under each policy; costs are shares of sending everything"
    return line_plot(lines, title=title, x="model call", y="tokens of the prompt")


def _tokens(bill: Bill) -> list[float]:
    return [prompt.tokens for prompt in bill]
