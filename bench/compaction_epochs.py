"""Could the work go on after the first, the third and the fifth compaction?

Real sessions are told to Clew as they grew, with a pack before every reply. What is sent where a compaction begins is
judged against what the agent did next, beside the newest messages cut to the same size. It is the request that is
judged, snapshot and newest messages together, as that is all a model would go on from. The judge is no part of Clew:
it lies beside the data. Every case is listed in ``.bench/epochs.txt``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from math import ceil
from pathlib import Path
from statistics import mean
from typing import Any

import re2

import clew
from bench.data import CACHE, folder, transcripts
from bench.money_items import MODEL, PROVIDER, Reader, split_outputs
from bench.money_needs import argument_values
from bench.money_replay import WINDOW, MessageClock, system_prompt
from bench.packs import _GOALS
from bench.results import Figure
from clew.codecs import registry
from clew.codecs.sources import open_source, peek
from clew.config import CompactionConfig, Config
from clew.domain import Json, Message, Origin, Role, SkippedRecord
from clew.engine.ledger.records import ChannelCursor, DecodedRecord
from clew.engine.prompt.pack import Pack

_WORKERS = 2
#: The compactions that are judged, and the clients whose files the judge reads.
_ORDINALS = {1: "1st", 3: "3rd", 5: "5th"}
_KINDS = ("claude-code", "agent", "codex", "unknown")
#: Of what came next the judge looks at so many messages; with fewer than the least there is nothing to judge by.
_AHEAD, _LEAST_AHEAD = 60, 15
#: The judge cuts off what has more characters to a token. Tokens are counted exactly here, so nothing is too long.
_MOST_CHARS = 4.4
#: Numbers that a tool puts before lines of a file; the judge leaves them out where it reads messages.
_NUMBERED = re2.compile(r"(?m)^\s*\d+(?:→|\t|:|-)")

Scores = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class LocatedMessage:
    """A message, and the lines of its file (from 0) that tell it."""

    message: Message
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """What is sent where the ``nth`` compaction begins, with and without what calls were given; its tokens less the
    system prompt, those of everything so far, and the lines of the file that were told by then."""

    nth: int
    text: str
    without_calls: str
    tokens: int
    everything: int
    lines_told: frozenset[int]


@dataclass(frozen=True, slots=True)
class Case:
    """One cut of one session, judged."""

    session: str
    nth: int
    tokens: int
    everything: int
    ours: Scores
    without_calls: Scores
    newest: Scores


def run() -> list[Figure]:
    judge = judge_path()
    if folder("transcripts") is None or judge is None:
        return [Figure("epochs", "cases", 0, "no data")]
    sources = sorted(transcripts(*_KINDS), key=lambda path: (-path.stat().st_size, path))
    with ProcessPoolExecutor(_WORKERS) as pool:
        begun = [pool.submit(judge_session, source, judge) for source in sources]
        cases = unique_cases([case for one in begun for case in one.result()])
    CACHE.mkdir(exist_ok=True)
    (CACHE / "epochs.txt").write_text("".join(f"{line}\n" for line in case_lines(cases)))
    return list(case_figures(cases))


def judge_path() -> Path | None:
    home = os.environ.get("CLEW_BENCH_DATA", "")
    found = Path(home).absolute().parent / "tools" / "continuity.py"
    return found if home and found.exists() else None


def unique_cases(cases: Sequence[Case]) -> list[Case]:
    """A session that was taken up again in another file is told twice, up to there; it counts once."""
    return list({(case.nth, case.everything, *case.ours.items()): case for case in reversed(cases)}.values())[::-1]


def case_figures(cases: Sequence[Case]) -> Iterator[Figure]:
    """Of each compaction the six measures with their goals, and the same for the newest messages."""
    for nth, ordinal in _ORDINALS.items():
        found = [case for case in cases if case.nth == nth]
        group = f"epochs, {ordinal}"
        yield Figure(group, "cases", len(found))
        if found:
            yield from _measures(group, [case.ours for case in found], has_goals=True)
            stale = _mean([case.without_calls for case in found], "stale")
            yield Figure(group, "stale, calls left out", stale, "what an edit was given to replace is no claim")
            yield Figure(group, "tokens", mean(case.tokens for case in found))
            fewer = mean(1 - case.tokens / case.everything for case in found)
            yield Figure(group, "fewer tokens", fewer, "of everything", ">= 0.7")
            yield from _measures(f"{group}, newest messages", [case.newest for case in found], has_goals=False)


def _measures(group: str, scores: Sequence[Scores], *, has_goals: bool) -> Iterator[Figure]:
    for name, goal in _GOALS.items():
        known = sum(one[name] is not None for one in scores)
        yield Figure(group, name, _mean(scores, name), f"of {known}", goal if has_goals else "")


def _mean(scores: Sequence[Scores], name: str) -> float:
    known = [value for one in scores if (value := one[name]) is not None]
    return mean(known) if known else 0.0


def case_lines(cases: Sequence[Case]) -> Iterator[str]:
    """A line for each case."""
    yield f"nth, tokens, of, {', '.join(_GOALS)}; the same of the newest messages"
    for case in cases:
        ours, newest = ("  ".join(_shown(one[name]) for name in _GOALS) for one in (case.ours, case.newest))
        yield f"{case.nth} {case.tokens:7,d} {case.everything:9,d}  {ours}   {newest}  {case.session}"


def _shown(value: float | None) -> str:
    return "    -" if value is None else f"{value:5.3f}"


# ── judging ──────────────────────────────────────────────────────────────────────────────────────────


def judge_session(source: Path, judge: Path) -> list[Case]:
    """Every cut of a session that has enough behind it."""
    continuity = _load_judge(judge)
    read = continuity.codex if source.parent.name == "codex" else continuity.claude
    messages = read(str(source))
    return [case for cut in replay_cuts(locate_messages(source)) if (case := _case(source, cut, messages, continuity))]


def _load_judge(path: Path) -> Any:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _case(source: Path, cut: Cut, messages: Sequence[Json], judge: Any) -> Case | None:
    before, after = split_history(messages, cut.lines_told)
    if len(after) < _LEAST_AHEAD:
        return None
    label = judge.label(before, after, max(cut.tokens, ceil(len(cut.text) / _MOST_CHARS)))
    return Case(
        session=f"{source.parent.name}/{source.name}",
        nth=cut.nth,
        tokens=cut.tokens,
        everything=cut.everything,
        ours=judge.score(label, cut.text),
        without_calls=judge.score(label, cut.without_calls),
        newest=judge.score(label, judge.tail(before, len(cut.text), judge.clean)),
    )


def split_history(messages: Sequence[Json], lines_told: frozenset[int]) -> tuple[list[Json], list[Json]]:
    """The judge's messages that were told, and those that came after the last of them, until the agent itself
    compacted: its summary is no part of either."""
    last = max(lines_told, default=-1)
    after: list[Json] = []
    for message in messages:
        if message["line"] > last and message["flag"] == "compact_summary":
            break
        if message["line"] > last and message["flag"] != "compact_boundary":
            after.append(message)
    return [message for message in messages if message["line"] in lines_told], after[:_AHEAD]


# ── telling ──────────────────────────────────────────────────────────────────────────────────────────


def locate_messages(source: Path) -> list[LocatedMessage]:
    """The conversation as its model saw it, less what the client put in the place of older parts."""
    with clew.open(":memory:") as engine, open_source(str(source)) as stream:
        codec = registry.detect(peek(stream), str(source))
        session, cursor = engine.session("placed"), ChannelCursor(codec.name)
        lines: dict[str, tuple[int, ...]] = {}
        for raw in codec.split(stream):
            if isinstance(raw, SkippedRecord):
                continue
            try:
                record = DecodedRecord(codec.name, raw.body, codec.read(raw.body))
            except ValueError:
                continue
            for id in session.channels.record([record], cursor).ids:
                lines[id] = (*lines.get(id, ()), raw.line - 1)
        view = session.reader.history().prompt_view()
    kept = [message for message in view if message.role is not Role.SYSTEM and message.origin is not Origin.SUMMARY]
    return [LocatedMessage(piece, lines[message.id]) for message in kept for piece in split_outputs(message)]


def replay_cuts(messages: Sequence[LocatedMessage]) -> Iterator[Cut]:
    """Tells a session at default settings, with a pack before every reply, until its last cut."""
    reader, clock, epoch, nth, everything = Reader(), MessageClock(), 0, 0, 0
    lines: set[int] = set()
    config = replace(Config(), compaction=replace(CompactionConfig(), background=False))
    with clew.open(":memory:", config=config, clock=clock) as engine:
        session = engine.session("told", model=MODEL, window=WINDOW)
        session.record(system=system_prompt(reader))
        for one in messages:
            if one.message.role is Role.ASSISTANT:
                pack = session.pack(target=PROVIDER)
                items = pack.request(PROVIDER)["messages"]
                has_begun, epoch = is_compaction(pack, epoch), pack.epoch
                nth += has_begun
                if has_begun and nth in _ORDINALS:
                    texts = sent_text(items), sent_text(items, with_calls=False)
                    yield Cut(nth, *texts, _tokens(pack), everything, frozenset(lines))
                if nth == max(_ORDINALS):
                    return
            clock.at = max(clock.at, one.message.at or 0.0)
            session.record([one.message])
            lines.update(one.lines)
            everything += sum(item.tokens for item in reader.items(one.message))


def is_compaction(pack: Pack, epoch: int) -> bool:
    """True when another epoch than the one before has begun, with a snapshot."""
    return pack.epoch != epoch and any(section.name == "story" for section in pack.sections)


def _tokens(pack: Pack) -> int:
    return pack.tokens - sum(section.tokens for section in pack.sections if section.name == "system")


def sent_text(items: Sequence[Json], *, with_calls: bool = True) -> str:
    """A request as the judge reads messages: texts, what calls were given, and outputs without line numbers."""
    texts: list[str] = []
    for item in items:
        if item["role"] != "system":
            said = "\n".join(_words(item))
            texts.append(_NUMBERED.sub("", said) if item["role"] == "tool" else said)
            texts += _given(item) if with_calls else ()
    return "\n".join(texts)


def _words(item: Json) -> Iterator[str]:
    content = item.get("content")
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part.get("text"), str):
            yield part["text"]


def _given(item: Json) -> Iterator[str]:
    """Every value that a call of this item was given."""
    for call in item.get("tool_calls") or ():
        inner = call.get("function") or call.get("custom") or {}
        yield from argument_values(inner.get("arguments", inner.get("input", "")))
