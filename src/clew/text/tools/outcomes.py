"""How an action ended, as far as the output of its tool tells.

A run passed where its runner sums up that all went well, or where an exit code of 0 was recorded for a runner that is
known; its output must not say otherwise. A program that is not known passes nothing: it ran.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from clew.domain import Output, Status
from clew.text.terminal import safe
from clew.text.tools import git_lines as git
from clew.text.tools import report_lines as words
from clew.text.tools.actions import Action, ActionOutcome, Restore, RunResult
from clew.text.tools.checks import Check, CheckKind, checks_of
from clew.text.tools.purposes import acts_in
from clew.text.tools.reports import RunReport, read_report
from clew.text.tools.shell import hides_exit_code, parse_command, split_pieces, without_written_texts

#: Where tools write how a command ended: in the first or the last lines of what they give back.
_EDGE_CHARS = 600
_EXIT = re.compile(
    r"(?i)(?:exit(?:ed)?(?:[ _]with)?(?:[ _]exit)?[ _]?(?:code|status)[\"'>]?[ ]?[:=]?[ ]?"
    r"|Process exited with code )(-?\d{1,5})"
)
#: An exit code that a command prints itself, and where the line says it.
_ASKS_EXIT, _PRINTED_EXIT = re.compile(r"\$(?:\?|\{?PIPESTATUS)"), re.compile(r"(?im)^\D{0,30}?\b(\d{1,3})\s*$")
#: What is printed right before an exit code that is asked.
_ECHOED_EXIT = re.compile(r"(?:echo|printf)\b[^$]*?([^\s$\"'\\][^$\"'\\]{0,60}?)\$\{?\?")
_PIPED_EXIT = re.compile(r"\|[^|;&\n]*(?:[;\n]|&&)[^;\n]*\$\?")
_REFUSED = re.compile(
    r"(?i)\s*(?:<tool_use_error>|error\b|failed to|apply_patch verification failed|string to replace"
    r"|file has not been read|no (?:match|changes)|the (?:user|tool) (?:doesn't|denied)|permission denied|invalid )"
)
#: Programs that handle files say so when they cannot; whatever else of a command line fails, they did their part.
_COMPLAINS = re.compile(
    r"(?im)^(?:[\w/.-]{0,80}/)?(?:mv|cp|rm|cd|sed|perl|cat|tee|touch|mkdir|unlink|chmod|ln|git|fatal|bash|zsh|sh"
    r"|\(eval\)|(?:move|copy|rename|remove|new|set|add)-\w{4,8})\b[^\n]{0,200}?: |^<tool_use_error>"
    r"|^No local changes to save|^No stash entries"
)
_SEARCHES = frozenset({"grep", "egrep", "rg", "awk", "sed"})
_ASKERS = _SEARCHES | {"diff", "test", "[", "cmp"}
_ASKS = _ASKERS | {"[[", "if", "elif", "!", "then", "else", "while", "until", "do"}
_ASKS_FAILURES = re.compile(r"(?i)fail|error|(?:^|\s)-\w*v")
#: What changes only where the rest is run, and what joins a program to one that is run whatever came of it.
_ENTERS, _GOES_ON = frozenset({"cd", "pushd", "export", "set", "source"}), frozenset({"||", ";", "&", "\n"})
_THEN = frozenset({"&&", ";", "\n"})
#: Exit codes of what was stopped, and of what was never begun.
_STOPPED_CODES, _ABSENT_CODES = frozenset({124, 130, 134, 137, 139, 143}), frozenset({126, 127})
_BY_STATUS = {
    Status.CANCELED: RunResult.NOT_RUN,
    Status.ABORTED: RunResult.UNKNOWN,
    Status.INTERRUPTED: RunResult.INTERRUPTED,
    Status.TIMEOUT: RunResult.INTERRUPTED,
}
#: Programs sum up at the end; this much of an output is searched there.
_REPORT_CHARS = 30_000
_SAYS = re.compile(r"\w")
_MAX_LINE = 200
#: What clients write around what a program printed.
_HEADER = re.compile(r"\A(?:(?:Chunk ID|Wall time|Exit code|Process exited|Original token count|Output)[^\n]*\n?)+")
_OF_CLIENT = "Shell cwd was reset to "
_EMPTY = re.compile(r"(?i)\(?(?:no output|bash completed with no output|tool ran without output[^\n]*)\)?")


def read_outcome(action: Action, output: Output) -> ActionOutcome:
    """How the action ended, as far as the output tells."""
    if action.command:
        return _change_outcome(action, output) if action.kind.changes_files else read_run(action.command, output)
    code = recorded_code("", output)
    return ActionOutcome(_result_of_tool(action, output, code), code, _last_line(output.text))


def read_run(command: str, output: Output) -> ActionOutcome:
    """How a command ended, as far as its output tells."""
    text, code = output.text, recorded_code(command, output)
    report = read_report(_printed_text(text))
    checks = checks_of(command)
    result = _run_result(command, checks, output, code=code, report=report)
    line = _failing_line(text, report, code) if result is RunResult.FAILED else report.line or _last_line(text)
    is_marked = output.status is Status.FAILED or bool(code)
    is_clean = _is_clean(checks, output, code, report) and not hides_exit_code(command)
    return ActionOutcome(result, code, line, failing=report.failing, is_clean=is_clean, is_marked=is_marked)


def _run_result(
    command: str, checks: Sequence[Check], output: Output, *, code: int | None, report: RunReport
) -> RunResult:
    if output.status in _BY_STATUS:
        return _BY_STATUS[output.status]
    known = [check for check in checks if check.kind is not CheckKind.PROGRAM and not check.is_format]
    if (output.status is Status.FAILED or code) and not _is_code_of_filter(command, checks):
        return _failed_result(code, report)
    if known:
        return _check_result(command, known, output, code=code, report=report)
    if acts_in(command):
        return _act_result(_printed_text(output.text), code, is_hidden=hides_exit_code(command))
    return _early_end(command, code, report) or RunResult.UNKNOWN if checks else RunResult.UNKNOWN


def _early_end(command: str, code: int | None, report: RunReport) -> RunResult | None:
    """How a run ended that a report says was stopped, or never begun; None where it does not. What ended with 0 was run
    to its end, and what it printed is its answer; of several programs, others may have begun."""
    if report.result not in {RunResult.INTERRUPTED, RunResult.NOT_RUN}:
        return None
    if report.result is RunResult.NOT_RUN and words.FINDS_NOTHING.search(report.line):
        return RunResult.NOT_RUN
    if code == 0:
        return None
    simples = [command for command in parse_command(command) if command.words and command.words[0] not in _ENTERS]
    goes_on = any(simple.joint in _GOES_ON for simple in simples[:-1])
    return RunResult.UNKNOWN if goes_on and report.result is RunResult.NOT_RUN else report.result


def _failed_result(code: int | None, report: RunReport) -> RunResult:
    """Of a run with a bad end: it failed, unless something stopped it, or it never began."""
    if code in _STOPPED_CODES or (report.result is RunResult.INTERRUPTED):
        return RunResult.INTERRUPTED
    if code in _ABSENT_CODES or report.result is RunResult.NOT_RUN:
        return RunResult.NOT_RUN
    return RunResult.FAILED


def _check_result(
    command: str, known: Sequence[Check], output: Output, *, code: int | None, report: RunReport
) -> RunResult:
    is_visible = all(check.is_visible for check in known)
    if report.result is RunResult.FAILED:
        is_sure = _says_failed(report) or not is_visible
        return RunResult.FAILED if is_sure and "||" not in command else RunResult.UNKNOWN
    if early := _early_end(command, code, report):
        return early
    if report.failing or report.watches or ("||" in command and report.has_errors):
        return RunResult.UNKNOWN
    if not is_visible and report.has_errors and report.result is not RunResult.PASSED:
        return RunResult.FAILED if _names_places(output) else RunResult.UNKNOWN
    is_asked = bool(_ASKS_EXIT.search(command)) and (len(known) == 1 or bool(_asked_codes(command, output.text)))
    if code == 0 and (is_visible or is_asked):
        return RunResult.PASSED
    is_shown = _all_shown(command, known, output, report)
    return (
        RunResult.PASSED
        if is_shown and not _may_drop_failures(command, _printed_text(output.text))
        else RunResult.UNKNOWN
    )


def _says_failed(report: RunReport) -> bool:
    """Returns True when a runner itself says that something failed, and not only some error was printed."""
    return report.result is RunResult.FAILED and (bool(report.failing) or report.is_summed_up)


def _names_places(output: Output) -> bool:
    return any(words.SOURCE_PLACE.search(line) for line in safe(output.text[-_REPORT_CHARS:]).split("\n"))


def _all_shown(command: str, known: Sequence[Check], output: Output, report: RunReport) -> bool:
    """Returns True when what was printed shows of each check that it passed."""
    rest = [line for line in _without_echoes(command, _printed_text(output.text)).split("\n") if line.strip()]
    is_quiet = all(map(words.SUMS_UP_SUCCESS.search, rest)) and not _is_redirected(command)
    if not rest:
        return is_quiet and all(check.is_quiet for check in known)
    if len(known) > 1 and report.has_errors:
        return False
    runners = report.runners - words.PIECEWISE if report.is_cut else report.runners
    shown = False
    for check in reversed(known):
        shown = (shown and check.is_implied) or (is_quiet and check.is_quiet)
        shown = shown or _is_shown(check, runners, is_alone=len(known) == 1)
        if not shown:
            return False
    return True


def _without_echoes(command: str, text: str) -> str:
    """What is left of a text without the lines that the command line itself says after its programs, whatever came of
    them. What it says where something fails, or is found, tells of that."""
    simples = parse_command(command)
    echoed = set[str]()
    for before, simple in pairwise(simples):
        line = " ".join(word for word in simple.words[1:] if word != "-e").strip()
        is_told = simple.words[:1] == ["echo"] and before.joint in _THEN
        if is_told and (before.words or [""])[0] not in _ASKS and not words.SPEAKS_OF_FAILURE.search(line):
            echoed.add(line)
    return "\n".join(line for line in text.split("\n") if line.strip() not in echoed)


def _is_shown(check: Check, runners: frozenset[str], *, is_alone: bool) -> bool:
    fitting = runners & words.TEST_RUNNERS if check.kind is CheckKind.TEST else runners
    if is_alone or check.tool == "task":
        return bool(fitting)
    return any(name.replace("_", " ").startswith(check.tool.split()[0][:5]) for name in fitting)


def _is_redirected(command: str) -> bool:
    simples = parse_command(command)
    return (
        any(simple.written or simple.appended or simple.joint == "&" for simple in simples) or "2>/dev/null" in command
    )


def _act_result(text: str, code: int | None, *, is_hidden: bool) -> RunResult:
    if git.ACT_FAILED.search(text):
        return RunResult.FAILED if is_hidden and not git.ACT_DONE.search(text) else RunResult.UNKNOWN
    return RunResult.PASSED if code == 0 or git.ACT_DONE.search(text) else RunResult.UNKNOWN


def _is_clean(checks: Sequence[Check], output: Output, code: int | None, report: RunReport) -> bool:
    """Returns True when a client took a command for one that ended well, and nothing says otherwise."""
    is_stopped = report.result in {RunResult.INTERRUPTED, RunResult.NOT_RUN} or _says_failed(report)
    return output.status is Status.SUCCESS and not code and not is_stopped and all(check.is_visible for check in checks)


def _is_code_of_filter(command: str, checks: Sequence[Check]) -> bool:
    """Returns True when a command line ends with a search or a question, whose exit code answers that alone."""
    last = next(reversed(parse_command(command)), None)
    name = last.words[0].rsplit("/", 1)[-1] if last and last.words else ""
    return name in _ASKERS and any(not check.is_visible for check in checks)


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


# ── what changes files, and other tools ──────────────────────────────────────────────────────────────


def _change_outcome(action: Action, output: Output) -> ActionOutcome:
    """Whether a command changed the file that the action names."""
    run, result = read_run(action.command, output), RunResult.UNKNOWN
    is_seen = action.restore is not None and (action.restore is Restore.POP or git.RESTORED.search(output.text))
    if (action.leads or is_seen) and output.status in {Status.SUCCESS, Status.FAILED}:
        complains = _COMPLAINS.search(safe(output.text[:_REPORT_CHARS]))
        result = RunResult.UNKNOWN if complains else RunResult.PASSED
    elif run.result in {RunResult.PASSED, RunResult.FAILED}:
        result = run.result
    elif run.is_clean:
        result = RunResult.PASSED
    return run._replace(result=result)


def _result_of_tool(action: Action, output: Output, code: int | None) -> RunResult:
    if output.status is not Status.SUCCESS:
        return RunResult.FAILED if output.status is Status.FAILED else _BY_STATUS[output.status]
    if action.kind.changes_files and _REFUSED.match(output.text[:_EDGE_CHARS]):
        return RunResult.FAILED
    return RunResult.FAILED if code and not action.kind.changes_files else RunResult.PASSED


# ── lines ────────────────────────────────────────────────────────────────────────────────────────────


def recorded_code(command: str, output: Output) -> int | None:
    """The exit code that a client wrote with an output, or that the command itself asked for; None where there is
    none."""
    if _ASKS_EXIT.search(command):
        if asked := _asked_codes(command, output.text):
            return next(filter(None, asked), 0)
        codes = [int(code) for code in _PRINTED_EXIT.findall(output.text[-_EDGE_CHARS:])]
        return codes[-1] if codes and ("PIPESTATUS" in command or not _PIPED_EXIT.search(command)) else None
    lines = output.text.strip().split("\n")
    for edge in (output.reason or "", "\n".join(lines[:4])[:_EDGE_CHARS], lines[-1][-_EDGE_CHARS:]):
        if match := _EXIT.search(edge):
            return int(match[1])
    return None


def _asked_codes(command: str, text: str) -> list[int]:
    """The exit codes of the checks of a command line, each of which is asked right after it (``tsc; echo tsc=$?``);
    none unless all are."""
    codes, checked, start = list[int](), 0, 0
    pieces = split_pieces(without_written_texts(command))
    for piece, after in zip(pieces, [*pieces[1:], ""], strict=True):
        if all(check.kind is CheckKind.PROGRAM for check in checks_of(piece)):
            continue
        checked += 1
        if (asks := _ECHOED_EXIT.match(after)) and (
            match := re.compile(rf"{re.escape(asks[1])}(\d{{1,3}})\b").search(text, start)
        ):
            codes.append(int(match[1]))
            start = match.end()
    return codes if len(codes) == checked else []


def _printed_text(text: str) -> str:
    """What a program printed, without what its client wrote around it."""
    bare = _HEADER.sub("", text, count=1)
    return "" if _EMPTY.fullmatch(bare.strip()) else bare


def _failing_line(text: str, report: RunReport, code: int | None) -> str:
    """The line that tells why a run failed: never one in which another program says that all went well."""
    if report.result is RunResult.FAILED and report.line:
        return report.line[:_MAX_LINE]
    for line in reversed(safe(text[-20 * _EDGE_CHARS :]).split("\n")):
        if words.SPEAKS_OF_FAILURE.search(line) and not words.SUMS_UP_SUCCESS.search(line) and not _EXIT.search(line):
            return line.strip()[:_MAX_LINE]
    last = _last_line(text)
    is_pass = not last or words.SUMS_UP_SUCCESS.search(last) or words.COUNTS.search(last)
    return (f"exit code {code}" if code else "") if is_pass else last


def _last_line(text: str) -> str:
    """The last line that says anything but how the command ended."""
    for line in reversed(text[-20 * _EDGE_CHARS :].split("\n")):
        line = line.strip()
        if len(line) >= 2 and not _EXIT.search(line) and _SAYS.search(line) and not line.startswith(_OF_CLIENT):
            return safe(line)[:_MAX_LINE]
    return ""
