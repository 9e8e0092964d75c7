"""Commands and tests in the work map: the last result of each, with the line that explains it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from clew.domain import Failure, Output, Status, Text
from clew.domain.ids import message_id
from clew.domain.values import from_json, to_json
from clew.history.failures import read_failure, without_tests
from clew.history.segments import prefix_end
from clew.history.work_map.file_rows import COMMAND
from clew.ports import Rows
from clew.text.memo import remember
from clew.text.tools.actions import ActionOutcome, RunResult
from clew.text.tools.checks import CheckKind, checks_of, is_test
from clew.text.tools.coverage import shows_passed
from clew.text.tools.purposes import checks_work, failed_pieces, is_check, pieces_left, unshown_pieces
from clew.text.tools.report_lines import SOURCE_PLACE
from clew.text.tools.reports import MAX_FAILING, RunReport, failures_in, read_report
from clew.text.tools.shell import one_line_command, without_written_texts

#: Commands kept for a session; the ones run longest ago go first, in runs of a slack.
MAX_COMMANDS = 120
COMMANDS_SLACK = 30
#: A command is kept by how it begins; scripts of many lines differ there as well.
MAX_COMMAND_CHARS = 200
#: How far a command is looked at.
_MAX_READ_CHARS = 2_000
#: Failed checks that nothing has shown to pass since.
_MAX_OPEN = 24
#: Parts of a failed command that are followed until each is seen to pass, and how much of a long one: a part that
#: ends amid a quotation cannot be read.
_MAX_PIECES, _MAX_PIECE_CHARS = 8, 1_000
_CD = re.compile(r"^cd [^\s;&|]+[ ]*(?:&&|;)[ ]*")
_FILTERS = "head|tail|tee|cat|grep|rg|sed|awk"
_TAIL_FILTER = re.compile(
    rf"""[ ]*(?:2>&1|2>/dev/null|(?:\|[ ]*(?:{_FILTERS})|(?:&&|;)[ ]*echo)\b(?:[^|&;'"]|'[^']*'|"[^"]*")*)$"""
)
_PIECES = re.compile(r"[ ]*(?:&&|\|\||;|\|)[ ]*")
_LOOKS = re.compile(
    r"(?:git(?: -C \S+)? (?:status|log|diff|show|branch(?: --?\w[\w-]*)?$|rev-parse|remote|blame|ls-|worktree list"
    r"|cat-file|config|merge-base|describe|reflog|stash list|grep)"
    r"|gh (?:pr|issue|run|repo) (?:view|list|diff|checks|status)|\S+(?: [\w-]+){0,3} (?:--help|--version)\b"
    r"|(?:wc|ls|cat|head|tail|grep|rg|find|echo|printf|pwd|which|type|env|date|ps|du|df|stat|file|sort|uniq|cut|tr"
    r"|awk|jq|sed(?! -i)|true|cd|sleep|uname|whoami|tree|nl|diff|test|command -v)\b)"
)
_STILL_RUNNING = re.compile(r"<status>(?:running|pending)</status>|<retrieval_status>not_ready")
_STOPPED = re.compile(r"(?i)successfully (?:stopped|killed)|<status>killed")
_ENDED = re.compile(
    r"<task-id>(\w{1,40})</task-id>(?:(?!</task-notification>).){0,2000}?<status>(?:completed|failed|killed)", re.DOTALL
)
_RUNNING = re.compile(r"(?i)(?:running|started)[^\n]{0,60}?\b(?:session ID|with ID:?|shellId:?|id:)[ ]?(\w{1,40})")
#: How aider begins what a test command printed, and what a person had run in the chat.
_RAN = re.compile(
    r"^Test Script: (?P<script>.{1,2000}?);?[ ]*$|^I ran this command:\n+(?P<command>.+)\n+And got this output:$", re.M
)
#: What stands after it.
_ENDS = re.compile(r"^(?:Attempt to fix \w+ errors\?|Add \S+ tokens of command output to the chat\?)", re.M)
#: A client asks to mend only what failed.
_FAILED = re.compile(r"Return Code: [1-9]|^Attempt to fix test errors\?|^>{5} Some Tests Failed", re.M)


def client_runs(text: str) -> Iterator[tuple[str, Output]]:
    """Yields the commands that a client says it ran, each with what it printed."""
    runs = list(_RAN.finditer(text))
    for ran, end in zip(runs, [*(run.start() for run in runs[1:]), len(text)], strict=False):
        section = text[ran.end() : end]
        printed = _ENDS.split(section, maxsplit=1)[0]
        status = Status.FAILED if _FAILED.search(section) else Status.SUCCESS
        yield ran["script"] or ran["command"], Output(call_id="", content=(Text(text=printed.strip()),), status=status)


@remember(1 << 11)  # every pack and story of a session asks for those of all its calls
def command_key(command: str) -> str:
    """Returns a command without its folder, the texts it writes first and the trimming of its output, so that the same
    work has the same key."""
    line = _CD.sub("", one_line_command(without_written_texts(command)[:_MAX_READ_CHARS]))
    for _ in range(4):
        line, cut = _TAIL_FILTER.subn("", line)
        if not cut:
            break
    return line[:MAX_COMMAND_CHARS]


def only_looks(command: str) -> bool:
    """Returns True when every piece of a command shows something and changes nothing."""
    return all(_LOOKS.match(piece) for piece in _PIECES.split(command) if piece)


def running_session(text: str) -> str:
    """Returns the id under which a command goes on running, when the output says that it does."""
    match = _RUNNING.search(text[:600])
    return match[1] if match else ""


def still_runs(text: str) -> bool:
    """Returns True when a look at a running command says that it goes on."""
    return bool(running_session(text)) or _STILL_RUNNING.search(text[:600]) is not None


def was_stopped(text: str) -> bool:
    """Returns True when a running command was stopped: that says nothing of how it would have ended."""
    return _STOPPED.search(text[:600]) is not None


def ended_tasks(text: str) -> list[str]:
    """Returns the ids of running commands that a client reports as ended."""
    return _ENDED.findall(text)


def _entered_folder(command: str) -> str:
    entered = _CD.match(one_line_command(command[:_MAX_READ_CHARS]))
    return entered[0][3:].rstrip("&; ").rstrip("/") if entered else ""


def _is_of_check(command: str, report: RunReport, text: str) -> bool:
    """Returns False for the failure of a program that was run after a check, of which nothing says that it failed."""
    is_named = bool(report.failing) or report.is_summed_up or any(map(SOURCE_PLACE.search, text.split("\n")))
    return is_named or checks_of(command)[-1].kind is not CheckKind.PROGRAM


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRow:
    """The last run of a command as it is stored, and what is open of its failure; readers get ``CommandFacts``.

    ``left`` are the parts of a failed command that have yet to pass, ``rest`` those that were not run again since a
    narrower run has shown that the ``failing`` tests pass, which ``narrowed`` names with its message. ``places`` are
    packages and files with failures. A client ``marked`` the run as failed; it ``is_of_compiler`` where nothing else
    than a compiler complained.
    """

    command: str
    runs: int = 0
    at: int = 0
    result: RunResult = RunResult.UNKNOWN
    line: str = ""
    folder: str = ""
    exit_code: int | None = None
    is_test: bool = False
    is_check: bool = False
    failing: tuple[str, ...] = ()
    failure: Failure | None = None
    left: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    narrowed: tuple[str, int] | None = None
    marked: bool = False
    is_of_compiler: bool = False


class CommandRows:
    """Keeps a row for each command. ``count`` is how many there are; ``open`` names failed checks, oldest first, that
    nothing has shown to pass as a whole since. Where a narrower run has shown that what failed in one passes, its row
    says by which.
    """

    def __init__(self, rows: Rows, count: int, open: list[str]) -> None:
        self._rows, self.count, self.open = rows, count, list(open)

    def _row(self, command: str) -> CommandRow | None:
        stored = self._rows.get(COMMAND + command)
        return from_json(CommandRow, stored) if stored else None

    def _open_row(self, failed: str) -> CommandRow:
        """What is known of a failed command; where its row was dropped, that all of it has yet to pass."""
        return self._row(failed) or CommandRow(command=failed, left=(failed,))

    def _put(self, row: CommandRow) -> None:
        self._rows.put(COMMAND + row.command, to_json(row))

    def put_result(self, command: str, outcome: ActionOutcome, text: str, now: int, *, whole: str = "") -> None:
        """Stores the result of a run, in place of the one before. ``whole`` is the command line as it was given.
        A failure that is open stays what is known of a command while nobody knows how it ended since.
        """
        whole = whole or command
        command = self._own_name(command, folder := _entered_folder(whole))
        before = self._row(command)
        self.count += before is None
        runs = before.runs + 1 if before else 1
        row = CommandRow(
            command=command,
            runs=runs,
            at=now,
            result=outcome.result,
            line=outcome.line,
            folder=folder,
            exit_code=outcome.exit_code,
            is_test=is_test(whole),
            is_check=is_check(whole),
            failing=outcome.failing if is_test(whole) else (),
        )
        if checks_of(whole):
            row = self._settle(row, outcome, text, whole=whole)
        is_unknown = outcome.ok is None and command in self.open
        self._put(replace(before, runs=runs) if before and is_unknown else row)

    def _own_name(self, command: str, folder: str) -> str:
        """The name of a command's row: where the same words have failed in another folder, with its own folder."""
        ran_in = self._open_row(command).folder if command in self.open else ""
        is_other = folder and ran_in and folder.rsplit("/", 1)[-1] != ran_in.rsplit("/", 1)[-1]
        return f"cd {folder} && {command}"[:MAX_COMMAND_CHARS] if is_other else command

    def _settle(self, row: CommandRow, outcome: ActionOutcome, text: str, *, whole: str) -> CommandRow:
        """The row of a run that closes the failures which it proves fixed, and takes the place of those that it fails
        in again; one that fails is open from now on.
        """
        report, open_before = read_report(text), list(self.open)
        for failed in open_before:
            before = self._open_row(failed)
            self._take_shown(before, report, whole=whole)
            if failed in self.open:
                self._close(failed, row.command, outcome, whole=whole, text=text)
            if outcome.ok and failed != row.command and before.failing:
                rest = tuple(pieces_left(whole, before.rest, (), text))
                self._follow_rest(before, rest, by=(row.command, row.at))
        self.open = [command for command in open_before if command in self.open]
        if outcome.ok is not False or not checks_work(whole) or not _is_of_check(whole, report, text):
            return row
        self.open = [*(other for other in self.open if other != row.command), row.command][-_MAX_OPEN:]
        left = tuple(piece[:_MAX_PIECE_CHARS] for piece in failed_pieces(whole, text)[:_MAX_PIECES])
        failures = failures_in(text, "")
        return replace(
            row,
            left=left,
            rest=left,
            places=report.failing_places,
            marked=outcome.is_marked,
            is_of_compiler=bool(failures) and all(SOURCE_PLACE.search(failure.text) for failure in failures),
            failure=read_failure(row.command, text, line=outcome.line, source=message_id(row.at)),
        )

    def _close(self, failed: str, command: str, outcome: ActionOutcome, *, whole: str, text: str) -> None:
        """A failed command is over when each of its parts was seen to pass, in one run or in several. Where a client
        marks what failed, a program without a mark is over as well; tests say themselves how they ended.
        """
        row = self._open_row(failed)
        is_over = outcome.ok or (outcome.is_clean and row.marked and not is_test(whole))
        is_again = outcome.ok is False and checks_work(whole)
        compiles = is_over is True and not row.failing and row.is_of_compiler
        is_same = failed == command
        left = () if is_same else tuple(pieces_left(whole, row.left, row.failing, text, compiles=compiles))
        if not left and (is_over or is_again):
            self.open.remove(failed)
        elif is_over and row.at:
            self._put(replace(row, left=left))

    def _follow_rest(self, before: CommandRow, rest: tuple[str, ...], *, by: tuple[str, int]) -> None:
        """Keeps a failure of which the tests that failed have passed, by a narrower run, while ``rest`` was not run
        again; it is over when nothing is left of that.
        """
        failed, row = before.command, self._open_row(before.command)
        if failed not in self.open and rest:
            self.open.append(failed)
            self._put(replace(before, rest=rest, narrowed=before.narrowed or by))
        elif failed in self.open and not rest and row.narrowed:
            self.open.remove(failed)
        elif rest != before.rest:
            self._put(replace(row, rest=rest))

    def _take_shown(self, row: CommandRow, report: RunReport, *, whole: str) -> None:
        """Takes out of a failure what a report names as passed, by test, package or file, however the run ended."""
        passing = report.passing
        if not passing or set(row.failing) & set(report.failing):
            return
        if row.places and not any(check.filters for check in checks_of(whole)):
            is_over = all(shows_passed(place, passing) for place in row.places)
        else:
            is_over = not unshown_pieces(whole, row.left, passing)
        if is_over:
            self.open.remove(row.command)
        else:
            self._drop_named(row, {test for test in row.failing if test in passing})

    def drop_tests(self, are_gone: Callable[[Collection[str]], set[str]]) -> None:
        """Takes tests out of the failures that are no longer there: renamed, or removed."""
        for failed in list(self.open):
            row = self._open_row(failed)
            self._drop_named(row, are_gone(row.failing))

    def _drop_named(self, row: CommandRow, names: set[str]) -> None:
        """Takes tests out of a failure; one that is left with none is over, unless it may have had more."""
        left = tuple(test for test in row.failing if test not in names)
        if names and not left and len(row.failing) < MAX_FAILING:
            self.open.remove(row.command)
        elif names and row.failure:
            self._put(replace(row, failing=left, failure=without_tests(row.failure, names)))

    def flush(self) -> None:
        """Drops the commands that were run longest ago, if there are too many."""
        if self.count > MAX_COMMANDS + COMMANDS_SLACK:
            newest_first = sorted(
                self._rows.scan(COMMAND, prefix_end(COMMAND)), key=lambda item: (-item[1]["at"], item[0])
            )
            for name, _ in newest_first[MAX_COMMANDS:]:
                self._rows.remove(name)
            self.count = min(len(newest_first), MAX_COMMANDS)
