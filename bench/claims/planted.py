"""Planted falsehoods: true claims turned into false ones by a seed, and false ones made of what the records hold."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from bench.claims.judge import Judge, Judgement, Verdict
from bench.claims.lines import Claim, pack_with
from bench.claims.runs import Ending, Fix

#: So many of one kind from one pack.
_MOST = 2


def planted(judged: Sequence[Judgement], judge: Judge, *, seed: str) -> list[tuple[str, Claim]]:
    """Falsehoods made of one pack, each with how it was made; the seed decides which."""
    chance = random.Random(seed)
    true = [one.claim for one in judged if one.verdict is Verdict.TRUE]
    found = [*_turned(true, chance), *_invented(judge)]
    chance.shuffle(found)
    kept: list[tuple[str, Claim]] = []
    for how, claim in found:
        if sum(other == how for other, _ in kept) < _MOST:
            kept.append((how, claim))
    return kept


def is_caught(judge: Judge, claim: Claim) -> bool:
    """Whether the checker, given a pack that states this claim, finds it false."""
    judged = judge.judge_pack(pack_with(claim))
    return any(one.verdict is Verdict.FALSE and one.claim.kind == claim.kind for one in judged)


def spread(rows: Sequence[dict[str, object]], limit: int) -> list[dict[str, object]]:
    """So many of the planted ones, from every kind in turn."""
    by_kind: dict[object, list[dict[str, object]]] = {}
    for row in rows:
        by_kind.setdefault(row["how"], []).append(row)
    turns = [row for group in zip_longest(*by_kind.values()) for row in group if row is not None]
    return turns[:limit]


def _turned(true: Sequence[Claim], chance: random.Random) -> Iterator[tuple[str, Claim]]:
    for claim in true:
        for how, turn in _TURNS.get(claim.kind, ()):
            changed = turn(claim, chance)
            if changed is not None and changed != claim:
                yield how, changed


def _other_digits(text: str, chance: random.Random) -> str:
    """A text whose first number of a result is another one."""
    return re.sub(r"\d+", lambda found: str(int(found[0]) + chance.randint(3, 9) * 1000), text, count=1)


def _other_hash(hash: str, chance: random.Random) -> str:
    at = chance.randrange(min(7, len(hash)))
    return hash[:at] + ("0" if hash[at] != "0" else "f") + hash[at + 1 :]


def _count(claim: Claim, chance: random.Random) -> Claim | None:
    """Another number in the result that is shown."""
    if not re.search(r"\d", claim.value):
        return None
    value = _other_digits(claim.value, chance)
    return replace(claim, value=value, line=claim.line.replace(claim.value, value))


def _edits(claim: Claim, chance: random.Random) -> Claim | None:
    deed, _, count = claim.value.partition(" ")
    return replace(claim, value=f"{deed} {int(count) + chance.randint(60, 90)}") if count else None


def _shown_open(claim: Claim, chance: random.Random) -> Claim | None:
    return replace(claim, value=chance.choice(["open", "doing"])) if claim.value == "done" else None


def _shown_done(claim: Claim, _chance: random.Random) -> Claim | None:
    return replace(claim, value="done") if claim.value != "done" else None


def _passed_as_failed(claim: Claim, _chance: random.Random) -> Claim:
    line = f"failed, not seen to pass since ({claim.source}): `{claim.subject}` → {claim.value}"
    return replace(claim, kind="failed", line=line)


def _not_said(claim: Claim, _chance: random.Random) -> Claim:
    return replace(claim, subject="not said" if claim.subject == "no" else "no")


_Turn = Callable[[Claim, random.Random], Claim | None]
_TURNS: dict[str, list[tuple[str, _Turn]]] = {
    "to-do": [("a done to-do shown open", _shown_open), ("an open to-do shown done", _shown_done)],
    "to-dos done": [("another number of to-dos", lambda claim, _: replace(claim, subject=str(int(claim.subject) + 2)))],
    "passed": [("failed for ok", _passed_as_failed), ("wrong counts of a run", _count)],
    "failed as a whole": [("another check", lambda claim, _: replace(claim, subject=f"{claim.subject} --all"))],
    "failed": [
        ("ok for failed", lambda claim, _: replace(claim, kind="passed", line=claim.line.partition("(")[2])),
        ("wrong counts of a run", _count),
    ],
    "running": [("another process", lambda claim, _: replace(claim, value=f"{claim.value}9"))],
    "branch": [("another branch", lambda claim, _: replace(claim, subject=f"{claim.subject}-2"))],
    "commit": [("another commit id", lambda claim, chance: replace(claim, subject=_other_hash(claim.subject, chance)))],
    "made on": [("a commit on another branch", lambda claim, _: replace(claim, value=f"{claim.value or 'main'}-2"))],
    "head": [("another HEAD", lambda claim, chance: replace(claim, subject=_other_hash(claim.subject, chance)))],
    "pushed": [("pushed elsewhere", lambda claim, _: replace(claim, subject=f"{claim.subject}-old"))],
    "commits pushed": [("pushed for not pushed, or the other way", _not_said)],
    "status": [("another status", lambda claim, _: replace(claim, subject=_other_status(claim.subject)))],
    "pull request": [("another pull request", lambda claim, _: replace(claim, subject=f"{claim.subject}9"))],
    "opened": [("another link", lambda claim, _: replace(claim, subject=f"{claim.subject}7"))],
    "not committed": [("another file not committed", lambda claim, _: replace(claim, subject=f"{claim.subject}.bak"))],
    "file": [
        ("wrong count of edits", _edits),
        ("a file that is there shown deleted", lambda claim, _: _deleted(claim)),
        ("a file that was not changed", lambda claim, _: replace(claim, subject=f"{claim.subject}_2")),
    ],
}


def _other_status(listed: str) -> str:
    return "changed no_such_file.py" if listed == "clean" else f"changed no_such_file.py, {listed}"


def _deleted(claim: Claim) -> Claim | None:
    return None if claim.value.startswith("deleted") else replace(claim, value="deleted")


# ── from what the records hold ───────────────────────────────────────────────────────────────────────


def _invented(judge: Judge) -> Iterator[tuple[str, Claim]]:
    state = judge.state
    for run, fix, _ in state.failures():
        if fix is Fix.SURE and (source := judge.source_of(run.order)):
            line = f"failed, not seen to pass since ({source}): `{run.command}` → "
            yield "a fixed failure shown as open", Claim("failed", line, run.command, "", source)
    for run in state.runs:
        names = {one.name for one in run.programs}
        if "git commit" in names and run.ending in {Ending.FAILED, Ending.NOT_RUN}:
            hash = f"{len(run.command) * 7919 % 16**7:07x}"
            yield "committed though it was refused", Claim("commit", "commits: …", hash, "a subject", "m1")
        if run.ending is Ending.NOT_RUN and run.checks and (source := judge.source_of(run.order)):
            yield "a refused command shown as passed", Claim("passed", "passed", run.command, "", source)
        if run.ending in {Ending.STOPPED, Ending.UNSAID} and (source := judge.source_of(run.order)):
            yield "a run that says of no pass shown as passed", Claim("passed", "passed", run.command, "", source)
        if run.ending is Ending.FAILED and run.checks and (source := judge.source_of(run.order)):
            yield (
                "a failure with another's pass",
                Claim("failed", f"failed ({source})", run.command, "9 passed", source),
            )
    for id, (order, command) in state.started.items():
        if id in state.ended and (source := judge.source_of(order)):
            yield "running though it ended", Claim("running", "seen running", command, id, source)
    if state.last_commit() >= 0:
        yield "no commit though there is one", Claim("no commit", "no commit seen in this session")
    if state.pushes:
        yield "no push though there is one", Claim("no push", "no push seen")
