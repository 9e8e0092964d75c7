"""The state of the work as lines of a pack: each comes from a record and names it; what no record tells is not said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from clew.domain import Failure
from clew.domain.ids import message_id, message_number
from clew.history.work_map.repository_facts import CiLook, Commit, GitStatus, RepositoryFacts
from clew.history.work_map.view import CommandFacts, FileFacts, WorkMap
from clew.text.tools.checks import CheckKind, checks_of
from clew.text.tools.purposes import proves_fixed
from clew.text.tools.reports import counts_in
from clew.units.action_units import PROSE
from clew.units.file_lines import TEMPORARY
from clew.units.unit import GAP, clip_middle

_MAX_COMMITS, _MAX_FILES, _MAX_FAILURES, _MAX_CHECKS, _MAX_OPENED, _MAX_RUNNING = 6, 8, 6, 4, 3, 3
_MAX_DONE_CHARS, _MAX_COMMAND_CHARS, _MAX_RESULT_CHARS, _MAX_FAILURE_CHARS = 60, 130, 110, 320
#: What lies there is no part of the work.
_GIT_FOLDER = "/.git/"
#: Tasks that run all others of their kind.
_WHOLE_TASK = re.compile(r"(?:^|[:_-])(?:ci|all|full)$")
#: A folder that is taken away is mostly one that something made.
_IS_FILE = re.compile(r"[^/.]\.\w{1,12}$")
#: Checks shown although files were edited since.
_MAX_STALE_CHECKS = 2
#: Messages after which a list of to-dos that nobody has touched may be out of date.
_OLD_LIST = 20
#: Branches whose last push is shown.
_MAX_PUSHES = 4
#: Failed checks shown of which only what failed was run again, and characters of either command.
_MAX_PARTLY_PASSED, _MAX_PART_CHARS = 2, 70


class StateKind(StrEnum):
    """What a fact of the state is about."""

    TODOS = "to-dos"
    FAILURE = "failure"
    PARTLY_PASSED = "passed in part"
    BRANCH = "branch"
    COMMITS = "commits"
    HEAD = "head"
    UNCOMMITTED = "uncommitted"
    STATUS = "status"
    PUSH = "push"
    FORGE = "forge"
    CHECK = "check"
    STALE_CHECK = "check before edits"
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class StateItem:
    """One thing that a fact tells: words, the newest message that bears it out (0 for none), and words behind it.

    ``name`` names it once and for all: a branch, an id, a number. One that is not ``marked`` is read without its
    message, as its words, or what leads to it, name that.
    """

    words: str
    at: int = 0
    rest: str = ""
    name: str = ""
    marked: bool = True

    @property
    def text(self) -> str:
        """The item as it is read."""
        mark = f" ({message_id(self.at)})" if self.marked and self.at else ""
        return f"{self.words}{mark}{self.rest}"


_LEFT_OUT, _SINCE = StateItem(GAP), "; edited since"


@dataclass(frozen=True, slots=True)
class StateFact:
    """A fact of the state as records bear it out: one or several ``items`` after what leads to them, at the ``end``
    what is told of all of them, and which files were edited ``since``.
    """

    kind: StateKind
    items: tuple[StateItem, ...]
    lead: str = ""
    end: str = ""
    since: str = ""

    @property
    def at(self) -> int:
        """The newest message that bears it out; 0 for none."""
        return max(item.at for item in self.items)

    @property
    def line(self) -> str:
        """The fact in one line."""
        since = f"{_SINCE}: {self.since}" if self.since else ""
        return f"{self.lead}{'; '.join(item.text for item in self.items)}{self.end}{since}"

    def line_within(self, chars: int) -> str:
        """The fact in a line of about so many characters. Items stay whole: those that have no room are left out, the
        oldest first, and the last of to-dos."""
        kept, left = self, self.items
        while len(kept.line) > chars and len(left) > 1:
            left = left[:-1] if self.kind is StateKind.TODOS else left[1:]
            kept = replace(self, items=(*left, _LEFT_OUT) if self.kind is StateKind.TODOS else (_LEFT_OUT, *left))
        if len(kept.line) <= chars:
            return kept.line
        chars -= len(since := _SINCE if self.since else "")
        first = clip_middle(replace(kept, end="", since="").line, max(chars - len(kept.end), chars * 3 // 5))
        blank = " " if kept.end.startswith(" ") else ""
        return f"{first}{blank}{clip_middle(kept.end, chars - len(first))}{since}"


def state_lines(work: WorkMap, *, chars: int = 0) -> list[str]:
    """Returns what is known of repository, to-dos, failures, checks and running commands, each with its message, in
    lines of at most about so many characters, if a number is given."""
    return [fact.line_within(chars) if chars else fact.line for fact in state_facts(work)]


def state_facts(work: WorkMap) -> list[StateFact]:
    """Returns the state as facts, of which each item can stand alone."""
    failures = (*_failures(work), *_partly_passed(work))
    return [*_todos(work), *failures, *_repository(work), *_checks(work), *_running(work)]


def _repository(work: WorkMap) -> Iterator[StateFact]:
    known = work.repository
    if known.branch[0]:
        name, number_in = known.branch
        yield StateFact(StateKind.BRANCH, (StateItem(f"branch {name}", number_in, name=name),))
    yield from _commits(known)
    if known.head and known.head.hash not in {commit.hash for commit in known.commits}:
        yield StateFact(StateKind.HEAD, (_commit(known.head),), lead="HEAD ")
    yield from _uncommitted_facts(work)
    if known.status and not known.status.is_over and known.status.at >= known.settled_at:
        yield StateFact(StateKind.STATUS, (_status(known.status),))
    yield from _pushes(known)
    name, number_in = known.pull_request
    repository, _, number = name.partition("#")
    if name and not any(repository in link and link.endswith(f"/{number}") for link, _ in known.opened):
        yield StateFact(StateKind.FORGE, (StateItem(f"pull request looked at last: {name}", number_in, name=number),))
    for link, number_in in known.opened[-_MAX_OPENED:]:
        last = link.rpartition("/")[2]
        yield StateFact(StateKind.FORGE, (StateItem(f"opened {link}", number_in, name=last if last.isdigit() else ""),))
    if known.ci:
        yield StateFact(StateKind.FORGE, (_ci(known.ci),), end=_pushed_since(known, known.ci.at))


def _uncommitted_facts(work: WorkMap) -> Iterator[StateFact]:
    """Files that were edited or deleted, and in no commit seen since. People commit by themselves: where no commit was
    seen at all, no message bears that out."""
    settled = work.repository.settled_at
    if edited := uncommitted_files(work):
        names = ", ".join(work.relative_path(facts.path) for facts in edited[-_MAX_FILES:])
        when, edited_at = (f"since the edits of: {names}", edited[-1].edited) if settled else ("in this session", 0)
        yield StateFact(StateKind.UNCOMMITTED, (StateItem(f"no commit seen {when}", edited_at, marked=False),))
    gone = [
        facts
        for facts in _files_of_work(work)
        if facts.deleted > settled >= facts.created and _IS_FILE.search(facts.path)
    ]
    if gone:
        gone.sort(key=lambda facts: facts.deleted)
        listed = [f"{work.relative_path(facts.path)} ({message_id(facts.deleted)})" for facts in gone[-_MAX_FILES:]]
        deleted_text = f"deleted, no commit seen since: {', '.join(listed)}"
        yield StateFact(StateKind.UNCOMMITTED, (StateItem(deleted_text, gone[-1].deleted, marked=False),))


def _ci(look: CiLook) -> StateItem:
    failed = f", {', '.join(look.failed)}" if look.failed else ""
    return StateItem(f"CI {'passed' if look.passed else 'failed'}", look.at, f": {look.what}{failed}")


def _pushed_since(repository: RepositoryFacts, looked_at: int) -> str:
    return "; pushed since" if any(push.at > looked_at and not push.place for push in repository.pushes) else ""


def uncommitted_files(work: WorkMap) -> list[FileFacts]:
    """Returns the files that were edited after the last commit that was seen, the newest edit last."""
    settled = work.repository.settled_at
    edited = [facts for facts in _files_of_work(work) if facts.edited > settled and not facts.deleted]
    return sorted(edited, key=lambda facts: facts.edited)


def _files_of_work(work: WorkMap) -> list[FileFacts]:
    inside = [facts for facts in work.files if work.holds(facts.path)]
    inside = [facts for facts in inside if _GIT_FOLDER not in facts.path]
    if TEMPORARY.match(f"{work.root}/"):
        return inside
    return [facts for facts in inside if not TEMPORARY.match(facts.path)]


def _commits(repository: RepositoryFacts) -> Iterator[StateFact]:
    """Commits, with the branch of those that were made on another than the present one, and the folder of those that
    were made in another; where the newest was made comes first."""
    made: dict[str, list[StateItem]] = {}
    for commit in reversed(repository.commits[-_MAX_COMMITS:]):
        on = f" on {commit.branch}" if commit.branch and (commit.place or commit.branch != repository.branch[0]) else ""
        lead = f"commits{on}{_in(commit.place)}: "
        made.setdefault(lead, []).append(_commit(commit))
    for lead, items in made.items():
        yield StateFact(StateKind.COMMITS, tuple(reversed(items)), lead=lead)


def _commit(commit: Commit) -> StateItem:
    return StateItem(f"{commit.hash[:12]} {commit.subject}", commit.at, name=commit.hash[:12])


def _in(place: str) -> str:
    return f" in {place}" if place else ""


def _pushes(repository: RepositoryFacts) -> Iterator[StateFact]:
    if repository.pushes:
        newest = repository.pushes[-_MAX_PUSHES:]
        done = tuple(StateItem(f"{push.remote}{_in(push.place)}", push.at, name=push.remote) for push in newest)
        here = {"", repository.branch[0]}
        of = ["" if branch in here else f" on {branch}" for branch in repository.unpushed_branches]
        end = "".join(f"; no push seen since the last commit{where}" for where in dict.fromkeys(of))
        yield StateFact(StateKind.PUSH, done, lead="pushed: ", end=end)
    elif repository.commits:
        yield StateFact(StateKind.PUSH, (StateItem("no push seen"),))


def _status(status: GitStatus) -> StateItem:
    """What git listed; it speaks for its own moment only."""
    listed = (("changed", status.changed), ("untracked", status.untracked))
    parts = [f"{label} {_names(names)}" for label, names in listed if names]
    return StateItem("git status", status.at, f": {'; '.join(parts) or 'clean'}")


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_FILES} more" if len(names) > _MAX_FILES else ""
    return ", ".join(names[:_MAX_FILES]) + more


def _todos(work: WorkMap) -> Iterator[StateFact]:
    if not work.todos:
        return
    open = [f"[{todo.status}] {todo.text}" for todo in work.todos if todo.status != "done"]
    done = [clip_middle(todo.text, _MAX_DONE_CHARS) for todo in work.todos if todo.status == "done"]
    where = message_id(work.todos_at)
    if 0 < work.todos_at < work.request_at:
        where += f", not touched since the request of {message_id(work.request_at)}"
    elif work.now - work.todos_at >= _OLD_LIST:
        where += f", not touched since, now at {message_id(work.now)}"
    items = tuple(StateItem(text, work.todos_at, marked=False) for text in open or done)
    lead = f"to-dos ({where}): " if open else f"to-dos ({where}): all {len(done)} done: "
    ended = f"; done: {'; '.join(done)}" if done and open else ""
    yield StateFact(StateKind.TODOS, items, lead=lead, end=ended)


def _failures(work: WorkMap) -> Iterator[StateFact]:
    newest = {failure.reason: failure for failure in work.open_failures}
    for failure in sorted(newest.values(), key=lambda failure: failure.number)[-_MAX_FAILURES:]:
        yield failure_fact(failure, work)


def failure_fact(failure: Failure, work: WorkMap) -> StateFact:
    """Returns a failure that is open as every telling shows it: the command, what it reported, and what was edited
    since, which may have mended it."""
    item = StateItem("failed, not seen to pass since", failure.number, f": `{_clip_command(failure.about)}`")
    report = clip_middle(failure.reason, _MAX_FAILURE_CHARS)
    return StateFact(StateKind.FAILURE, (item,), end=f" → {report}", since=_edited_since(work, failure.number))


def _partly_passed(work: WorkMap) -> Iterator[StateFact]:
    """Checks that failed and were only run in part since, the newest."""
    for failure in work.partly_passed[-_MAX_PARTLY_PASSED:]:
        command, narrower = (clip_middle(text, _MAX_PART_CHARS) for text in (failure.about, failure.narrower))
        failed = f"failed ({failure.source}), not seen to pass as a whole since: `{command}`; what failed passed alone"
        item = StateItem(failed, message_number(failure.resolved), f": `{narrower}`")
        yield StateFact(StateKind.PARTLY_PASSED, (item,))


def _checks(work: WorkMap) -> Iterator[StateFact]:
    """The checks that passed and that nothing was edited after; else the newest, with what was."""
    narrower_commands = {failure.narrower for failure in work.partly_passed}
    if fresh := fresh_checks(work):
        for facts in [facts for facts in fresh if facts.command not in narrower_commands][:_MAX_CHECKS]:
            yield StateFact(StateKind.CHECK, (_check(facts),))
    else:
        for facts in _passed_checks(work)[:_MAX_STALE_CHECKS]:
            yield StateFact(StateKind.STALE_CHECK, (_check(facts),), since=_edited_since(work, facts.at))


def fresh_checks(work: WorkMap) -> list[CommandFacts]:
    """Returns the checks that passed and that nothing was edited after, the widest first. What a wider one has checked
    as well is not told, nor what one failed in since."""
    changed = max(map(_changed_at, _code_files(work)), default=0)
    wide: list[CommandFacts] = []
    for facts in sorted((facts for facts in _passed_checks(work) if facts.at >= changed), key=_narrowness):
        if not any(_stands_for(wider.command, facts.command) for wider in wide):
            wide.append(facts)
    return wide


def _edited_since(work: WorkMap, checked_at: int) -> str:
    """Which code was changed after a check, which then no longer tells how it would end: the newest of the work."""
    changed = [facts for facts in _code_files(work) if _changed_at(facts) > checked_at]
    newest = max(changed, key=lambda facts: (work.holds(facts.path), _changed_at(facts)), default=None)
    if newest is None:
        return ""
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"{work.relative_path(newest.path)} ({message_id(_changed_at(newest))}){more}"


def _code_files(work: WorkMap) -> list[FileFacts]:
    return [facts for facts in work.files if not facts.path.endswith(PROSE)]


def _changed_at(facts: FileFacts) -> int:
    return max(facts.edited, facts.restored, facts.deleted if _IS_FILE.search(facts.path) else 0)


def _passed_checks(work: WorkMap) -> list[CommandFacts]:
    return [facts for facts in work.commands if facts.is_check and facts.ok and not _has_failed_since(facts, work)]


def _stands_for(wide: str, narrow: str) -> bool:
    """Whether a check that passed tells of another as well; nobody knows which other tasks a task runs."""
    tasks = {check.task for check in checks_of(wide)}
    return proves_fixed(wide, narrow) and (
        any(map(_WHOLE_TASK.search, tasks)) or {check.task for check in checks_of(narrow) if check.task} <= tasks
    )


def _has_failed_since(facts: CommandFacts, work: WorkMap) -> bool:
    later = (failure.about for failure in work.open_failures if failure.number >= facts.at)
    return any(proves_fixed(command, facts.command) for command in later)


def _narrowness(facts: CommandFacts) -> tuple[bool, bool, int]:
    """Whole runs before narrow ones, tests before builds, new before old."""
    checks = [check for check in checks_of(facts.command) if check.kind is not CheckKind.PROGRAM]
    is_narrow = not checks or any(check.targets or check.filters or check.narrowed for check in checks)
    return is_narrow, not facts.is_test, -facts.at


def _check(facts: CommandFacts) -> StateItem:
    counts = clip_middle(counts_in(facts.line), _MAX_RESULT_CHARS)
    result = f" → {counts}" if counts else ""
    return StateItem(str(facts.result), facts.at, f": `{_clip_command(facts.command)}`{result}")


def _clip_command(command: str) -> str:
    return clip_middle(command, _MAX_COMMAND_CHARS)


def _running(work: WorkMap) -> Iterator[StateFact]:
    for id, command, seen_at in [run for run in work.running if run[1]][-_MAX_RUNNING:]:
        rest = f", not seen to end: `{clip_middle(command, 90)}`, id {id}"
        yield StateFact(StateKind.RUNNING, (StateItem("seen running", seen_at, rest),))
