"""Everything that was ever recorded, for each provider: no request may break a rule, no pack may be over its budget,
and everything that a pack leaves out can be read.

Packs are made at 50 budgets. With data each session takes 8 of them, all 50 over the sessions: up to an hour on two
cores. ``CLEW_BENCH_FULL=1`` makes every session take all, which takes hours. What is found stands in
``.bench/validity.txt`` as soon as its file is done.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import clew
from bench.data import CACHE, tau, transcripts
from bench.results import Figure
from clew import rules
from clew.codecs import jsonio, registry
from clew.domain import Json, Role
from clew.engine.engine import Engine
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from clew.errors import BudgetExceeded, ClewError
from clew.tokens.encodings import count

_WORKERS = 2
_SMALLEST, _LARGEST, _BUDGETS = 2_000, 200_000, 50
BUDGETS = [round(_SMALLEST * (_LARGEST / _SMALLEST) ** (at / (_BUDGETS - 1))) for at in range(_BUDGETS)]
#: Budgets a session takes of all, where there are many sessions.
_SOME = 8
#: What requests say of thinking, one after the other: nothing, and each mode as a model takes it.
_MODES: tuple[Json, ...] = (
    {},
    {"model": "claude-opus-4-5", "max_tokens": 1, "thinking": {"type": "enabled", "budget_tokens": 1_024}},
    {"model": "claude-opus-4-6", "max_tokens": 1, "thinking": {"type": "adaptive"}},
    {"model": "claude-opus-4-5", "max_tokens": 1, "thinking": {"type": "disabled"}},
    {"model": "claude-opus-4-5", "max_tokens": 1},
)
#: From here on a budget is one that people choose: nothing that is guaranteed may be too large for it.
_USUAL_BUDGET = 8_000
_TOO_SMALL, _REFUSED = "budget below system and input alone", "budget exceeded"
_CALLERS = {"system", "input", "query"}
_QUERY_CHARS = 200
_BLOB = re.compile(rb"whole: (b[0-9a-f]{12})")
#: Fields that hold no words: seals, media and form, which no provider counts by their letters.
_SEALED = {"signature", "thoughtSignature", "encrypted_content", "data", "url", "image_url", "mimeType", "media_type"}
_FORM = {"id", "call_id", "tool_call_id", "tool_use_id", "type", "role", "status", "phase", "cache_control"}
_NO_WORDS = _SEALED | _FORM | {"internal_chat_message_metadata_passthrough"}


@dataclass(slots=True)
class Tally:
    """What the packs of one file came to; ``findings`` has a line for each that is not as it should be."""

    sums: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)


def run() -> list[Figure]:
    files = sorted([*transcripts(), *tau()], key=lambda path: (path.stat().st_size, path))
    everything = len(files) < _SOME or bool(os.environ.get("CLEW_BENCH_FULL"))
    sums: Counter[str] = Counter()
    for seen in _judge_all(files, None if everything else _SOME):
        sums += seen.sums
    return _figures(sums)


def _figures(sums: Counter[str]) -> list[Figure]:
    asked = ("sessions", "messages", "records skipped", "repairs")
    whole = [f"invalid for {name}" for name in registry.PROVIDERS]
    refused = (_REFUSED, f"{_REFUSED} from {_USUAL_BUDGET:,}")
    packs = ("invalid", "over budget", "more words than the budget", *refused, "failed")
    return [
        *(Figure("validity", name, sums[name]) for name in asked),
        *(Figure("validity", name, sums[name], "sessions", "= 0") for name in whole),
        Figure("packs", "asked for", sums["made"]),
        Figure("packs", _TOO_SMALL, sums[_TOO_SMALL], "packs"),
        *(Figure("packs", name, sums[name], "packs", "= 0") for name in packs),
        Figure("packs", "ids in them looked up", sums["ids"]),
        Figure("packs", "unreadable", sums["unreadable"], "ids", "= 0"),
    ]


def _judge_all(files: list[Path], some: int | None) -> Iterator[Tally]:
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "validity.txt").open("w") as out, ProcessPoolExecutor(_WORKERS) as pool:
        begun = [pool.submit(judge, path, at, some) for at, path in enumerate(files)]
        for at, done in enumerate(as_completed(begun), 1):
            print(f"  {at} of {len(files)} files", file=sys.stderr, flush=True)
            out.writelines(f"{line}\n" for line in done.result().findings)
            out.flush()
            yield done.result()


def judge(path: Path, at: int, some: int | None) -> Tally:
    """One file: its sessions whole, then as packs, at ``some`` budgets each or at all."""
    seen = Tally()
    with clew.open(":memory:") as engine:
        reports = engine.import_file(path)
        for place, report in enumerate(reports):
            session = engine.find(report.session)
            seen.sums.update(
                {
                    "sessions": 1,
                    "messages": report.messages,
                    "records skipped": len(report.skipped),
                    "repairs": len(session.reader.prompt()[1]),
                }
            )
            for provider in registry.PROVIDERS:
                found = rules.check(session.reader.request(provider)[0].body, provider)
                seen.sums[f"invalid for {provider}"] += bool(found)
            _Packs(engine, session, path.name, seen).judge(budgets_of(at + place, some))
    return seen


def budgets_of(at: int, some: int | None) -> list[int]:
    """Budgets from small to large; the next session takes the ones beside them."""
    if some is None:
        return BUDGETS
    return sorted(BUDGETS[(at + step * _BUDGETS // some) % _BUDGETS] for step in range(some))


class _Packs:
    """The packs of one session. An id is looked up once."""

    def __init__(self, engine: Engine, session: Session, name: str, seen: Tally) -> None:
        self._engine, self._session, self._name, self._seen = engine, session, name, seen
        self._known: set[str] = set()
        self._query = _query(session)

    def judge(self, budgets: Iterable[int]) -> None:
        for at, budget in enumerate(budgets):
            # A handle keeps what it packed for every budget: with a new one for each, memory stays small.
            session = self._engine.find(self._session.id)
            for place, provider in enumerate(registry.PROVIDERS):
                query = self._query if (at + place) % 2 else None
                settings = _MODES[at % len(_MODES)] if provider == "anthropic" else {}
                self._judge(session, query, provider, budget, settings=settings)

    def _judge(self, session: Session, query: str | None, provider: str, budget: int, *, settings: Json) -> None:
        self._seen.sums["made"] += 1
        asked = {"thinking": settings.get("thinking", {}), "model": settings["model"]} if settings else {}
        where = f"{provider} at {budget}{' with a query' if query else ''} {settings.get('thinking', '')}"
        try:
            pack = session.pack(query, budget=budget, target=provider, record=False, **asked)
        except BudgetExceeded as error:
            self._found(where, str(error), *_refusal(error))
        except Exception as error:  # one that breaks must not hide the others
            self._found(where, f"{type(error).__name__}: {error}", "failed")
        else:
            self._check(pack, pack.request() | settings, where, final=query is not None)

    def _check(self, pack: Pack, request: Json, where: str, *, final: bool) -> None:
        found = rules.check(request, pack.target, final=final)
        if found:
            told = "; ".join(dict.fromkeys(f"{one.rule} at {one.at}: {one.message}" for one in found))
            self._found(where, told, "invalid")
        if pack.tokens > pack.budget:
            self._found(where, f"{pack.tokens} tokens", "over budget")
        if (counted := sum(map(count, _words(request)))) > pack.budget:
            self._found(where, f"{counted} tokens of words, told as {pack.tokens}", "more words than the budget")
        for id in _ids(pack, request):
            if id not in self._known:
                self._look_up(id, where)

    def _look_up(self, id: str, where: str) -> None:
        self._known.add(id)
        self._seen.sums["ids"] += 1
        try:
            self._session.recall(id)
        except ClewError as error:
            self._found(where, str(error), "unreadable")

    def _found(self, where: str, what: str, *names: str) -> None:
        self._seen.sums.update(names)
        self._seen.findings.append(f"{names[0]}: {self._name} ({self._session.id}), {where}: {what}")


def _refusal(error: BudgetExceeded) -> tuple[str, ...]:
    """What a budget was too small for: for the caller's own part nothing can be done."""
    own = sum(size for name, size in error.needed.items() if name in _CALLERS)
    if own >= error.budget:
        return (_TOO_SMALL,)
    return (_REFUSED, *([f"{_REFUSED} from {_USUAL_BUDGET:,}"] if error.budget >= _USUAL_BUDGET else []))


def _ids(pack: Pack, request: Json) -> Iterator[str]:
    """What a pack names: segments left out, the sources of its sections, the wholes that its markers lead to."""
    yield from (one.id for one in pack.left_out)
    yield from (source for section in pack.sections for source in section.sources)
    yield from (found.decode() for found in _BLOB.findall(jsonio.dumps(request)))


def _query(session: Session) -> str:
    """What a person asked in the middle of the session, asked again."""
    asked = [
        message.text for message in session.reader.prompt()[0] if message.role is Role.USER and message.text.strip()
    ]
    return asked[len(asked) // 2][:_QUERY_CHARS] if asked else "What is left to do?"


def _words(value: Any) -> Iterator[str]:
    """Every text in a request; of names of fields and sealed content nothing is counted."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _words(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key not in _NO_WORDS:
                yield from _words(one)
