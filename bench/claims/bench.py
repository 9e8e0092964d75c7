"""The bench: packs at several cuts and budgets, each claim judged; what was open and shown; planted falsehoods."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import clew
from bench.claims.judge import Judge, Judgement, Verdict
from bench.claims.lines import line_of
from bench.claims.planted import is_caught, planted, spread
from bench.claims.reckoning import reckon
from bench.claims.records import read_sessions
from bench.data import CACHE, transcripts
from bench.results import Figure
from clew.domain import Message
from clew.errors import BudgetExceeded

_WORKERS = 2
_BUDGETS = (2_000, 6_000)
_CUTS = (0.4, 0.7, 1.0)
#: A file shorter than this many lines is judged as a whole only.
_LONG = 120
_PLANTED = 100


@dataclass(slots=True)
class Tally:
    """What was found in some files."""

    judged: list[dict[str, str]] = field(default_factory=list)
    open_items: list[dict[str, object]] = field(default_factory=list)
    planted: list[dict[str, object]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.judged += other.judged
        self.open_items += other.open_items
        self.planted += other.planted


def is_held_out(path: Path) -> bool:
    """A third of the files, by the hash of the name: the engine is never mended by looking at them."""
    return int(hashlib.sha256(path.name.encode()).hexdigest(), 16) % 3 == 0


def run() -> list[Figure]:
    """Claims, false ones, open items shown, and falsehoods caught, for the files worked with and the ones held out."""
    sources = transcripts()
    told = Tally()
    apart = Tally()
    with ProcessPoolExecutor(_WORKERS) as pool:
        for at, (source, tally) in enumerate(zip(sources, pool.map(tally_file, sources), strict=True), 1):
            (apart if len(sources) > 1 and is_held_out(source) else told).add(tally)
            print(f"  {at} of {len(sources)} files", file=sys.stderr, flush=True)
    CACHE.mkdir(exist_ok=True)
    rows = [row for tally in (told, apart) for row in tally.judged if row["verdict"] != Verdict.TRUE]
    missing = [row for tally in (told, apart) for row in tally.open_items if not row["shown"]]
    missed = [row for tally in (told, apart) for row in tally.planted if not row["caught"]]
    found = {"not true": rows, "open and not shown": missing, "planted and not caught": missed}
    (CACHE / "claims.json").write_text(json.dumps(found, indent=1, ensure_ascii=False))
    return [*_figures("claims", told), *(_figures("claims, held out", apart) if apart.judged else ())]


def _figures(group: str, tally: Tally) -> Iterator[Figure]:
    count = {verdict: sum(row["verdict"] == verdict for row in tally.judged) for verdict in Verdict}
    yield Figure(group, "claims", len(tally.judged), "", ">= 200" if group == "claims" else "")
    yield Figure(group, "false", count[Verdict.FALSE], "listed in .bench/claims.json", "= 0")
    yield Figure(group, "cannot tell", count[Verdict.UNKNOWN])
    for kind in ("to-do", "failure"):
        rows = [row for row in tally.open_items if row["kind"] == kind]
        if rows:
            share = sum(bool(row["shown"]) for row in rows) / len(rows)
            yield Figure(group, f"open {kind}s shown", share, f"of {len(rows)}", ">= 0.9")
    rows = spread(tally.planted, _PLANTED)
    yield Figure(group, "planted falsehoods", len(rows))
    if rows:
        yield Figure(group, "of them caught", sum(bool(row["caught"]) for row in rows) / len(rows), "", "= 1")


def tally_file(source: Path, *, cuts: Sequence[float] = _CUTS, budgets: Sequence[int] = _BUDGETS) -> Tally:
    """Judges the packs of one file at every cut and budget."""
    lines = source.read_text(errors="replace").split("\n")
    tally = Tally()
    for cut in cuts if len(lines) >= _LONG else cuts[-1:]:
        raw = "\n".join(lines[: int(len(lines) * cut)])
        with TemporaryDirectory() as folder:
            part = Path(folder) / source.name
            part.write_text(raw + "\n")
            for row in _cut_tallies(part, raw, f"{source.name} at {cut}", budgets):
                tally.add(row)
    return tally


def _cut_tallies(part: Path, raw: str, name: str, budgets: Sequence[int]) -> Iterator[Tally]:
    sessions = read_sessions(raw, name=part.name)
    with clew.open(":memory:") as engine:
        ids = list(dict.fromkeys(report.session for report in engine.import_file(part)))
        for id, events in zip(ids, sessions, strict=False):
            session = engine.find(id)
            judge = Judge(reckon(events), {message.id: _whole(message) for message in session.messages()})
            for budget in budgets:
                try:
                    pack = session.pack(None, budget=budget, target="text", record=False).text
                except BudgetExceeded:
                    continue
                yield _tally(judge, pack, f"{name}, {budget}")


def _whole(message: Message) -> str:
    return "\n".join(getattr(part, "text", "") for part in message.parts)


def _tally(judge: Judge, pack: str, place: str) -> Tally:
    judged = judge.judge_pack(pack)
    shown = [
        {"place": place, "kind": one.kind, "what": one.what[:200], "shown": one.is_shown(pack)}
        for one in judge.open_items()
    ]
    found = [
        {"place": place, "how": how, "line": line_of(claim)[:300], "caught": is_caught(judge, claim)}
        for how, claim in planted(judged, judge, seed=place)
    ]
    return Tally([_row(one, place) for one in judged], shown, found)


def _row(one: Judgement, place: str) -> dict[str, str]:
    claim = one.claim
    return {
        "place": place,
        "verdict": str(one.verdict),
        "kind": claim.kind,
        "claim": f"{claim.subject} {claim.value}"[:300],
        "line": claim.line[:400],
        "evidence": one.evidence,
    }
