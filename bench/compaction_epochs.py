"""Could the work go on after the first, the third and the fifth compaction?

Real sessions are told to Clew as they grew, with a pack before every reply. What is sent where a compaction begins is
judged against what the agent did next, beside the newest messages cut to the same size. The judge is no part of Clew:
it lies beside the data. Every case is listed in ``.bench/epochs.txt``.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from statistics import mean
from types import ModuleType

import clew
from bench.data import CACHE, folder, transcripts
from bench.money_items import MODEL, PROVIDER, Reader, apart
from bench.money_replay import WINDOW, ToldClock, system_prompt
from bench.packs import _GOALS as GOALS
from bench.results import Figure
from clew.codecs import registry
from clew.codecs.sources import open_source, peek
from clew.config import CompactionConfig, Config
from clew.domain import Json, Message, Origin, Role, Skipped
from clew.engine.ledger import Incoming, Telling
from clew.engine.pack import Pack

_WORKERS = 2
_NTH = (1, 3, 5)
_ORDINALS = {1: "1st", 3: "3rd", 5: "5th"}
#: Sessions that are told, unless CLEW_BENCH_FULL is set: the largest of those that the judge can read.
_SESSIONS, _KINDS = 24, ("claude-code", "codex", "unknown")
#: Of what came next the judge looks at so many messages; with fewer than the least there is nothing to judge by.
_AHEAD, _LEAST_AHEAD = 60, 15
#: The judge cuts off what has more characters to a token. Tokens are counted exactly here, so nothing may be cut.
_TOKEN_CHARS = 4.4

Scores = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Placed:
    """A message, and the lines of its file (from 0) that tell it."""

    message: Message
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """What is sent where the ``nth`` compaction begins: its tokens less the system prompt, those of everything, and
    the lines of the file that were told by then."""

    nth: int
    text: str
    tokens: int
    everything: int
    told: frozenset[int]


@dataclass(frozen=True, slots=True)
class Case:
    """One cut of one session, judged."""

    session: str
    nth: int
    tokens: int
    everything: int
    ours: Scores
    newest: Scores


def epochs() -> list[Figure]:
    judge = judge_path()
    if folder("transcripts") is None or judge is None:
        return [Figure("epochs", "cases", 0, "no data")]
    sources = sorted(transcripts(*_KINDS), key=lambda path: (-path.stat().st_size, path))
    most = None if os.environ.get("CLEW_BENCH_FULL") else _SESSIONS
    with ProcessPoolExecutor(_WORKERS) as pool:
        begun = [pool.submit(judged, source, judge) for source in sources[:most]]
        cases = [case for one in begun for case in one.result()]
    CACHE.mkdir(exist_ok=True)
    (CACHE / "epochs.txt").write_text("".join(f"{line}\n" for line in listed(cases)))
    return list(figures(cases))


def judge_path() -> Path | None:
    home = os.environ.get("CLEW_BENCH_DATA", "")
    found = Path(home).absolute().parent / "tools" / "continuity.py"
    return found if home and found.exists() else None


def figures(cases: Sequence[Case]) -> Iterator[Figure]:
    """Of each compaction the six measures with their goals, and the same for the newest messages."""
    for nth in _NTH:
        found = [case for case in cases if case.nth == nth]
        group = f"epochs, {_ORDINALS[nth]}"
        yield Figure(group, "cases", len(found))
        if not found:
            continue
        yield from (Figure(group, name, _mean([c.ours for c in found], name), "", goal) for name, goal in GOALS.items())
        yield Figure(group, "tokens", mean(case.tokens for case in found))
        fewer = mean(1 - case.tokens / case.everything for case in found)
        yield Figure(group, "fewer tokens", fewer, "of everything", ">= 0.7")
        group += ", newest messages"
        yield from (Figure(group, name, _mean([c.newest for c in found], name)) for name in GOALS)


def _mean(scores: Sequence[Scores], name: str) -> float:
    known = [value for one in scores if (value := one[name]) is not None]
    return mean(known) if known else 0.0


def listed(cases: Sequence[Case]) -> Iterator[str]:
    """A line for each case."""
    yield f"nth, tokens, of, {', '.join(GOALS)}; the same of the newest messages"
    for case in cases:
        ours, newest = ("  ".join(_shown(one[name]) for name in GOALS) for one in (case.ours, case.newest))
        yield f"{case.nth} {case.tokens:7,d} {case.everything:9,d}  {ours}   {newest}  {case.session}"


def _shown(value: float | None) -> str:
    return "   -" if value is None else f"{value:4.2f}"


# ── judging ──────────────────────────────────────────────────────────────────────────────────────────


def judged(source: Path, judge: Path) -> list[Case]:
    """Every cut of a session that has enough behind it."""
    continuity, reader = loaded(judge), Reader()
    read = continuity.codex if source.parent.name == "codex" else continuity.claude
    messages = read(str(source))
    cuts = told(placed(source), reader, continuity)
    return [case for cut in cuts if (case := _case(source, cut, messages, continuity))]


def loaded(judge: Path) -> ModuleType:
    if str(judge.parent) not in sys.path:
        sys.path.append(str(judge.parent))
    return importlib.import_module(judge.stem)


def _case(source: Path, cut: Cut, messages: Sequence[Json], judge: ModuleType) -> Case | None:
    before, after = parted(messages, cut.told)
    if len(after) < _LEAST_AHEAD:
        return None
    budget = max(cut.tokens, ceil(len(cut.text) / _TOKEN_CHARS))
    label = judge.label(before, after, budget)
    newest = judge.tail(before, len(cut.text), judge.clean)
    return Case(
        session=f"{source.parent.name}/{source.name}",
        nth=cut.nth,
        tokens=cut.tokens,
        everything=cut.everything,
        ours=judge.score(label, cut.text),
        newest=judge.score(label, newest),
    )


def parted(messages: Sequence[Json], told: frozenset[int]) -> tuple[list[Json], list[Json]]:
    """The judge's messages that were told, and those that came next, until the agent itself compacted: nothing of
    one is in the other. Its summaries were not told."""
    last = max(told, default=-1)
    before = [message for message in messages if message["line"] in told]
    after: list[Json] = []
    for message in messages:
        if message["line"] > last and message["flag"] == "compact_summary":
            break
        if message["line"] > last and message["flag"] != "compact_boundary":
            after.append(message)
    return before, after[:_AHEAD]


# ── telling ──────────────────────────────────────────────────────────────────────────────────────────


def placed(source: Path) -> list[Placed]:
    """The conversation as its model saw it, less what the client put in the place of older parts."""
    with clew.open(":memory:") as engine, open_source(str(source)) as stream:
        codec = registry.detect(peek(stream), str(source))
        session, telling = engine.session("placed"), Telling(codec.name)
        lines: dict[str, tuple[int, ...]] = {}
        for raw in codec.split(stream):
            if isinstance(raw, Skipped):
                continue
            try:
                incoming = Incoming(codec.name, raw.body, codec.read(raw.body))
            except ValueError:
                continue
            for number in engine.ledger.append(session.info, [incoming], telling).numbers:
                lines[f"m{number}"] = (*lines.get(f"m{number}", ()), raw.line - 1)
        view = session.history().prompt_view()
    kept = [message for message in view if message.role is not Role.SYSTEM and message.origin is not Origin.SUMMARY]
    return [Placed(piece, lines[message.id]) for message in kept for piece in apart(message)]


def told(messages: Sequence[Placed], reader: Reader, judge: ModuleType, *, nth: Sequence[int] = _NTH) -> Iterator[Cut]:
    """Tells a session at default settings with a pack before every reply; the cuts that are wanted."""
    config = replace(Config(), compaction=replace(CompactionConfig(), background=False))
    clock, epoch, count, everything = ToldClock(), 0, 0, 0
    lines: set[int] = set()
    with clew.open(":memory:", config=config, clock=clock) as engine:
        session = engine.session("told", model=MODEL, window=WINDOW)
        session.record(system=system_prompt(reader))
        for one in messages:
            if one.message.role is Role.ASSISTANT:
                pack = session.pack()
                items = pack.request(PROVIDER)["messages"]
                is_compaction = pack.epoch != epoch and any(part.name == "story" for part in pack.sections)
                count, epoch = count + is_compaction, pack.epoch
                if is_compaction and count in nth:
                    yield Cut(count, sent_text(items, judge), _tokens(pack), everything, frozenset(lines))
                if count == max(nth):
                    return
            clock.at = max(clock.at, one.message.at or 0.0)
            session.record([one.message])
            lines.update(one.lines)
            everything += sum(item.tokens for item in reader.items(one.message))


def _tokens(pack: Pack) -> int:
    return pack.tokens - sum(section.tokens for section in pack.sections if section.name == "system")


def sent_text(items: Sequence[Json], judge: ModuleType) -> str:
    """A request as the judge reads messages: texts, what calls were given, and outputs without line numbers."""
    texts: list[str] = []
    for item in items:
        if item["role"] == "system":
            continue
        said = "\n".join(_words(item))
        texts.append(judge.NUMBERED.sub("", said) if item["role"] == "tool" else said)
        texts += [judge.values(given) for given in _given(item)]
    return "\n".join(texts)


def _words(item: Json) -> Iterator[str]:
    content = item.get("content")
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part.get("text"), str):
            yield part["text"]


def _given(item: Json) -> Iterator[str]:
    """Arguments of the tools that an item calls."""
    for call in item.get("tool_calls") or ():
        inner = call.get("function") or call.get("custom") or {}
        yield inner.get("arguments", inner.get("input", ""))
