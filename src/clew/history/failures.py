"""Failures of commands as values: what failed, when, where and why. Every telling of one is made of these, here."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from clew.domain import Failure, Origin
from clew.text.tools.report_lines import SAYS_ONLY_FAILED
from clew.text.tools.reports import MAX_NAMED, failure_lines, failures_in, read_report
from clew.text.trim import one_line

#: How long a test took, behind its name.
_TOOK = re.compile(r" \(\d+\.\d+s\)$")


def read_failure(about: str, printed: str, *, line: str, source: str) -> Failure:
    """Returns the failure of a command, or of a step with a file, that ``printed`` a text in the message ``source``.
    ``line`` is the one that tells how it ended."""
    report, failures = read_report(printed), failures_in(printed, line)
    lines = [line.strip() for line in failure_lines(printed) or [failure.text for failure in failures]]
    if 0 < len(report.failing) <= MAX_NAMED:
        lines = [line for line in lines if line != report.line]  # names that are all there need no count
    why = [_TOOK.sub("", line) for line in lines if not SAYS_ONLY_FAILED.fullmatch(line)] or [one_line(line)]
    return Failure(
        text=why[0],
        more=tuple(why[1:]),
        source=source,
        by=Origin.TOOL,
        at=failures[0].at if failures else "",
        about=about,
        tests=report.failing,
    )


def without_tests(failure: Failure, gone: Collection[str]) -> Failure:
    """Returns a failure without tests that are no longer among those that fail, and without what it said of them."""
    left = tuple(test for test in failure.tests if test not in gone)
    lines = (failure.text, *failure.more)
    of_left = [line for line in lines if any(name in line for name in left)]
    why = of_left or [line for line in lines if not any(name in line for name in gone)] or left or lines
    return replace(failure, tests=left, text=why[0], more=tuple(why[1:]))
