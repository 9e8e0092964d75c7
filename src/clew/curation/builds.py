"""Compilers, type checkers, linters and bundlers: every complaint with its place, and the outcome."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.curation.lines import MAX_LINE, NOISE, STRONG, USEFUL, VITAL, Line, without_repeats
from clew.curation.places import fitted_with_places
from clew.curation.stacks import with_frames
from clew.curation.weighing import FAILURES, Rule, Rules, weighed

_OUTCOME = VITAL + 1
_FILE = re.compile(r"(?:[A-Za-z]:)?[\w@~./\\-]{1,300}\.\w{1,10}")

_RULES = (
    Rules(
        Rule(
            r"(?i)^(?:found )?\W{0,4}\d+ (?:errors?|warnings?|problems?|issues?)\b|\bBUILD (?:SUCCESS|FAIL)", _OUTCOME
        ),
        Rule(
            r"(?i)^(?:error: )?could not compile|^error: aborting|^make(?:\[\d+\])?: \*\*\*|generated \d+ warnings?",
            _OUTCOME,
        ),
        Rule(
            r"(?i)\b(?:build|compil\w+|bundl\w+) (?:success|succeeded|failed|error|complete)|^\W{0,4}built in ",
            USEFUL + 1,
        ),
        Rule(r"^\s*Finished |^All checks passed|^Success: no issues", _OUTCOME),
        Rule(r"^\S[^:\n]*\.\w+:\d+(?::\d+)?:? (?:note|info|remark)\b", USEFUL, follow=2),
        Rule(r"^\S[^:\n]*\.\w+:\d+(?::\d+)?:? (?:warning|warn)\b|\(\d+,\d+\): warning", STRONG, follow=3),
        Rule(r"^\s{0,4}[^\s:]+\.\w+:\d+(?::\d+)?[: -]|\.\w+\(\d+,\d+\): ", VITAL, follow=3),
        Rule(r"^\s*--> \S+:\d+|^\s*(?:= )?(?:help|note): |^error(?:\[E\d+\])?[:\s]|^error TS\d+", VITAL, follow=4),
        Rule(r"^\s+\d+:\d+\s+(?:error|✖|×)\b|^[A-Z]+\d{3,4} \S", VITAL),
        Rule(r"^\s+\d+:\d+\s+(?:warning|⚠)\b", STRONG),
        Rule(r"^\s*(?:ERROR|Module not found|Failed to)\b|npm ERR!|^\[ERROR\]", VITAL, follow=3),
        Rule(
            r"^\s*(?:Compiling|Checking|Downloading|Downloaded|Fetching|Locking|Adding|Updating|Fresh|Building) ",
            NOISE,
            "steps",
        ),
        Rule(
            r"^\s*(?:Collecting|Requirement already|Using cached|Installing|Preparing|Unpacking|Get:\d+|Setting up) ?",
            NOISE,
            "steps",
        ),
        Rule(
            r"^(?:go: downloading|npm (?:http|timing|notice)|remote: (?:Counting|Compressing)|\[INFO\]|> Task :)",
            NOISE,
            "steps",
        ),
        Rule(r"^\s*(?:\[ *\d+%\] )?(?:CC|CXX|LD|AR|cc|gcc|g\+\+|clang\+?\+?)\s", NOISE, "steps"),
        Rule(
            r"\.(?:[cm]?js|css|map|html|[cm]?ts|svg|png|wasm|woff2?)\s+\d+(?:\.\d+)? ?[kKM]?i?B\b",
            NOISE,
            "files written",
        ),
        Rule(r"^\s*(?:\d+ )?\|", STRONG - 1),
    )
    + FAILURES
)


def reduced(text: str, limit: int) -> str:
    """Complaints with their places, the outcome, and little of the steps between."""
    lines = with_frames(weighed(text.split("\n"), _RULES))
    return fitted_with_places(without_repeats(_with_headings(lines)), limit)


def _with_headings(lines: Sequence[Line]) -> list[Line]:
    """A file that stands alone on its line is worth what is said of it below, up to a blank line."""
    out, below = list(lines), 0
    for at in range(len(lines) - 1, -1, -1):
        if _FILE.fullmatch(lines[at].text[:MAX_LINE]):
            out[at] = lines[at]._replace(weight=max(lines[at].weight, below))
            below = 0
        else:
            below = max(below, lines[at].weight) if lines[at].text else 0
    return out
