"""Order: what has to be run before a commit or a push, or after a change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.history.work_map.commands import is_test
from clew.signals.adherence.checks.rows import Row
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.turn import NOTHING, Judged, Turn
from clew.signals.adherence.checks.work import Ran

#: How rules call what is to be run, and how its commands look.
_RUNS = {
    "tests": (r"\b(?:tests?|specs)\b", r"(?!(?:cat|ls|grep|rg|git|cd|echo|sed|find|head|tail) ).*\b(?:tests?|check|spec)\b"),
    "lint": (r"\blint\w*", r".*\b(?:lint\w*|ruff|eslint|flake8|clippy|golangci-lint|biome|pylint|rubocop|check)\b"),
    "types": (r"\btype[ -]?check\w*", r".*\b(?:tsc|mypy|pyright|type-?check\w*|check)\b"),
    "build": (r"\b(?:build|compile)\b", r".*\b(?:build|compile|tsc|make)\b"),
    "format": (r"\b(?:format\w*|prettier)\b", r".*\b(?:fmt|format\w*|prettier|black|gofmt|rustfmt|ruff|biome)\b"),
}  # fmt: skip
_RUN = r"\b(?:run|execute|do|re-?run|make sure|ensure|verify|check|pass)\b"
_EVERY = r"(?:you |any |every |each |all |your |a |the |making |make |doing |code )*"
_DUE = (
    rf"{_RUN}(?P<what>[^.;]{{2,60}}?)\b(?:(?:before|prior to) {_EVERY}(?P<act>commit|push)"
    rf"|after {_EVERY}(?:chang|edit|modif|updat))"
    rf"|\b(?:before {_EVERY}(?P<later>commit|push)|after {_EVERY}(?:chang|edit|modif|updat))\w*,?[^.;]{{0,20}}?{_RUN}"
    r"(?P<then>[^.;]{2,60})"
)
_COMMAND = re.compile(r"[a-z./][\w./-]*(?: [\w./:=@-]+){0,8}")


def judge_order(turn: Turn, what: str, act: str) -> Judged:
    """Something runs before the first ``act`` (commit, push), or with none after the last change of code."""
    runs = [ran.call for ran in turn.work.ran if _is_run(ran, what)]
    edits = [one.call for one in turn.work.written]
    if not act:
        return _after(turn, runs, edits)
    first = next((ran for ran in turn.work.ran if re.match(rf"git {act}\b", ran.line)), None)
    if first is None:
        return NOTHING
    if any(call <= first.call for call in runs):
        return Judged(1.0, call=first.call)
    seen = any(call < first.call for call in edits)
    return Judged(0.15 if seen else 0.5, sure=seen, evidence=first.shown, call=first.call)


def _after(turn: Turn, runs: list[int], edits: list[int]) -> Judged:
    if not edits:
        return NOTHING
    if runs and max(runs) > max(edits):
        return Judged(1.0)
    sure = turn.is_final and bool(turn.reply.strip()) and not runs
    return Judged(0.2 if sure else 0.5, sure=sure, evidence="no run after the last change", call=max(edits))


def _is_run(ran: Ran, what: str) -> bool:
    if what not in _RUNS:
        return what in ran.shown
    return re.match(_RUNS[what][1], ran.line) is not None or (what == "tests" and is_test(ran.shown))


def _due(rule: Rule, found: re.Match[str]) -> Iterator[tuple[str, str]]:
    text, act = found["what"] or found["then"], found["act"] or found["later"] or ""
    if rule.forbids:
        return
    commands = [one.text for one in rule.quotes(text)]
    names = [command for command in commands if _COMMAND.fullmatch(command)]
    names = names if commands else [name for name, (called, _) in _RUNS.items() if re.search(called, text)]
    yield from ((name, act) for name in names)


ROWS = (Row(_DUE, judge_order, _due, lambda rule: not rule.is_question),)
