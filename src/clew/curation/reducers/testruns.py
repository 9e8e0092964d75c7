"""Test runs: what failed, where and why, and the totals; tests that passed are counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, islice

from clew.curation.line_rules import FAILURE_RULES, LineRule, LineRules, weigh_lines, without_prefixes
from clew.curation.lines import NOISE, PLAIN, STRONG, USEFUL, VITAL, WeightedLine, demote_repeats
from clew.curation.stack_traces import fit_lines_with_locations, weigh_stack_frames
from clew.text.tools.actions import RunResult
from clew.text.tools.reports import read_report

#: Lines kept from either end of a run in which nothing failed.
_FIRST_LINES, _LAST_LINES = 4, 8
#: Share of the limit for names of tests that passed, and what their names are made up with.
_NAMES_SHARE = 6
_JOINTS = ("::", " > ", " › ", "/")
_PASSED_NAME = re.compile(
    r"^--- PASS: (\S{1,120})|^ok  \t(\S{1,120})|^test (\S{1,120}) \.\.\. ok$|^(\S{1,160}) PASSED\b|"
    r"^\s{0,12}\(pass\) (.{1,120}?)(?: \[[\d.]+ ?m?s\])?$|^\s{0,12}[✓√✔] (.{1,120}?) [\[(]?[\d.]+ ?m?s[\])]?$|"
    r"^(\w{1,120}) \([\w.]{1,120}\) \.\.\. ok$",
    re.MULTILINE,
)
_BEGUN_NAME = re.compile(r"^=== RUN   ([^\s/]{1,120})$", re.MULTILINE)
_ENDED_NAME = re.compile(r"^--- (?:PASS|FAIL|SKIP): (\S{1,120})", re.MULTILINE)
_TOTAL, _CAUSE = VITAL + 1, VITAL
_PASSED = "passed"

_TOTALS = [
    r"^=+ .*\b\d+ (?:passed|failed|errors?|skipped|deselected|warnings?)\b.*=+$|^=+ no tests ran",
    r"\b\d+ (?:passed|failed)\b.*\b(?:in|\d)[ \d.]+ ?m?s",
    r"^\s*(?:Tests?|Test Suites|Test Files|Snapshots|Suites)[:\s]\s*\d",
    r"^Ran \d+ tests?\b|^(?:OK|FAILED)(?: \(.*\))?$",
    r"^\s*\d+ (?:pass|fail|skip|todo|passing|failing|pending)\b",
    r"^test result: ",
    r"\b\d+ examples?, \d+ failures?",
    r"^\[?(?:INFO|ERROR|WARNING)?\]? ?Tests run: \d+.*(?:Failures: [1-9]|Errors: [1-9]|FAIL)|BUILD (?:SUCCESS|FAIL)",
    r"\b\d+% tests passed|^Tests: \d+, Assertions|^(?:Passed|Failed)!\s+- Failed:",
    r"^# (?:tests|pass|fail|skipped) \d+|^(?:FAIL|ok)$|^DONE \d+ tests",
]
_CAUSES = [
    r"^E {2,}\S|^E\s*$",
    r"^\S+\.\w+:\d+: (?:in |\w*(?:Error|Exception|Failed|Warning))",
    r"^(?:FAILED|ERROR) \S",
    r"^(?:FAIL|ERROR): \S|\.\.\. (?:FAIL|ERROR|FAILED)$",
    r"^\s*(?:●|✕|✗|✘|✖|×|❯) \S|^\s*FAIL\b|^\s*\(fail\)",
    r"^\s*--- FAIL: |^FAIL\t|^panic: |^\s+\S+_test\.go:\d+: ",
    r"^\s+\S+\.go:\d+:? \S|^\s+Error(?: Trace)?:\s|^\s+Test:\s",
    r"^---- .* stdout ----|panicked at |^\s*(?:left|right): ",
    r"^\s+\d+\) |Failure/Error:|^rspec \./|^\s+# \./\S+:\d+",
    r"<<< (?:FAILURE|ERROR)!|^\[ERROR\] |\*\*\*(?:Failed|Timeout|Exception)|^\s*not ok \d",
    r"(?i)^\s*(?:[+-] )?(?:expected|received|actual|got|wanted?)\b.{0,3}[:=]",
    r"^\s*(?:Assertion(?:Failed)?Error|AssertionError|Error|TypeError|ReferenceError|error)\b.*:",
]
_NOISES = [
    r"^=== (?:RUN|PAUSE|CONT|NAME)\b|^\s*--- (?:PASS|SKIP): |^\?\s+\S+\s+\[no test files\]",
    r"^PASS$|^ok\s+\S+\s+(?:\(cached\)|[\d.]+m?s)|^testing: warning: no tests to run",
    r"^\s*(?:✓|√|✔|✅) |^\s*\(pass\) |^\s*PASS \S",
    r"^\S+ (?:PASSED|SKIPPED|XFAIL)\b| PASSED\s*(?:\[ *\d+%\])?$|^\S+::\S+ [.sxX]+",
    r"^test \S.* \.\.\. (?:ok|ignored)|\.\.\. ok$|^\s*ok \d+\b",
    r"^(?:[\w./\\-]+ )?[.sxX]{2,}\s*(?:\[ *\d+%\])?$",
    r"^\s*\d+/\d+ Test +#\d+: .* Passed|^\s*Start +\d+: |^\[ +(?:OK|RUN|-+|=+) +\]|^\[[-=]{6,}\]",
    r"^\[INFO\] |^> Task :|^\s*Compiling |^\s*Running |^Tests run: ",
]

_RUNNERS = LineRules(
    *(LineRule(pattern, _TOTAL) for pattern in _TOTALS),
    *(LineRule(pattern, NOISE, _PASSED) for pattern in _NOISES),
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
    names = [told for told in (_list_passed(bare, room), _list_unfinished(bare, room)) if told]
    shown = fit_lines_with_locations(demote_repeats(lines), max(limit - sum(map(len, names)), limit // 2))
    return "\n".join([shown.rstrip(), *names])


def _list_passed(text: str, room: int) -> str:
    """Names of tests that passed, what several share said once, as many as there is room for."""
    names = list(dict.fromkeys(name.strip() for found in _PASSED_NAME.findall(text) for name in found if name))
    return _list_names(_PASSED, names, room)


def _list_unfinished(text: str, room: int) -> str:
    """Tests of which only the beginning is shown, as when the output of a run was cut."""
    ended = set(_ENDED_NAME.findall(text))
    return _list_names("begun", [name for name in dict.fromkeys(_BEGUN_NAME.findall(text)) if name not in ended], room)


def _list_names(label: str, names: Sequence[str], room: int) -> str:
    groups: dict[str, list[str]] = {}
    for name in names:
        above, joint, last = name.rpartition(next((joint for joint in _JOINTS if joint in name), "/"))
        groups.setdefault(above + joint, []).append(last)
    said, count = list[str](), 0
    for above, lasts in groups.items():
        ends = accumulate((len(last) + 2 for last in lasts), initial=len(above))
        told = [last for last, end in zip(lasts, islice(ends, 1, None), strict=True) if end <= room]
        if not told:
            break
        said.append(f"{above}{{{', '.join(told)}}}" if len(told) > 1 and above else above + ", ".join(told))
        room -= len(said[-1]) + 2
        count += len(told)
    more = [f"… {len(names) - count:,} more"] if count < len(names) else []
    return f"{label}: {', '.join(said + more)}" if said else ""


def _without_chatter(lines: Sequence[WeightedLine]) -> list[WeightedLine]:
    """Where nothing failed, what tests print on the way is of no use; how the run began and ended is."""
    ends = {*range(_FIRST_LINES), *range(len(lines) - _LAST_LINES, len(lines))}
    return [line if at in ends or _is_kept(line) else _as_chatter(line) for at, line in enumerate(lines)]


def _is_kept(line: WeightedLine) -> bool:
    return not line.text or line.weight in {NOISE, _TOTAL} or line.weight == USEFUL


def _as_chatter(line: WeightedLine) -> WeightedLine:
    return line._replace(weight=NOISE, label="printed on the way")
