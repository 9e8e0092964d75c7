"""Compilers, type checkers, linters and bundlers: every complaint with its place, and the outcome."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.curation.line_rules import FAILURE_RULES, LineRule, LineRules, weigh_lines
from clew.curation.lines import MAX_LINE, NOISE, STRONG, USEFUL, VITAL, WeightedLine, demote_repeats
from clew.curation.stack_traces import fit_lines_with_locations, weigh_stack_frames

_OUTCOME = VITAL + 1
_FILE = re.compile(r"(?:[A-Za-z]:)?[\w@~./\\-]{1,300}\.\w{1,10}")

_STEPS = (
    r"^\s*(?:Compiling|Checking|Downloading|Downloaded|Fetching|Locking|Adding|Updating|Fresh|Building) ",
    r"^\s*(?:Collecting|Requirement already|Using cached|Installing|Preparing|Unpacking|Get:\d+|Setting up) ?",
    r"^(?:go: downloading|npm (?:http|timing|notice)|remote: (?:Counting|Compressing)|\[INFO\]|> Task :)",
    r"^\s*(?:\[ *\d+%\] )?(?:CC|CXX|LD|AR|cc|gcc|g\+\+|clang\+?\+?)\s",
)
_RULES = (
    LineRules(
        LineRule(
            r"(?i)^(?:found )?\W{0,4}\d+ (?:errors?|warnings?|problems?|issues?)\b|\bBUILD (?:SUCCESS|FAIL)", _OUTCOME
        ),
        LineRule(
            r"(?i)^(?:error: )?could not compile|^error: aborting|^make(?:\[\d+\])?: \*\*\*|generated \d+ warnings?",
            _OUTCOME,
        ),
        LineRule(
            r"(?i)\b(?:build|compil\w+|bundl\w+) (?:success|succeeded|failed|error|complete)|^\W{0,4}built in ",
            USEFUL + 1,
        ),
        LineRule(r"^\s*Finished |^All checks passed|^Success: no issues", _OUTCOME),
        LineRule(r"^\S[^:\n]*\.\w+:\d+(?::\d+)?:? (?:note|info|remark)\b", USEFUL, follow=2),
        LineRule(r"^\S[^:\n]*\.\w+:\d+(?::\d+)?:? (?:warning|warn)\b|\(\d+,\d+\): warning", STRONG, follow=3),
        LineRule(r"^\s{0,4}[^\s:]+\.\w+:\d+(?::\d+)?[: -]|\.\w+\(\d+,\d+\): ", VITAL, follow=3),
        LineRule(r"^\s*--> \S+:\d+|^\s*(?:= )?(?:help|note): |^error(?:\[E\d+\])?[:\s]|^error TS\d+", VITAL, follow=4),
        LineRule(r"^\s+\d+:\d+\s+(?:error|✖|×)\b|^[A-Z]+\d{3,4} \S", VITAL),
        LineRule(r"^\s+\d+:\d+\s+(?:warning|⚠)\b", STRONG),
        LineRule(r"^\s*(?:ERROR|Module not found|Failed to)\b|npm ERR!|^\[ERROR\]", VITAL, follow=3),
        *(LineRule(pattern, NOISE, "steps") for pattern in _STEPS),
        LineRule(
            r"\.(?:[cm]?js|css|map|html|[cm]?ts|svg|png|wasm|woff2?)\s+\d+(?:\.\d+)? ?[kKM]?i?B\b",
            NOISE,
            "files written",
        ),
        LineRule(r"^\s*(?:\d+ )?\|", STRONG - 1),
    )
    + FAILURE_RULES
)


def reduce(text: str, limit: int) -> str:
    """Complaints with their places, the outcome, and little of the steps between."""
    lines = weigh_stack_frames(weigh_lines(text.split("\n"), _RULES))
    return fit_lines_with_locations(demote_repeats(_with_headings(lines)), limit)


def _with_headings(lines: Sequence[WeightedLine]) -> list[WeightedLine]:
    """A file that stands alone on its line is worth what is said of it below, up to a blank line."""
    out, below = list(lines), 0
    for index in range(len(lines) - 1, -1, -1):
        if _FILE.fullmatch(lines[index].text[:MAX_LINE]):
            out[index] = lines[index]._replace(weight=max(lines[index].weight, below))
            below = 0
        else:
            below = max(below, lines[index].weight) if lines[index].text else 0
    return out
