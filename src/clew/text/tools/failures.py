"""Finds failures in the outputs of commands: the lines that report them, and the places they name."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import re2

from clew.text.memo import remember
from clew.text.terminal import safe
from clew.text.trim import cut_at_word, one_line

#: How much of an output is searched, at its end, where programs sum up.
_MAX_CHARS = 30_000
_MAX_LINE_CHARS = 240
_MAX_FAILURES = 4


def _any(*patterns: str, flags: str = "") -> Any:
    return re2.compile(flags + "|".join(patterns))


#: Lines that name one failure, the more telling kinds first.
_FAILURE_LINES = [
    _any(
        r"^(?:FAILED|ERROR) \S+::",
        r"^\s*--- FAIL: ",
        r"^\s*(?:✕|✗|×|✘) \S",
        r"^test \S+ \.\.\. FAILED",
        r"^not ok \d+",
        r"^(?:FAIL|ERROR): \w+ \(",
    ),
    _any(
        r"^E\s{2,}\S",
        r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)\b: ",
        r"^panic: ",
        r"^thread '.*' panicked",
    ),
    _any(
        r"^\S+?[:(]\d+(?:[:,]\d+)?\)?: ?(?:fatal )?(?:error|undefined|cannot|syntax)",
        r"^error(?:\[\w+\])?: ",
        r"\berror TS\d+: ",
        r": error: ",
    ),
    _any(
        r"^\S+\.\w{1,5}:\d+:\d+: \S", r"^\s+\S+_test\.go:\d+: \S", r"^npm ERR! \S", r"^fatal: ", r"^(?:Error|ERROR)[: ]"
    ),
]
#: Lines that say what a failing test found, in the words of its runner.
_MESSAGES = _any(
    r"^E\s{2,}\S",
    r"^\s+\S+_test\.go:\d+: \S",
    r"^\s*(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)\b: \S",
    r"^\s*(?:Error(?: Trace)?|Expected|Received|expected|actual|got|want|left|right)\s*: +\S",
    r"^thread '.*' panicked|^panic: |^assertion .*failed",
)
_MAX_MESSAGES, _MAX_MESSAGE_CHARS, _MAX_NAMES = 3, 160, 3
_PASS_LINE = _any(
    r"\(pass\) ",
    r"^\s*(?:✓|✔|√) ",
    r"\bPASSED\b(?:\s+\[\s*\d+%\])?\s*$",
    r"^\[gw\d+\].* PASSED ",
    r"^\s*--- PASS: ",
    r"^=== (?:RUN|PAUSE|CONT) ",
    r"^ok[ \t]+\S+[ \t]+(?:\(cached\)|[\d.]+s)",
    r"^\?[ \t]+\S+[ \t]+\[no test files\]",
    r"^test \S+ \.\.\. ok$",
)
_MANY_PASSES = 3
_COUNTS = _any(
    r"\b\d+ (?:passed|failed|failing|passing|failures?|errors?|problems?|issues?|warnings?|skipped)\b",
    r"^tests?:\s+\d",
    r"^test result: ",
    r"^FAILED \((?:failures|errors)=",
    r"^FAIL\s+\S+\s+[\d.(]",
    r"^\[[\w/.-]+ [0-9a-f]{7,}\] ",
    flags="(?i)",
)
_FAILED = _any(
    r"^(?:\d+[:-])?\s*(?:--- FAIL: |(?:FAIL|FAILED|FATAL)\b)|^E\s{3,}\S|^not ok \d|^\s*(?:[✗✖✕×✘]|\(fail\)) ",
    r"\b[1-9]\d* (?:failed|failing|failures?|fail|errors?|problems?|issues?)\b|\bERROR task failed",
    r"^Traceback \(most recent|^thread '.*' panicked|^(?:panic|fatal|error|ERROR)(?:\[\w+\])?: ",
    r"^\w*(?:Error|Exception): |^exit status [1-9]",
    r": (?:fatal )?error(?:\[\w+\])?: |\berror\[E\d+\]|\berror TS\d+: ",
    r"^npm (?:ERR!|error) |^make(?:\[\d+\])?: \*\*\* |^BUILD FAILED|exited with (?:non-zero|code [1-9])",
    flags="(?m)",
)
_PASSED = _any(
    r"^ok[ \t]+\S|^PASS(?:ED)?\b|\b\d+ (?:passed|passing)\b|\b0 (?:issues|errors|failures|problems|fail)\b",
    r"^test result: ok|^BUILD SUCCESS|^Success: no issues|\b[Aa]ll (?:tests|checks) (?:have )?pass",
    flags="(?m)",
)
#: A line of a compiler or linter begins with a place in a source file.
_SOURCE_PLACE = re2.compile(
    r"(?m)^(?:\./)?[\w./@\\-]+\.(?:go|rs|c|cc|cpp|h|hpp|java|kt|tsx?|jsx?|mjs|pyi?|swift|cs|rb|php|zig|exs?|scala|dart"
    r"|lua|sh):\d+(?::\d+)?:? "
)
#: A task runner writes before each line which task it comes from.
_TASK_LABEL = re.compile(r"^\[[\w:./-]{1,40}\] ")
_TAG = re.compile(r"^\s*<[\w-]{1,40}>|</[\w-]{1,40}>\s*$")
_PLACE = re.compile(r"([\w@./\\-]{1,200}\.\w{1,8})(?:::[\w:\[\]]{1,120}|[:(](\d{1,7}))")


class FoundFailure(NamedTuple):
    """A failure in an output: the line that reports it, and file and line where the text gives them."""

    text: str
    at: str


@remember(1 << 9)
def reports_failure(output: str) -> bool:
    """Returns True when a runner, compiler or linter says that something failed."""
    return bool(_FAILED.search(output))


@remember(1 << 9)
def reports_success(output: str) -> bool:
    """Returns True when a runner, compiler or linter says that all went well."""
    return bool(_PASSED.search(output))


def names_source_places(output: str) -> bool:
    """Returns True when lines begin with a place in a source file, as those of compilers and linters do."""
    return bool(_SOURCE_PLACE.search(output))


def failures_in(output: str, fallback: str) -> list[FoundFailure]:
    """Returns the failures of one output, at most four; the fallback line where no pattern finds any."""
    lines = [_TASK_LABEL.sub("", line.rstrip()) for line in safe(output[-_MAX_CHARS:]).split("\n")]
    for pattern in _FAILURE_LINES:
        found = [line for line in lines if len(line) < 2_000 and pattern.search(line)]
        if found:
            return [_failure_at(line, lines) for line in dict.fromkeys(found[:_MAX_FAILURES])]
    text = cut_at_word(one_line(_TAG.sub("", fallback)), _MAX_LINE_CHARS)
    return [FoundFailure(text, place_in(text))] if text else []


def without_passes(output: str) -> str:
    """Returns an output without the lines that only say of one test after the other that it passed."""
    lines = output.split("\n")
    kept = [line for line in lines if not _PASS_LINE.search(line[:300])]
    return "\n".join(kept) if len(lines) - len(kept) >= _MANY_PASSES else output


def failure_report(output: str) -> str:
    """Returns what a check says of its failures: their names, what they found, and its counts, each on a line; empty
    where it reports none."""
    if not reports_failure(safe(output[-_MAX_CHARS:])):
        return ""
    names = [one.text for one in failures_in(output, "")][:_MAX_NAMES]
    return "\n".join(line for line in dict.fromkeys((*names, *messages_in(output), counts_in(output))) if line)


def messages_in(output: str) -> list[str]:
    """Returns what failing tests found, the first few lines: assertions and errors in the words of their runner."""
    lines = (line.strip() for line in safe(output[-_MAX_CHARS:]).split("\n") if _MESSAGES.search(line[:400]))
    found = dict.fromkeys(cut_at_word(line, _MAX_MESSAGE_CHARS) for line in lines if len(line) < 2_000)
    return list(found)[:_MAX_MESSAGES]


def counts_in(output: str) -> str:
    """Returns the last line in which a program counts what it did: tests passed, errors found, a commit made."""
    for line in reversed(safe(output[-_MAX_CHARS // 4 :]).split("\n")):
        if len(line) < 2_000 and _COUNTS.search(line):
            return cut_at_word(one_line(line.strip("= \t")), _MAX_LINE_CHARS)
    return ""


def place_in(text: str) -> str:
    """Returns the file, with the line where it is given, that a text names; empty if it names none."""
    found = _PLACE.search(text)
    if not found:
        return ""
    return f"{found[1]}:{found[2]}" if found[2] else found[1]


def _failure_at(line: str, lines: list[str]) -> FoundFailure:
    text = cut_at_word(one_line(line), _MAX_LINE_CHARS)
    return FoundFailure(text, place_in(text) or _place_near(line, lines))


def _place_near(line: str, lines: list[str]) -> str:
    """The place named last before the line, as tracebacks do, or just after it."""
    at = lines.index(line)
    for other in [*reversed(lines[max(0, at - 6) : at]), *lines[at + 1 : at + 4]]:
        found = _PLACE.search(other[:400])
        if found and found[2]:
            return f"{found[1]}:{found[2]}"
    return ""
