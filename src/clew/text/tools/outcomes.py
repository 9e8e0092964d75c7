"""How an action ended, as far as the output of its tool tells."""

from __future__ import annotations

import re

from clew.domain import Output, Status
from clew.text.terminal import safe
from clew.text.tools.actions import Action, ActionKind, ActionOutcome
from clew.text.tools.failures import names_source_places, reports_failure, reports_success
from clew.text.tools.purposes import is_check, is_silent
from clew.text.tools.shell import hides_exit_code, parse_command

#: Where tools write how a command ended: in the first or the last lines of what they give back.
_EDGE_CHARS = 600
_EXIT = re.compile(r"(?i)exit(?:ed)?(?:[ _]with)?(?:[ _]exit)?[ _]?(?:code|status)[\"'>]?[ ]?[:=]?[ ]?(-?\d{1,5})")
_FAILURE = re.compile(
    r"(?i)\b(?:error|errors|failed|failure|fatal|panic|exception|traceback|not found|no such file|denied|refused"
    r"|undefined|cannot|timed out|FAIL)\b|\w(?:Error|Exception)\b|✗|✘|❌"
)
_HARMLESS = re.compile(r"(?i)\b(?:0|no) (?:errors?|failed|failures?|failing)\b")
_REFUSED = re.compile(
    r"(?i)\s*(?:<tool_use_error>|error\b|failed to|apply_patch verification failed|string to replace"
    r"|file has not been read|no (?:match|changes)|the (?:user|tool) (?:doesn't|denied)|permission denied|invalid )"
)
#: Programs that handle files say so when they cannot; whatever else of a command line fails, they did their part.
_COMPLAINS = re.compile(
    r"(?im)^(?:[\w/.-]{0,80}/)?(?:mv|cp|rm|cd|sed|perl|cat|tee|touch|mkdir|unlink|chmod|ln|git|fatal|bash|zsh|sh"
    r"|\(eval\)|(?:move|copy|rename|remove|new|set|add)-\w{4,8})\b[^\n]{0,200}?: |^<tool_use_error>"
)
_SEARCHES = frozenset({"grep", "egrep", "rg", "awk"})
_ASKS_FAILURES = re.compile(r"(?i)fail|error|(?:^|\s)-\w*v")
#: Programs sum up at the end; this much of an output is searched there.
_REPORT_CHARS = 30_000
_SAYS = re.compile(r"\w")
_MAX_LINE = 200


def read_outcome(action: Action, output: Output) -> ActionOutcome:
    """How the action ended, as far as the output tells."""
    text = output.text
    code = _exit_code(text) if action.kind in {ActionKind.RUN, ActionKind.OTHER} or action.command else None
    ok = _is_ok(action, output, text, code)
    return ActionOutcome(ok, code, _telling_line(text, is_failure=not ok))


def _is_ok(action: Action, output: Output, text: str, code: int | None) -> bool | None:
    if action.leads and output.status in {Status.SUCCESS, Status.FAILED}:
        return None if _COMPLAINS.search(safe(text[:_REPORT_CHARS])) else True
    if output.status is Status.FAILED:
        return False
    if output.status is not Status.SUCCESS:
        return None
    if action.command:
        return _ran_well(action.command, text, code)
    if code is not None:
        return code == 0
    return not _REFUSED.match(text[:_EDGE_CHARS]) if action.kind.changes_files else True


def _ran_well(command: str, text: str, code: int | None) -> bool | None:
    """The exit code counts where nothing hides it. Of tests, builds and linters what they report counts as well, since
    a pipe hides how they ended; where report and exit code disagree, nobody knows."""
    is_hidden = hides_exit_code(command)
    if code:
        return False
    if not is_check(command):
        return None if is_hidden else True
    report = safe(text[-_REPORT_CHARS:])
    if reports_failure(report) or (is_hidden and names_source_places(report)):
        is_alternative = "||" in command and reports_success(report)
        return False if is_hidden and not is_alternative else None
    if not is_hidden or (reports_success(report) and not _may_drop_failures(command, report)):
        return True
    return True if not report.strip() and is_silent(command) else None


def _may_drop_failures(command: str, report: str) -> bool:
    """Returns True when a filter may have taken out lines that tell of failures: a search for other words, or a head
    that is full."""
    for simple in parse_command(command):
        program, options = (simple.words or [""])[0], " ".join(simple.words[1:])
        if program in _SEARCHES and simple.piped and not _ASKS_FAILURES.search(options):
            return True
        limit = re.search(r"\d{1,6}", options)
        if program == "head" and report.strip().count("\n") + 1 >= int(limit[0] if limit else 10):
            return True
    return False


def _exit_code(text: str) -> int | None:
    for edge in (text[:_EDGE_CHARS], text[-_EDGE_CHARS:]):
        if match := _EXIT.search(edge):
            return int(match[1])
    return None


def _telling_line(text: str, *, is_failure: bool) -> str:
    """For a failure the last line that speaks of one; else the last line that says anything."""
    last = ""
    for line in reversed(text[-20 * _EDGE_CHARS :].split("\n")):
        line = line.strip()
        if len(line) < 2 or _EXIT.search(line) or not _SAYS.search(line):
            continue
        if not is_failure or (_FAILURE.search(line) and not _HARMLESS.search(line)):
            return safe(line)[:_MAX_LINE]
        last = last or line
    return safe(last)[:_MAX_LINE]
