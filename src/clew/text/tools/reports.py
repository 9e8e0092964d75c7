"""How a run ended by what it printed: its report, read with the one vocabulary of runs.

Nothing is said to have passed by default: a report passes where a runner sums up that all went well, and nothing in it
says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from clew.text.memo import remember
from clew.text.terminal import safe
from clew.text.tools import report_lines as words
from clew.text.tools.actions import RunResult
from clew.text.trim import cut_at_word, one_line

#: How much of an output is searched, at its end, where programs sum up; a longer line is data.
_MAX_CHARS, _MAX_READ_CHARS = 30_000, 400
_MAX_LINE_CHARS = 240
_MAX_FAILURES, _MAX_TEST_CHARS = 4, 140
#: Failing tests that are named of one run.
MAX_FAILING = 12
#: Of them, those that are told.
MAX_NAMED = 3
_MAX_MESSAGES, _MAX_MESSAGE_CHARS = 3, 160
#: So many lines from either end tell that a run was stopped, or never began.
_FIRST_LINES, _LAST_LINES = 6, 12
_MANY_PASSES = 3
#: A task runner writes before each line which task it comes from, a search the number of the line.
_TASK_LABEL = re.compile(
    r"^(?:\d{1,6}[:-](?=[^\d:])|\[[\w:./@-]{1,40}\] |[\w@./-]{1,60}:[a-z][\w:-]{1,40}: "
    r"|[@\w.-]{0,40}/[@\w./-]{1,60} [\w:-]{1,40}: |[\w.-]{1,40} (?:tests?|build|lint|check|typecheck)[\w:-]{0,20}: )"
)
_TAG = re.compile(r"^\s*<[\w-]{1,40}>|</[\w-]{1,40}>\s*$")
_PLACE = re.compile(r"([\w@./\\-]{1,200}\.\w{1,8})(?:::[\w:\[\]]{1,120}|[:(](\d{1,7}))")
#: Lines that say that all went well only if others say what was run.
_UNITTEST_RAN = re.compile(r"^Ran [1-9]\d* tests? in ")
_TELLING = (words.FAILING_TEST, words.FINDING, words.ERROR, words.SOURCE_PLACE)
_NOISE = re.compile(
    r"[ \t]*(?:npm (?:notice|http|timing|warn)\b|remote:(?!.*https?://)|hint: |Delta compression|Update available"
    r"|(?:Counting|Compressing|Writing|Receiving|Resolving) (?:objects|deltas)|Run `[^`]{1,80}` to (?:upgrade|update)"
    r"|To \S+(?:\.git|/)$|index [0-9a-f]{6,40}\.\.[0-9a-f]{6,40}|diff --git |--- (?:a/|/dev/null)|Chunk ID: "
    r"|Wall time: |Process exited with code 0|Resolving dependencies|Resolved, downloaded|Saved lockfile)"
)


def without_noise(text: str) -> str:
    """Returns the text without lines that tell nothing."""
    return "\n".join(line for line in text.split("\n") if not _NOISE.match(line))


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run printed of itself. ``line`` is the one that tells the result, ``runners`` those who say that all went
    well, ``failing`` the names of tests, ``failing_places`` those of packages and files with them, and ``passing`` all
    that is named as passed. A report that ``is_cut`` lacks lines; one with errors may have them from
    another program than the one that sums up; one that ``is_summed_up`` as failed says so itself."""

    result: RunResult
    line: str = ""
    runners: frozenset[str] = frozenset()
    failing: tuple[str, ...] = ()
    failing_places: tuple[str, ...] = ()
    passing: frozenset[str] = frozenset()
    has_errors: bool = False
    is_cut: bool = False
    is_summed_up: bool = False
    watches: bool = False


class FoundFailure(NamedTuple):
    """A failure in an output: the line that reports it, and file and line where the text gives them."""

    text: str
    at: str


@remember(1 << 9)
def read_report(output: str) -> RunReport:
    """Returns how a run ended as far as its output tells."""
    lines = _report_lines(output)
    failing = matched_names(words.FAILING_TEST, lines)[:MAX_FAILING]
    good = {line: name for line in lines if (name := _passing_runner(line, lines))}
    result, line = _verdict(lines, list(good), failing)
    same = [other for other, name in good.items() if name == good.get(line) and words.COUNTS.search(other.strip())]
    if result is RunResult.PASSED and len(same) > 1:
        line = f"{line} (the last of {len(same)} such lines)"
    return RunReport(
        result,
        cut_at_word(one_line(line.strip("= \t")), _MAX_LINE_CHARS),
        frozenset(good.values()),
        failing,
        matched_names(words.FAILING_PLACE, lines)[:MAX_FAILING],
        frozenset(matched_names(words.PASSING_NAME, lines)),
        has_errors=any(map(words.ERROR.search, lines)) or any(map(words.SOURCE_PLACE.search, lines)),
        is_cut=len(output) > _MAX_CHARS or any(map(words.LEFT_OUT.search, lines)),
        is_summed_up=any(map(words.SUMS_UP_FAILURE.search, lines)),
        watches=any(map(words.WATCHES.search, lines)),
    )


def _verdict(lines: Sequence[str], good: Sequence[str], failing: Sequence[str]) -> tuple[RunResult, str]:
    edges = [line for line in (*lines[:_FIRST_LINES], *lines[-_LAST_LINES:]) if line.strip()]
    if bad := [line for line in lines if words.SUMS_UP_FAILURE.search(line)]:
        return RunResult.FAILED, bad[-1]
    if stopped := [line for line in edges if words.INTERRUPTED.search(line)]:
        return RunResult.INTERRUPTED, stopped[-1]
    if failing:
        return (RunResult.UNKNOWN, "") if good else (RunResult.FAILED, failing[0])
    absent = [line for line in edges if words.NEVER_RAN.search(line)]
    absent += [line for line in lines if words.FINDS_NOTHING.search(line)]
    if absent and not good:
        return RunResult.NOT_RUN, absent[0]
    if good:
        return RunResult.PASSED, good[-1]
    if errors := [line for line in lines if words.ERROR.search(line)]:
        return RunResult.FAILED, errors[-1]
    return RunResult.UNKNOWN, ""


def _passing_runner(line: str, lines: Sequence[str]) -> str:
    """The runner that says in a line that all went well; empty if none does."""
    match = words.SUMS_UP_SUCCESS.search(line)
    if match is None or words.SUMS_UP_FAILURE.search(line):
        return ""
    name = next(name for name, words_found in match.groupdict().items() if words_found is not None)
    if name in words.SAYS_LITTLE and _ran_nothing(name, lines) and not any(map(words.RAN_SOME.search, lines)):
        return ""
    is_bare = name == "unittest" or line == "PASS"
    return "" if is_bare and not any(map(_UNITTEST_RAN.match, lines)) and _ran_nothing(name, lines) else name


def _ran_nothing(name: str, lines: Sequence[str]) -> bool:
    return name == "unittest" or any(map(words.FINDS_NOTHING.search, lines))


def _report_lines(output: str) -> list[str]:
    text = safe(output[-_MAX_CHARS:])
    return [_TASK_LABEL.sub("", line.rstrip(), count=1)[:_MAX_READ_CHARS] for line in text.split("\n")]


def matched_names(pattern: Any, lines: Sequence[str]) -> tuple[str, ...]:
    """Returns the tests, packages or files that lines of a kind name, each once, in the order of the report."""
    names: dict[str, None] = {}
    for match in filter(None, map(pattern.search, lines)):
        name = next((group for group in match.groups() if group), "")
        names[name.strip()[:_MAX_TEST_CHARS]] = None
    return tuple(names)


def failures_in(output: str, fallback: str) -> list[FoundFailure]:
    """Returns the failures of one output, at most four; the fallback line where no pattern finds any."""
    lines = _report_lines(output)
    for pattern in _TELLING:
        if matching := [line for line in lines if pattern.search(line) and not words.PYTHON_WARNING.search(line)]:
            return [_failure_at(line, lines) for line in list(dict.fromkeys(matching))[:_MAX_FAILURES]]
    text = cut_at_word(one_line(_TAG.sub("", fallback)), _MAX_LINE_CHARS)
    return [FoundFailure(text, place_in(text))] if text else []


def without_passes(output: str) -> str:
    """Returns an output without the lines that only say of one test after the other that it passed."""
    if not any(map(f"\n{output}".__contains__, words.PASSING_SIGNS)):  # a line each is asked of most outputs in vain
        return output
    lines = output.split("\n")
    kept = [line for line in lines if not words.PASSING_TEST.search(line[:300])]
    return "\n".join(kept) if len(lines) - len(kept) >= _MANY_PASSES else output


@remember(1 << 9)
def failure_lines(output: str) -> tuple[str, ...]:
    """Returns what a check says of its failures: their names, what they found, and its counts; nothing where it reports
    none."""
    report = read_report(output)
    if report.result is not RunResult.FAILED:
        return ()
    names = [failure.text for failure in failures_in(output, report.line)][:MAX_NAMED]
    counts = report.line if words.COUNTS.search(report.line) or not names else ""
    return tuple(line for line in dict.fromkeys((*names, *_messages(output), counts)) if line)


def failure_report(output: str) -> str:
    """Returns what a check says of its failures, each on a line; empty where it reports none."""
    return "\n".join(failure_lines(output))


def _messages(output: str) -> list[str]:
    """What failing tests found, the first few lines: assertions and errors in the words of their runner."""
    lines = (line.strip() for line in _report_lines(output) if words.FINDING.search(line))
    return list(dict.fromkeys(cut_at_word(line, _MAX_MESSAGE_CHARS) for line in lines))[:_MAX_MESSAGES]


def counts_in(output: str) -> str:
    """Returns the last line in which a program counts what it did: tests passed, errors found, a commit made."""
    for line in reversed(_report_lines(output[-_MAX_CHARS // 4 :])):
        if words.COUNTS.search(line):
            return cut_at_word(one_line(line.strip("= \t")), _MAX_LINE_CHARS)
    return ""


def place_in(text: str) -> str:
    """Returns the file, with the line where it is given, that a text names; empty if it names none."""
    match = _PLACE.search(text)
    if not match:
        return ""
    return f"{match[1]}:{match[2]}" if match[2] else match[1]


def _failure_at(line: str, lines: list[str]) -> FoundFailure:
    text = cut_at_word(one_line(line), _MAX_LINE_CHARS)
    return FoundFailure(text, place_in(text) or _place_near(line, lines))


def _place_near(line: str, lines: list[str]) -> str:
    """The place named last before the line, as tracebacks do, or just after it."""
    index = lines.index(line)
    for other in [*reversed(lines[max(0, index - 6) : index]), *lines[index + 1 : index + 4]]:
        match = _PLACE.search(other)
        if match and match[2]:
            return f"{match[1]}:{match[2]}"
    return ""
