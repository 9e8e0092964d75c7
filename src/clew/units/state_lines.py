"""The state of the work as lines of a pack: each comes from a record and names it; what no record tells is not said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from clew.domain.ids import message_id
from clew.history.work_map.view import CiLook, CommandFacts, FileFacts, GitStatus, RepositoryFacts, WorkMap
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
    BRANCH = "branch"
    COMMITS = "commits"
    UNCOMMITTED = "uncommitted"
    STATUS = "status"
    PUSH = "push"
    FORGE = "forge"
    CHECK = "check"
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class StateFact:
    """A fact of the state as records bear it out: one or several ``items`` after what leads to them, and at the ``end``
    what is told of all of them.
    """

    kind: StateKind
    items: tuple[str, ...]
    lead: str = ""
    end: str = ""

    @property
    def line(self) -> str:
        """The fact in one line."""
        return f"{self.lead}{'; '.join(self.items)}{self.end}"

    def within(self, chars: int) -> str:
        """The fact in a line of about so many characters. Items stay whole: those that have no room are left out, the
        oldest first, and the last of to-dos."""
        kept = self
        while len(kept.line) > chars and len([one for one in kept.items if one != GAP]) > 1:
            left = [one for one in kept.items if one != GAP]
            items = (*left[:-1], GAP) if self.kind is StateKind.TODOS else (GAP, *left[1:])
            kept = replace(kept, items=items)
        if len(kept.line) <= chars or not kept.end:
            return clip_middle(kept.line, chars)
        first = clip_middle(replace(kept, end="").line, max(chars - len(kept.end), chars * 3 // 5))
        blank = " " if kept.end.startswith(" ") else ""
        return f"{first}{blank}{clip_middle(kept.end, chars - len(first))}"


def state_lines(work: WorkMap, *, chars: int = 0) -> list[str]:
    """Returns what is known of repository, to-dos, failures, checks and running commands, each with its message, in
    lines of at most about so many characters, if a number is given."""
    return [fact.within(chars) if chars else fact.line for fact in state_facts(work)]


def state_facts(work: WorkMap) -> list[StateFact]:
    """Returns the state as facts, of which each item can stand alone."""
    failures = (*_failures(work), *_partly_passed(work))
    return [*_todos(work), *failures, *_repository(work), *_checks(work), *_running(work)]


def _repository(work: WorkMap) -> Iterator[StateFact]:
    known = work.repository
    if known.branch[0]:
        yield StateFact(StateKind.BRANCH, (f"branch {known.branch[0]} ({message_id(known.branch[1])})",))
    yield from _commits(known)
    if known.head and known.head.hash not in {one.hash for one in known.commits}:
        head = f"HEAD {known.head.hash[:12]} {known.head.subject} ({message_id(known.head.at)})"
        yield StateFact(StateKind.COMMITS, (head,))
    settled, inside = known.settled_at, _files_of_work(work)
    if edited := uncommitted_files(work):
        names = ", ".join(work.relative_path(facts.path) for facts in edited[-_MAX_FILES:])
        when = f"since the edits of: {names}" if settled else "in this session"
        yield StateFact(StateKind.UNCOMMITTED, (f"no commit seen {when}",))
    gone = [facts for facts in inside if facts.deleted > settled >= facts.created and _IS_FILE.search(facts.path)]
    if gone:
        gone.sort(key=lambda facts: facts.deleted)
        listed = [f"{work.relative_path(facts.path)} ({message_id(facts.deleted)})" for facts in gone[-_MAX_FILES:]]
        yield StateFact(StateKind.UNCOMMITTED, (f"deleted, no commit seen since: {', '.join(listed)}",))
    if known.status and not known.status.is_over and known.status.at >= settled:
        yield StateFact(StateKind.STATUS, (_status(known.status),))
    yield from _pushes(known)
    name, at = known.pull_request
    repository, _, number = name.partition("#")
    if name and not any(repository in link and link.endswith(f"/{number}") for link, _ in known.opened):
        yield StateFact(StateKind.FORGE, (f"pull request looked at last: {name} ({message_id(at)})",))
    for link, at in known.opened[-_MAX_OPENED:]:
        yield StateFact(StateKind.FORGE, (f"opened {link} ({message_id(at)})",))
    if known.ci:
        yield StateFact(StateKind.FORGE, (_ci(known.ci),), end=_pushed_since(known, known.ci.at))


def _ci(look: CiLook) -> str:
    failed = f", {', '.join(look.failed)}" if look.failed else ""
    return f"CI {'passed' if look.passed else 'failed'} ({message_id(look.at)}): {look.what}{failed}"


def _pushed_since(known: RepositoryFacts, at: int) -> str:
    return "; pushed since" if any(push.at > at and not push.place for push in known.pushes) else ""


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


def _commits(known: RepositoryFacts) -> Iterator[StateFact]:
    """Commits, with the branch of those that were made on another than the present one, and the folder of those that
    were made in another; where the newest was made comes first."""
    made: dict[str, list[str]] = {}
    for one in reversed(known.commits[-_MAX_COMMITS:]):
        on = f" on {one.branch}" if one.branch and (one.place or one.branch != known.branch[0]) else ""
        lead = f"commits{on}{_in(one.place)}: "
        made.setdefault(lead, []).append(f"{one.hash[:12]} {one.subject} ({message_id(one.at)})")
    for lead, items in made.items():
        yield StateFact(StateKind.COMMITS, tuple(reversed(items)), lead=lead)


def _in(place: str) -> str:
    return f" in {place}" if place else ""


def _pushes(known: RepositoryFacts) -> Iterator[StateFact]:
    if known.pushes:
        done = tuple(f"{push.remote}{_in(push.place)} ({message_id(push.at)})" for push in known.pushes[-_MAX_PUSHES:])
        here = {"", known.branch[0]}
        of = ["" if branch in here else f" on {branch}" for branch in known.unpushed_branches]
        end = "".join(f"; no push seen since the last commit{where}" for where in dict.fromkeys(of))
        yield StateFact(StateKind.PUSH, done, lead="pushed: ", end=end)
    elif known.commits:
        yield StateFact(StateKind.PUSH, ("no push seen",))


def _status(status: GitStatus) -> str:
    """What git listed; it speaks for its own moment only."""
    listed = (("changed", status.changed), ("untracked", status.untracked))
    parts = [f"{label} {_names(names)}" for label, names in listed if names]
    return f"git status ({message_id(status.at)}): {'; '.join(parts) or 'clean'}"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_FILES} more" if len(names) > _MAX_FILES else ""
    return ", ".join(names[:_MAX_FILES]) + more


def _todos(work: WorkMap) -> Iterator[StateFact]:
    if not work.todos:
        return
    open = [f"[{todo.status}] {todo.text}" for todo in work.todos if todo.status != "done"]
    done = [todo.text for todo in work.todos if todo.status == "done"]
    at = message_id(work.todos_at)
    if 0 < work.todos_at < work.request_at:
        at += f", not touched since the request of {message_id(work.request_at)}"
    elif work.now - work.todos_at >= _OLD_LIST:
        at += f", not touched since, now at {message_id(work.now)}"
    if not open:
        all_done = tuple(clip_middle(one, _MAX_DONE_CHARS) for one in done)
        yield StateFact(StateKind.TODOS, all_done, lead=f"to-dos ({at}): all {len(done)} done: ")
        return
    ended = f"; done: {'; '.join(clip_middle(one, _MAX_DONE_CHARS) for one in done)}" if done else ""
    yield StateFact(StateKind.TODOS, tuple(open), lead=f"to-dos ({at}): ", end=ended)


def _failures(work: WorkMap) -> Iterator[StateFact]:
    open = {facts.failures or (facts.line,): facts for facts in work.open_failures}
    for facts in sorted(open.values(), key=lambda facts: facts.at)[-_MAX_FAILURES:]:
        why = " | ".join(facts.failures) or facts.line
        command = _clip_command(facts.command)
        since = f"failed, not seen to pass since ({message_id(facts.at)})"
        report = f" → {clip_middle(why, _MAX_FAILURE_CHARS)}"
        yield StateFact(StateKind.FAILURE, (f"{since}: `{command}`",), end=report)


def _partly_passed(work: WorkMap) -> Iterator[StateFact]:
    """Checks that failed and were only run in part since, the newest."""
    for facts in sorted(work.partly_passed, key=lambda facts: facts.at)[-_MAX_PARTLY_PASSED:]:
        command, narrower = (clip_middle(one, _MAX_PART_CHARS) for one in (facts.command, facts.narrowed[0]))
        failed = f"failed ({message_id(facts.at)}), not seen to pass as a whole since: `{command}`"
        line = f"{failed}; what failed passed alone ({message_id(facts.narrowed[1])}): `{narrower}`"
        yield StateFact(StateKind.CHECK, (line,))


def _checks(work: WorkMap) -> Iterator[StateFact]:
    """The checks that passed and that nothing was edited after; else the newest, with a note."""
    told = {one.narrowed[0] for one in work.partly_passed}
    if fresh := fresh_checks(work):
        for facts in [facts for facts in fresh if facts.command not in told][:_MAX_CHECKS]:
            yield StateFact(StateKind.CHECK, (_check(facts),))
    else:
        for facts in _passed_checks(work)[:_MAX_STALE_CHECKS]:
            yield StateFact(StateKind.CHECK, (_check(facts),), end="; files were edited since")


def fresh_checks(work: WorkMap) -> list[CommandFacts]:
    """Returns the checks that passed and that nothing was edited after, the widest first. What a wider one has checked
    as well is not told, nor what one failed in since."""
    code = [facts for facts in work.files if not facts.path.endswith(PROSE)]
    gone = (facts.deleted for facts in code if _IS_FILE.search(facts.path))
    edited = max((*(facts.edited for facts in code), *gone), default=0)
    wide: list[CommandFacts] = []
    for facts in sorted((facts for facts in _passed_checks(work) if facts.at >= edited), key=_narrowness):
        if not any(_stands_for(one.command, facts.command) for one in wide):
            wide.append(facts)
    return wide


def _passed_checks(work: WorkMap) -> list[CommandFacts]:
    return [facts for facts in work.commands if facts.is_check and facts.ok and not _has_failed_since(facts, work)]


def _stands_for(wide: str, narrow: str) -> bool:
    """Whether a check that passed tells of another as well; nobody knows which other tasks a task runs."""
    tasks = {check.task for check in checks_of(wide)}
    return proves_fixed(wide, narrow) and (
        any(map(_WHOLE_TASK.search, tasks)) or {check.task for check in checks_of(narrow) if check.task} <= tasks
    )


def _has_failed_since(facts: CommandFacts, work: WorkMap) -> bool:
    later = (one.command for one in work.open_failures if one.at >= facts.at)
    return any(proves_fixed(command, facts.command) for command in later)


def _narrowness(facts: CommandFacts) -> tuple[bool, bool, int]:
    """Whole runs before narrow ones, tests before builds, new before old."""
    checks = [check for check in checks_of(facts.command) if check.kind is not CheckKind.PROGRAM]
    is_narrow = not checks or any(check.targets or check.filters or check.narrowed for check in checks)
    return is_narrow, not facts.is_test, -facts.at


def _check(facts: CommandFacts) -> str:
    counts = clip_middle(counts_in(facts.line), _MAX_RESULT_CHARS)
    result = f" → {counts}" if counts else ""
    return f"{facts.result} ({message_id(facts.at)}): `{_clip_command(facts.command)}`{result}"


def _clip_command(command: str) -> str:
    return clip_middle(command, _MAX_COMMAND_CHARS)


def _running(work: WorkMap) -> Iterator[StateFact]:
    for id, command, at in [one for one in work.running if one[1]][-_MAX_RUNNING:]:
        line = f"seen running ({message_id(at)}), not seen to end: `{clip_middle(command, 90)}`, id {id}"
        yield StateFact(StateKind.RUNNING, (line,))
