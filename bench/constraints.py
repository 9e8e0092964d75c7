"""Constraints that replies had to keep: does what a program says of each agree with what a judge said?"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench.data import folder
from bench.results import Figure
from clew.codecs import jsonio
from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import by_wording, is_checkable, judge
from clew.signals.adherence.checks.turn import CheckedTurn, Verdict

_UNKNOWN = 0.5


@dataclass(frozen=True, slots=True)
class JudgedConstraint:
    """One constraint of one reply: whether the judge found it kept, and what was found here."""

    kept: bool
    checked: Verdict | None
    worded: Verdict

    @property
    def score(self) -> float:
        """Of the check, or of wording where no program can check it."""
        return (self.checked or self.worded).score


def run() -> list[Figure]:
    """Constraints by check, by check or wording, and how often an alarm agrees with the judge."""
    home = folder("constraints")
    begun = perf_counter()
    judged = [one for path in sorted(home.glob("*.json")) for one in _judged(path)] if home else []
    if not judged:
        return [Figure("constraints", "constraints", 0, "no data")]
    spent = perf_counter() - begun
    checked = [one for one in judged if one.checked]
    alarms = [one for one in checked if one.checked and one.checked.state is RuleState.BROKEN]
    return [
        Figure("constraints", "constraints", len(judged)),
        Figure("constraints", "checked by program", len(checked), f"{len(checked) / len(judged):.0%}"),
        Figure("constraints", "AUC, checked by program", auc(checked, [_score(one) for one in checked]), "", ">= 0.8"),
        Figure("constraints", "AUC, all, others at .5", auc(judged, [_score(one) for one in judged])),
        Figure("constraints", "AUC, all, others by wording", auc(judged, [one.score for one in judged])),
        Figure("constraints", "alarms", len(alarms), f"{sum(not one.kept for one in alarms)} the judge's as well"),
        Figure("constraints", "time a constraint", spent / len(judged) * 1000, "ms"),
    ]


def _score(one: JudgedConstraint) -> float:
    return one.checked.score if one.checked else _UNKNOWN


def _judged(path: Path) -> Iterator[JudgedConstraint]:
    for dialogue in jsonio.loads(path.read_bytes()):
        for exchange in dialogue["whole_conv"]:
            turn = CheckedTurn(
                request=exchange["user prompt"], reply=exchange["response"] or "", message=exchange["name"]
            )
            for constraint, verdict in zip(exchange["constraints"], exchange.get("judge result") or (), strict=False):
                rule = constraint["content"]
                checked = judge(rule, turn, kind="constraint") if is_checkable(rule) else None
                yield JudgedConstraint(verdict["judgement"] == "Yes", checked, by_wording(rule, turn))


def auc(judged: Sequence[JudgedConstraint], scores: Sequence[float]) -> float:
    """The share of pairs of a kept and a broken one in which the kept one scores higher; ties count half."""
    kept = [score for one, score in zip(judged, scores, strict=True) if one.kept]
    broken = sorted(score for one, score in zip(judged, scores, strict=True) if not one.kept)
    if not kept or not broken:
        return float("nan")
    below = sum(bisect_left(broken, score) + bisect_right(broken, score) for score in kept) / 2
    return below / len(kept) / len(broken)
