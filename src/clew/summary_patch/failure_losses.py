"""Failures that a summary does not tell: checks that failed and were not seen to pass since, and what they reported."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence

from clew.domain.ids import message_id
from clew.history.work_map.view import CommandFacts, WorkMap
from clew.text.telling_tokens import NAME, telling_tokens
from clew.units.action_units import PROSE
from clew.units.already_said import SaidText
from clew.units.unit import Section, Speaker, Unit, clip_middle

_VALUE, _MISSING = 3.4, 0.45
#: What a failure keeps of its value after which another check has passed, and one of git, which is solved by hand.
_OLDER = 0.4
_COMMAND_CHARS, _REPORT_CHARS = 130, 240
#: Lines of a report that say that it failed and not why; how long a test took.
_SAYS_ONLY_FAILED = re.compile(
    r"(?:\[[\w:.-]+\] )?(?:FAIL(?:\s+\S+\s+[\d.]+s)?|ERROR task failed|mise ERROR.*|exit status \d+|\d+ issues?:"
    r"|Exit code \d+)"
)
_TOOK = re.compile(r" \(\d+\.\d+s\)")


def failure_reports(units: Sequence[Unit]) -> dict[int, str]:
    """Returns what checks that failed reported, by the number of the message they were run in."""
    return {unit.number: unit.report for unit in units if unit.speaker is Speaker.RUN and unit.report}


def failure_losses(
    work: WorkMap, summary: SaidText, *, reports: Mapping[int, str], told: Container[int]
) -> Iterator[Unit]:
    """Yields open failures that the summary does not tell, the newest of each test. Those ``told`` in corrections, by
    the number of their message, are left out."""
    passed = max((facts.at for facts in work.commands if facts.is_check and facts.ok), default=0)
    seen: set[str] = set()
    for facts in sorted(work.open_failures, key=lambda facts: -facts.at):
        report = report_of(facts, reports)
        tests = {token for token, weight in telling_tokens(f"{facts.command} {report}").items() if weight == NAME}
        if _is_part(facts, work, report):
            continue
        if facts.at in told or (tests and tests <= seen) or summary.missing(f"{facts.command} {report}") < _MISSING:
            continue
        seen |= tests
        edited = "" if facts.command.startswith("git ") else _edited_since(work, facts.at)
        text = f"failed, not seen to pass since ({message_id(facts.at)}): `{shown_command(facts)}` → {report}{edited}"
        value = _VALUE * (_OLDER if facts.at < passed or facts.command.startswith("git ") else 1.0)
        yield Unit(section=Section.STATE, number=facts.at, text=text, value=value)


def _is_part(facts: CommandFacts, work: WorkMap, report: str) -> bool:
    """Returns True for a check that says only that it failed, if a longer command line with it failed as well."""
    others = (one.command for one in work.open_failures if one.command != facts.command)
    return _SAYS_ONLY_FAILED.fullmatch(report) is not None and any(facts.command in command for command in others)


def _edited_since(work: WorkMap, at: int) -> str:
    """Which file was edited after a check had failed: the failure may be mended."""
    inside = (one for one in work.files if work.holds(one.path))
    edited = [one for one in inside if one.edited > at and not one.path.endswith(PROSE)]
    newest = max(edited, key=lambda one: one.edited, default=None)
    if newest is None:
        return ""
    more = f" and {len(edited) - 1} more" if len(edited) > 1 else ""
    return f"; not run again since the edits of {work.relative_path(newest.path)} ({message_id(newest.edited)}){more}"


def report_of(facts: CommandFacts, reports: Mapping[int, str]) -> str:
    """Returns why a check failed, in one line: as it reported, else what the work map knows of it."""
    known = next((reports[at] for at in (facts.at, facts.at - 1, facts.at - 2) if at in reports), "")
    lines = (line.strip() for line in (known.split("\n") if known else facts.failures or (facts.line,)))
    why = [_TOOK.sub("", line) for line in lines if not _SAYS_ONLY_FAILED.fullmatch(line)]
    return clip_middle(" | ".join(why) or facts.line, _REPORT_CHARS)


def shown_command(facts: CommandFacts) -> str:
    """Returns the command of a check, shortened."""
    return clip_middle(facts.command, _COMMAND_CHARS)
