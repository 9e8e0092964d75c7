"""Packs of real sessions: does the prefix stand still while they grow, does another process make the same bytes, and
could the work go on from what is kept."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

import clew
from bench.data import CACHE, folder, transcripts
from bench.results import Figure
from clew.codecs import jsonio, registry
from clew.domain import Json, Message
from clew.engine.session import Session
from clew.errors import BudgetExceeded

# ── the prefix ───────────────────────────────────────────────────────────────────────────────────────

_WORKERS = 2
_SESSIONS, _MESSAGES, _LEAST_MESSAGES, _MOST_BYTES = 10, 400, 100, 3_000_000
#: The sample is short: at the larger budget no epoch would end.
_BUDGET, _SAMPLE_BUDGET = 30_000, 9_000
#: Sessions that another process packs as well, and its hash seed.
_AGAIN, _SEED = 5, "77"
_QUERY = "Which tests failed, and what was done about them?"


@dataclass(frozen=True, slots=True)
class PrefixReplay:
    """One session told message by message: the epoch of each pack, pairs of packs within one, and where a pack does not
    start with all of the one before."""

    epochs: tuple[int, ...]
    pairs: int
    moved: tuple[str, ...]
    over: int
    refused: int
    same_elsewhere: bool | None


def prefix() -> list[Figure]:
    """Long sessions, message by message, with a pack after each; a provider each, in turn. Where one does not stand
    still is said in ``.bench/prefix.txt``."""
    sources = list(_longest())
    budget = _BUDGET if folder("transcripts") else _SAMPLE_BUDGET
    with ProcessPoolExecutor(_WORKERS) as pool:
        begun = [
            pool.submit(
                replay_session,
                source,
                registry.PROVIDERS[at % len(registry.PROVIDERS)],
                budget=budget,
                again=at < _AGAIN,
            )
            for at, source in enumerate(sources)
        ]
        done = [one.result() for one in begun]
    packs = sum(len(one.epochs) for one in done)
    epochs = sum(len(set(one.epochs)) for one in done)
    pairs, moved = sum(one.pairs for one in done), [where for one in done for where in one.moved]
    elsewhere = [one.same_elsewhere for one in done if one.same_elsewhere is not None]
    CACHE.mkdir(exist_ok=True)
    (CACHE / "prefix.txt").write_text("".join(f"{where}\n" for where in moved))
    return [
        Figure("prefix", "sessions", len(done)),
        Figure("prefix", "packs", packs),
        Figure("prefix", "epochs", epochs),
        Figure("prefix", "messages to an epoch", packs / epochs),
        Figure("prefix", "pairs in an epoch that share all", 1 - len(moved) / pairs, f"of {pairs:,}", "= 1"),
        Figure("prefix", "over budget", sum(one.over for one in done), "packs", "= 0"),
        Figure("prefix", "budget too small", sum(one.refused for one in done), "packs", "= 0"),
        Figure("prefix", "same elsewhere", sum(elsewhere) / len(elsewhere), f"of {len(elsewhere)} sessions", "= 1"),
    ]


def _longest() -> Iterator[Path]:
    """The longest sessions by messages, a client's after another's; without data, the sample for every provider."""
    by_client: dict[str, list[tuple[int, Path]]] = {}
    for path in transcripts():
        if path.stat().st_size <= _MOST_BYTES:
            count = _messages_in(path)
            if count >= _LEAST_MESSAGES:
                by_client.setdefault(path.parent.name, []).append((count, path))
    ranked = [sorted(found, key=lambda one: (-one[0], one[1])) for _, found in sorted(by_client.items())]
    chosen = [one[1] for row in zip_longest(*ranked) for one in row if one is not None]
    if len(chosen) == 1:
        chosen *= len(registry.PROVIDERS)
    yield from chosen[:_SESSIONS]


def _messages_in(path: Path) -> int:
    with clew.open(":memory:") as engine:
        return max(report.messages for report in engine.import_file(path, project=False))


def replay_session(source: Path, provider: str, *, budget: int, again: bool, messages: int = _MESSAGES) -> PrefixReplay:
    with TemporaryDirectory() as home:
        store = Path(home) / "bench.db"
        with clew.open(store) as engine:
            packs, refused = _pack_each_message(
                engine.session("replayed"), _messages(source)[:messages], provider, budget
            )
        inside = [(before, now) for before, now in pairwise(packs) if before.epoch == now.epoch]
        moved = (now.at for before, now in inside if now.blocks[: len(before.blocks)] != before.blocks)
        return PrefixReplay(
            epochs=tuple(pack.epoch for pack in packs),
            pairs=len(inside),
            moved=tuple(f"{source.name}, {provider} at {budget}: the pack after m{at}" for at in moved),
            over=sum(pack.tokens > budget for pack in packs),
            refused=refused,
            same_elsewhere=_is_same_elsewhere(store, source, provider, budget) if again else None,
        )


def _messages(source: Path) -> list[Message]:
    with clew.open(":memory:") as engine:
        reports = engine.import_file(source, project=False)
        longest = max(reports, key=lambda report: report.messages)
        return engine.find(longest.session).reader.history().prompt_view()


@dataclass(frozen=True, slots=True)
class _Sent:
    at: int
    epoch: int
    tokens: int
    blocks: tuple[int, ...]


def _pack_each_message(
    session: Session, messages: Sequence[Message], provider: str, budget: int
) -> tuple[list[_Sent], int]:
    sent, refused = [], 0
    for message in messages:
        session.record([message])
        pack = session.pack(budget=budget, target=provider)
        try:
            blocks = tuple(map(hash, blocks_of(pack.request(provider), provider)))
            sent.append(_Sent(session.info.messages, pack.epoch, pack.tokens, blocks))
        except BudgetExceeded:
            refused += 1
    return sent, refused


def blocks_of(body: Json, provider: str) -> Iterator[bytes]:
    """What a provider's cache sees: blocks in order, with whose they are, and without the marks for the cache."""
    for item in body[registry.MESSAGE_LISTS[provider]]:
        blocks = item.get("content", item.get("parts")) if isinstance(item, dict) else None
        for block in blocks if isinstance(blocks, list) else [item]:
            yield jsonio.dumps([item.get("role"), {k: v for k, v in block.items() if k != "cache_control"}])


def pack_digests(store: str, source: str, provider: str, budget: str) -> list[str]:
    """Of the pack that a stored session goes on with, and of one of the source that was never seen before."""
    with clew.open(store) as engine:
        found = [_digest(engine.find("replayed"), None, provider, int(budget))]
    with clew.open(":memory:") as engine:
        session = engine.find(engine.import_file(source)[0].session)
        return [*found, _digest(session, _QUERY, provider, int(budget))]


def _digest(session: Session, query: str | None, provider: str, budget: int) -> str:
    pack = session.pack(query, budget=budget, record=False, target=provider)
    pack.request(provider)
    return pack.digest


def _is_same_elsewhere(store: Path, source: Path, provider: str, budget: int) -> bool:
    """Whether a fresh process with another hash seed makes the same bytes."""
    given = [str(store), str(source.absolute()), provider, str(budget)]
    program = "import sys, bench.packs; print(*bench.packs.pack_digests(*sys.argv[1:]))"
    env = os.environ | {"PYTHONHASHSEED": _SEED}
    root = Path(__file__).parent.parent
    command = [sys.executable, "-c", program, *given]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=env, cwd=root, check=True)
    return ran.stdout.split() == pack_digests(*given)


# ── could the work go on ─────────────────────────────────────────────────────────────────────────────

_GOALS = {"bits": ">= 0.76", "paths": ">= 0.95", "bound": ">= 0.55", "names": ">= 0.92", "words": ">= 0.98"}
_GOALS["stale"] = "<= 0.005"
_CUTS_A_SESSION = 2
_ALL = "packs"


def continuity() -> list[Figure]:
    """Sessions cut where they went on: how much of what came next stands in the pack. The judge is no part of Clew: it
    is run where it lies beside the data."""
    data, home = folder("transcripts"), os.environ.get("CLEW_BENCH_DATA", "")
    judge = Path(home).absolute().parent / "tools" / "continuity.py"
    if data is None or not judge.exists():
        return [Figure("continuity", "cuts", 0, "no data")]
    pack = f"{shlex.quote(sys.executable)} -m clew.cli pack {{file}} --budget {{budget}} --for text"
    command = [sys.executable, str(judge), str(data), pack, "--cuts", str(_CUTS_A_SESSION)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [figure for line in ran.stdout.splitlines() for figure in continuity_figures(line)]


def continuity_figures(line: str) -> Iterator[Figure]:
    """One row of the judge's table: whose cuts, and a mean for each measure. The goals are those of all cuts."""
    name, brace, rest = line.partition("{")
    row = jsonio.loads((brace + rest).encode())
    group = "continuity" + name.strip().removeprefix(_ALL)
    yield Figure(group, "cuts", row["n"])
    for measure, goal in _GOALS.items():
        if measure in row:
            yield Figure(group, measure, row[measure], "", goal if name.strip() == _ALL else "")
