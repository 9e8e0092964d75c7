"""Runs: how each command ended, by exit code where nothing hides it, else by what it reports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from bench.claims.records import Deed, plain
from bench.claims.shell import Program, covers, may_cover, programs, shows_exit


class Ending(StrEnum):
    """How a run ended, as far as the file tells."""

    PASSED = "passed"
    FAILED = "failed"
    UNCLEAR = "unclear"
    STOPPED = "stopped or never begun"
    UNSAID = "no word of it"
    NOT_RUN = "not run"
    RUNNING = "running"


_FAILS = re.compile(
    r"^\s*--- FAIL|^FAIL\b|^\s*FAILED\b|^E   \S|^not ok \d|^\s*(?:✗|✕|×|✘|\(fail\)) |^error(?:\[\w+\])?: |^panic: "
    r"|^Traceback \(most|\berror TS\d"
    r"|^\s*✖ (?!\d+ problems? \(0 errors,)"
    r"|\b[1-9]\d* (?:failed|failing|failures?|fail|errors?|issues?|problems?)\b(?! \(0 errors,)"
    r"|^make(?:\[\d+\])?: \*\*\* |: error: |^[\w./@-]+\.(?:go|rs|ts|tsx|js|py|c|cc|cpp|java):\d+(?::\d+)?:? "
    r"|\bERROR task failed|exit(?:ed with)? (?:code|status):? [1-9]|^fatal: |^npm (?:ERR!|error)|^BUILD FAILED"
    r"|^\w*(?:Error|Exception): ",
    re.M,
)
_PASSES = re.compile(
    r"^ok\s+\S|^PASS\b|^\s*--- PASS|\b\d+ (?:passed|passing|pass)\b|\b0 (?:issues|errors|failures|problems|fail)\b"
    r"|^test result: ok|^BUILD SUCCESS|no issues found|(?i:all (?:tests|checks) pass)|no fixes applied|✓ built",
    re.M,
)
#: A crash, a time-out, a program that is not there, tests that were not found: whatever the exit code, nothing passed.
_STOPS = re.compile(
    r"^(?:.*: line \d+: +\d+ |\w+: )?(?i:segmentation fault|killed|terminated|bus error)\b(?! by|[^\n]{0,3}\w*:)"
    r"|(?i:^(?:error: )?(?:the )?(?:command |process )?timed out)|: command not found$|: not found$|No module named "
    r"|^=* ?no tests ran|^Ran 0 tests|^No tests? (?:files? )?found|(?i:^cancell?ed by )",
    re.M,
)
_EDGE_LINES = 8
_SILENT = re.compile(r"^(?:go (?:build|vet)|tsc|gofmt|cargo check|gcc|javac|ruff|eslint|py_compile|prettier|git \w+)$")
_BACKGROUND = re.compile(
    r"(?i)^Command running in background with ID|Process running with session ID"
    r"|<command started in (?:the )?background"
)
_FAILING_TEST = re.compile(
    r"^\s*--- FAIL: (\S+)|^FAILED (\S+)|^test (\S+) \.\.\. FAILED"
    r"|^\s*(?:✗|✕|×|✘|\(fail\)) (.+?)(?: [\[(][\d.]+ ?m?s[\])])?$",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Run:
    """A command that was run: its place in the order of events, its programs, and how it ended."""

    order: int
    command: str
    text: str
    ending: Ending
    programs: tuple[Program, ...]
    exit: int | None
    cwd: str = ""

    @property
    def checks(self) -> tuple[Program, ...]:
        return tuple(one for one in self.programs if one.is_check)

    @property
    def acts(self) -> tuple[Program, ...]:
        return tuple(one for one in self.programs if one.is_act)

    @property
    def ends_with_check(self) -> bool:
        """Whether a check is the last program that is run, git and those that show something aside: any other that is
        run after it may have failed by itself."""
        doing = [one for one in self.programs if not one.only_looks and one.words[0] not in {"git", "gh"}]
        return bool(doing) and doing[-1].is_check

    def passed_programs(self) -> list[Program]:
        """The checks of this run that are known to have ended well."""
        if self.ending is not Ending.PASSED:
            return []
        return [one for at, one in enumerate(self.programs) if shows_exit(self.programs, at) or one.is_check]

    @property
    def failing_tests(self) -> set[str]:
        return {next(filter(None, found)).strip() for found in _FAILING_TEST.findall(self.text)}


def run_of(deed: Deed, order: int) -> Run:
    """The run that a deed is."""
    found = programs(deed.command)
    return Run(order, deed.command, deed.text, _ending(deed, found), found, deed.exit, deed.cwd)


def _ending(deed: Deed, found: tuple[Program, ...]) -> Ending:
    if deed.refused:
        return Ending.NOT_RUN
    if _BACKGROUND.search(deed.text[:400]):
        return Ending.RUNNING
    judged = [at for at, one in enumerate(found) if one.is_check] or [
        at for at, one in enumerate(found) if not one.only_looks
    ]
    if any(found[at].is_check for at in judged) and _stopped(deed.text):
        return Ending.STOPPED
    asks_last = bool(found) and found[-1].words[:1] in (("grep",), ("egrep",), ("rg",), ("diff",), ("test",), ("[",))
    if deed.exit and not (asks_last and judged and not all(shows_exit(found, at) for at in judged)):
        return Ending.FAILED
    if not deed.exit and all(shows_exit(found, at) for at in judged):
        is_test = any(found[at].is_test for at in judged)
        return (
            Ending.UNSAID if is_test and deed.exit is None and not _without_header(deed.text).strip() else Ending.PASSED
        )
    return _reported(deed, found, judged)


def _reported(deed: Deed, found: tuple[Program, ...], judged: list[int]) -> Ending:
    """What a report says where a pipe or a list hides the exit code; a filter may have taken the bad lines out."""
    text = _without_header(deed.text)
    if _FAILS.search(text):
        return Ending.FAILED if judged else Ending.UNCLEAR
    names = [found[at].name for at in judged]
    if _PASSES.search(text) and not any(_may_drop_failures(one, text) for one in found):
        is_one = len([at for at in judged if found[at].after != "&&"]) < 2
        return Ending.PASSED if is_one else Ending.UNCLEAR
    if not text.strip() and names and all(_SILENT.match(name) for name in names):
        return Ending.PASSED
    return Ending.UNCLEAR


def _may_drop_failures(one: Program, text: str) -> bool:
    """Whether a filter may have taken lines out that tell of failures: a search for others, a head that was full."""
    words = " ".join(one.words[1:])
    if one.words[:1] in (("grep",), ("egrep",), ("rg",), ("awk",)):
        return re.search(r"(?i)fail|error|-v", words) is None
    if one.words[:1] != ("head",):
        return False
    limit = re.search(r"\d+", words)
    return text.strip().count("\n") + 1 >= int(limit[0] if limit else 10)


def _stopped(text: str) -> bool:
    lines = _without_header(text).strip().split("\n")
    return not _PASSES.search(text) and bool(_STOPS.search("\n".join(lines[:2] + lines[-_EDGE_LINES:])))


def only_passes(report: str) -> bool:
    """Whether a report tells of passes and of nothing else."""
    return bool(_PASSES.search(report)) and not _FAILS.search(report)


def _without_header(text: str) -> str:
    return text.split("\nOutput:\n", 1)[-1] if "\nOutput:" in text[:400] else text


class Fix(StrEnum):
    """Whether a later run shows a failure to be gone."""

    SURE = "fixed"
    MAYBE = "perhaps fixed"
    NO = "open"


def fix_of(failure: Run, later: list[Run]) -> tuple[Fix, Run | None]:
    """Whether later runs show that a failed run's checks (its acts or itself, where it checks nothing) pass now."""
    wanted = list(failure.checks or failure.acts or [one for one in failure.programs if not one.only_looks])
    line, left, maybe = plain(failure.command), list(wanted), None
    for run in later:
        if run.ending is Ending.PASSED and plain(run.command) == line:
            return Fix.SURE, run
        for one in run.passed_programs():
            left = [other for other in left if not covers(one, other)]
            maybe = run if any(may_cover(one, other) for other in wanted) else maybe
        if not left and wanted:
            return Fix.SURE, run
        if _names_passed(failure, run):
            return Fix.SURE, run
    return (Fix.MAYBE, maybe) if maybe or len(left) < len(wanted) else (Fix.NO, None)


def _names_passed(failure: Run, run: Run) -> bool:
    """Whether a run prints that each test that failed before passes, or was asked for it by name and passed."""
    asked = [name for one in run.passed_programs() if one.is_test for name in one.filters]
    return bool(failure.failing_tests) and all(
        re.search(rf"^\s*(?:--- PASS: |PASSED |✓ ){re.escape(test)}\b", run.text, re.M)
        or any(re.search(name, test) for name in asked if re.fullmatch(r"[\w|^$.*/-]+", name))
        for test in failure.failing_tests
    )


def same_failure(one: Run, other: Run) -> bool:
    """Whether two failed runs are the same work failing again: the newer stands for both."""
    first, second = one.checks or one.acts, other.checks or other.acts
    if not first or not second:
        return plain(one.command) == plain(other.command)
    return all(any(covers(new, old) or may_cover(new, old) for new in second) for old in first)
