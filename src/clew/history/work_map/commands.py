"""Commands and tests in the work map: the last result of each, with the line that explains it."""

from __future__ import annotations

import re
from typing import Any

from clew.history.work_map.file_rows import COMMAND
from clew.ports import Rows
from clew.text.tools.actions import ActionOutcome
from clew.text.tools.failures import failures_in
from clew.text.tools.purposes import check_pieces, command_rank, is_check, pieces_left
from clew.text.tools.shell import without_written_texts

#: Sorts just after every command row.
_AFTER_COMMANDS = "c;"
#: Commands kept for a session; the ones run longest ago go first, in runs of a slack.
MAX_COMMANDS = 120
COMMANDS_SLACK = 30
#: A command is kept by how it begins; scripts of many lines differ there as well.
MAX_COMMAND_CHARS = 200
#: How far a command is looked at.
_MAX_READ_CHARS = 2_000
#: Failed checks that nothing has shown to pass since.
_MAX_OPEN = 24
#: Parts of a failed command that are followed until each is seen to pass.
_MAX_PIECES = 8
#: Lines of a failed check that are kept.
_MAX_FAILURE_LINES = 4
#: Names of failing tests kept for a command, and how much of a long one.
MAX_FAILING = 12
_MAX_TEST_CHARS = 140
#: Runners write what failed at the end; a line longer than this is data.
_TAIL_CHARS = 24_000
_MAX_LINE_CHARS = 300

_CD = re.compile(r"^cd [^\s;&|]+[ ]*(?:&&|;)[ ]*")
_FILTERS = "head|tail|tee|cat|grep|rg|sed|awk"
_TAIL_FILTER = re.compile(rf"""[ ]*(?:2>&1|2>/dev/null|\|[ ]*(?:{_FILTERS})\b(?:[^|'"]|'[^']*'|"[^"]*")*)$""")
_TEST = re.compile(
    r"\b(?:pytest|unittest|jest|vitest|mocha|karma|ava|playwright test|cypress|rspec|minitest|phpunit|pest|ctest"
    r"|nextest|tox|nox|(?:go|cargo|npm|pnpm|yarn|bun|deno|dotnet|swift|mix|rake|make|just|mise|gradlew?|mvn|sbt"
    r"|zig|bazel|flutter|dart|rails|nx|turbo|uv|poetry|hatch)\b[^|;&]{0,60}?\btest)"
)
_TOOK = r"(?:[ ][\[(]?[\d.]{1,9}[ ]?m?s[\])]?)?$"
_FAILING = re.compile(
    rf"^[ \t]*(?:FAILED[ ]([\w./:\[\]-]+)|ERROR[ ]([\w./-]+::[\w.:\[\]-]+)|--- FAIL:[ ](\S+)|rspec[ ](\./\S+)"
    rf"|test[ ](\S+)[ ]\.\.\.[ ]FAILED|\(fail\)[ ](.+?){_TOOK}|[✕×✗✘][ ](.+?){_TOOK}"
    rf"|FAIL:?[ ]+(\w[\w./-]*(?:[ ]\([\w.]+\))?)|not ok \d{{1,6}} - (.+)$)",
    re.MULTILINE,
)
_SUMMARY = re.compile(
    r"(?i)\b\d{1,7} (?:passed|failed|passing|failing|errors?|tests?)\b|^(?:test result:|tests:|ok[ \t]+\S|FAIL\b)"
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


def command_key(command: str) -> str:
    """Returns a command without its folder, the texts it writes first and the trimming of its output, so that the same
    work has the same key."""
    line = " ".join(without_written_texts(command)[:_MAX_READ_CHARS].split())
    line = _CD.sub("", line)
    for _ in range(4):
        line, cut = _TAIL_FILTER.subn("", line)
        if not cut:
            break
    return line[:MAX_COMMAND_CHARS]


def is_test(command: str) -> bool:
    """Returns True for a command that runs tests."""
    return _TEST.search(command) is not None


def only_looks(command: str) -> bool:
    """Returns True when every piece of a command shows something and changes nothing."""
    return all(_LOOKS.match(piece) for piece in _PIECES.split(command) if piece)


def failing_tests(text: str) -> list[str]:
    """Returns the tests that a runner reports as failed, each once, in the order of the report."""
    found: dict[str, None] = {}
    for match in _FAILING.finditer("\n".join(_report(text))):
        name = next((group for group in match.groups() if group), "")
        found[name.strip()[:_MAX_TEST_CHARS]] = None
    return list(found)[:MAX_FAILING]


def _report(text: str) -> list[str]:
    """The lines at the end of an output, none too long to be searched."""
    return [line[:_MAX_LINE_CHARS] for line in text[-_TAIL_CHARS:].split("\n")]


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


class CommandRows:
    """Keeps a row for each command. ``count`` is how many there are; ``open`` names failed checks, oldest first, that
    nothing has shown to pass since."""

    def __init__(self, rows: Rows, count: int, open: list[str]) -> None:
        self._rows, self.count, self.open = rows, count, list(open)

    def put_result(self, command: str, outcome: ActionOutcome, text: str, now: int, *, whole: str = "") -> None:
        """Stores the result of a run, in place of the one before. ``whole`` is the command line as it was given.
        A failure that is open stays what is known of a command while nobody knows how it ended since."""
        key, whole = COMMAND + command, whole or command
        before: dict[str, Any] = self._rows.get(key) or {}
        self.count += not before
        row = {"command": command, "runs": before.get("runs", 0) + 1, "at": now, "ok": outcome.ok, "line": outcome.line}
        if outcome.exit_code is not None:
            row["code"] = outcome.exit_code
        if is_test(command):
            row |= _test_result(text)
        if is_check(whole):
            row["check"] = True
        if row["ok"] is None and command in self.open and before:
            row = before | {"runs": row["runs"]}
        elif command_rank(whole) < 3:
            row |= self._settle(command, row, text, whole=whole)
        self._rows.put(key, row)

    def _settle(self, command: str, row: dict[str, Any], text: str, *, whole: str) -> dict[str, Any]:
        """A command that passes closes the failures it proves fixed; one that fails is open from now on."""
        if row["ok"]:
            for other in list(self.open):
                self._close(other, command, row["at"], whole=whole)
        if row["ok"] is not False:
            return {}
        self.open = [*(one for one in self.open if one != command), command][-_MAX_OPEN:]
        left = [piece[:MAX_COMMAND_CHARS] for piece in check_pieces(whole)[:_MAX_PIECES]]
        return {"left": left, "failures": [one.text for one in failures_in(text, "")[:_MAX_FAILURE_LINES]]}

    def _close(self, failed: str, passed: str, now: int, *, whole: str) -> None:
        """A failed command is over when each of its parts was seen to pass, in one run or in several."""
        row = self._rows.get(COMMAND + failed) or {}
        left = [] if failed == passed else pieces_left(whole, row.get("left", [failed]), row.get("failing", ()))
        if not left:
            self.open.remove(failed)
        if failed != passed and row:
            self._rows.put(COMMAND + failed, row | ({"left": left} if left else {"fixed": now}))

    def flush(self) -> None:
        """Drops the commands that were run longest ago, if there are too many."""
        if self.count > MAX_COMMANDS + COMMANDS_SLACK:
            held = sorted(self._rows.scan(COMMAND, _AFTER_COMMANDS), key=lambda item: (-item[1]["at"], item[0]))
            for name, _ in held[MAX_COMMANDS:]:
                self._rows.remove(name)
            self.count = min(len(held), MAX_COMMANDS)


def _test_result(text: str) -> dict[str, Any]:
    """A runner's exit is lost where its output goes through a pipe; what it reports counts as well."""
    failing = failing_tests(text)
    row: dict[str, Any] = {"test": True, "failing": failing}
    summaries = [line for line in _report(text) if _SUMMARY.search(line)]
    if summaries:
        row["line"] = summaries[-1].strip()[:_MAX_TEST_CHARS]
    if failing:
        row["ok"] = False
    return row
