"""Test runs: what failed, where and why, and the totals; tests that passed are counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, islice

from clew.curation.line_rules import FAILURE_RULES, LineRule, LineRules, weigh_lines, without_prefixes
from clew.curation.lines import NOISE, PLAIN, STRONG, USEFUL, VITAL, WeightedLine, demote_repeats
from clew.curation.stack_traces import fit_lines_with_locations, weigh_stack_frames
from clew.text.tools import report_lines as words
from clew.text.tools.actions import RunResult
from clew.text.tools.reports import matched_names, read_report

#: Lines kept from either end of a run in which nothing failed.
_FIRST_LINES, _LAST_LINES = 4, 8
#: Share of the limit for names of tests that passed, and what their names are made up with.
_NAMES_SHARE = 6
_JOINTS = ("::", " > ", " › ", "/")
_BEGUN_NAME = re.compile(r"^=== RUN   ([^\s/]{1,120})$", re.MULTILINE)
_ENDED_NAME = re.compile(r"^--- (?:PASS|FAIL|SKIP): (\S{1,120})", re.MULTILINE)
_TOTAL, _CAUSE = VITAL + 1, VITAL
_PASSED = "passed"

#: What the vocabulary of runs leaves to those who shorten: counts beside those that decide, what stands around a cause,
#: and how runs go on.
_COUNTS = [
    r"^=+ .*\b\d+ (?:skipped|deselected|warnings?)\b.*=+$|^Ran \d+ tests?\b|^(?:OK|FAILED)(?: \(.*\))?$",
    r"^\s*(?:Tests?|Test Suites|Test Files|Snapshots|Suites)[:\s]\s*\d",
    r"^\s*\d+ (?:pass|fail|skip|todo|pending)\b|^# (?:tests|pass|fail|skipped) \d+|^Tests: \d+, Assertions",
    r"\bBUILD (?:SUCCESS|FAIL)",
]
_CAUSES = [
    r"^E\s*$|^\S+\.\w+:\d+: (?:in |\w*(?:Error|Exception|Failed|Warning))|\.\.\. (?:FAIL|ERROR|FAILED)$",
    r"^\s*(?:●|✕|✗|✘|✖|×|❯) \S|^\s*FAIL\b|^\s+\S+\.go:\d+:? \S|^\s+Test:\s|^---- .* stdout ----|panicked at ",
    r"^\s+\d+\) |Failure/Error:|^\s+# \./\S+:\d+|<<< (?:FAILURE|ERROR)!|^\[ERROR\] |\*\*\*(?:Failed|Timeout|Exception)",
    r"(?i)^\s*(?:[+-] )?(?:expected|received|actual|got|wanted?)\b.{0,3}[:=]|^\s*(?:Assertion\w*|Error|error)\b.*:",
]
_PROGRESS = [
    r"^=== NAME\b|^\s*--- SKIP: |^PASS$|^\s*PASS \S|^\S+ (?:SKIPPED|XFAIL)\b|^\S+::\S+ [.sxX]+",
    r"^test \S.* \.\.\. ignored|\.\.\. ok$|^\s*ok \d+\b|^(?:[\w./\\-]+ )?[.sxX]{2,}\s*(?:\[ *\d+%\])?$",
    r"^\s*\d+/\d+ Test +#\d+: .* Passed|^\s*Start +\d+: |^\[ +(?:OK|RUN|-+|=+) +\]|^\[[-=]{6,}\]",
    r"^\[INFO\] |^> Task :|^\s*Compiling |^\s*Running |^Tests run: ",
]

_RUNNERS = LineRules(
    *(LineRule(pattern, _TOTAL) for pattern in (words.SUMS_UP_FAILURE.pattern, *_COUNTS)),
    *(LineRule(pattern, NOISE, _PASSED) for pattern in (words.PASSING_TEST.pattern, *_PROGRESS)),
    *(LineRule(one.pattern, _TOTAL) for one in (words.SUMS_UP_SUCCESS, words.FINDS_NOTHING)),
    *(LineRule(one.pattern, _CAUSE, follow=4) for one in (words.FAILING_TEST, words.FINDING)),
    *(LineRule(pattern, _CAUSE, follow=4) for pattern in _CAUSES),
    LineRule(r"^>\s{2,}\S|^\s*>?\s*\d+ \| |^\s*\| +\^", STRONG),
    LineRule(r"^_{3,} .* _{3,}$|^[=-]{8,}$|^={3,} [A-Za-z ]+ ={3,}$|^(?:failures|successes):$", USEFUL),
    LineRule(r"^\s*\d+ +\|", PLAIN),
)
_RULES = _RUNNERS + FAILURE_RULES


def reduce(text: str, limit: int) -> str:
    """The failures of a test run with their places and causes, its totals, and the names of what passed."""
    rows = text.split("\n")
    lines = weigh_stack_frames(weigh_lines(rows, _RULES))
    if read_report(text).result is RunResult.PASSED:
        lines = _without_chatter(lines)
    bare, room = "\n".join(without_prefixes(rows)), limit // _NAMES_SHARE
    names = [line for line in (_list_passed(bare, room), _list_unfinished(bare, room)) if line]
    shown = fit_lines_with_locations(demote_repeats(lines), max(limit - sum(map(len, names)), limit // 2))
    return "\n".join([shown.rstrip(), *names])


def _list_passed(text: str, room: int) -> str:
    """Names of tests that passed, what several share said once, as many as there is room for."""
    return _list_names(_PASSED, matched_names(words.PASSING_NAME, text.split("\n")), room)


def _list_unfinished(text: str, room: int) -> str:
    """Tests of which only the beginning is shown, as when the output of a run was cut."""
    ended = set(_ENDED_NAME.findall(text))
    return _list_names("begun", [name for name in dict.fromkeys(_BEGUN_NAME.findall(text)) if name not in ended], room)


def _list_names(label: str, names: Sequence[str], room: int) -> str:
    groups: dict[str, list[str]] = {}
    for name in names:
        above, joint, last = name.rpartition(next((joint for joint in _JOINTS if joint in name), "/"))
        groups.setdefault(above + joint, []).append(last)
    listed, count = list[str](), 0
    for above, lasts in groups.items():
        ends = accumulate((len(last) + 2 for last in lasts), initial=len(above))
        fitting = [last for last, end in zip(lasts, islice(ends, 1, None), strict=True) if end <= room]
        if not fitting:
            break
        listed.append(f"{above}{{{', '.join(fitting)}}}" if len(fitting) > 1 and above else above + ", ".join(fitting))
        room -= len(listed[-1]) + 2
        count += len(fitting)
    more = [f"… {len(names) - count:,} more"] if count < len(names) else []
    return f"{label}: {', '.join(listed + more)}" if listed else ""


def _without_chatter(lines: Sequence[WeightedLine]) -> list[WeightedLine]:
    """Where nothing failed, what tests print on the way is of no use; how the run began and ended is."""
    ends = {*range(_FIRST_LINES), *range(len(lines) - _LAST_LINES, len(lines))}
    return [line if index in ends or _is_kept(line) else _as_chatter(line) for index, line in enumerate(lines)]


def _is_kept(line: WeightedLine) -> bool:
    return not line.text or line.weight in {NOISE, _TOTAL} or line.weight == USEFUL


def _as_chatter(line: WeightedLine) -> WeightedLine:
    return line._replace(weight=NOISE, label="printed on the way")
