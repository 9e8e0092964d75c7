"""The state of the work as lines of a pack: each comes from a record and names it; what no record tells is not said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.domain.ids import message_id
from clew.history.work_map.view import CommandFacts, GitStatus, WorkMap
from clew.text.tools.failures import counts_in
from clew.text.tools.purposes import is_program, only_formats
from clew.units.action_units import PROSE
from clew.units.unit import clip_middle

_MAX_COMMITS, _MAX_FILES, _MAX_FAILURES, _MAX_CHECKS, _MAX_OPENED, _MAX_RUNNING = 6, 8, 6, 4, 3, 3
_MAX_DONE_CHARS, _MAX_COMMAND_CHARS, _MAX_RESULT_CHARS, _MAX_FAILURE_CHARS = 60, 130, 110, 320
#: A program on the command line asks something; it checks nothing.
_ONE_LINER = re.compile(r"\b(?:node|python3?|ruby|perl|php|bash|sh|deno|bun) (?:-\w+ )*-[cepr]\b")
#: Checks shown although files were edited since.
_MAX_STALE_CHECKS = 2
_VERDICTS = {True: "passed", False: "failed", None: "result unknown"}


def state_lines(work: WorkMap) -> list[str]:
    """Returns what is known of repository, to-dos, failures, checks and running commands, each with its message."""
    return [*_todos(work), *_failures(work), *_repository(work), *_checks(work), *_running(work)]


def _repository(work: WorkMap) -> Iterator[str]:
    known = work.repository
    if known.branch[0]:
        yield f"branch {known.branch[0]} ({message_id(known.branch[1])})"
    if known.commits:
        made = (f"{one.hash[:12]} {one.subject} ({message_id(one.at)})" for one in known.commits[-_MAX_COMMITS:])
        yield f"commits: {'; '.join(made)}"
    if known.head and known.head.hash not in {one.hash for one in known.commits}:
        yield f"HEAD {known.head.hash[:12]} {known.head.subject} ({message_id(known.head.at)})"
    last, settled = known.committed_at, known.settled_at
    inside = [facts for facts in work.files if facts.path.startswith(f"{work.root}/") or not work.root]
    if edited := [facts for facts in inside if facts.edited > settled and not facts.deleted]:
        edited.sort(key=lambda facts: facts.edited)
        names = ", ".join(work.relative_path(facts.path) for facts in edited[-_MAX_FILES:])
        yield f"no commit seen {'since the edits of: ' + names if settled else 'in this session'}"
    if known.status and known.status.at >= settled:
        yield _status(known.status)
    if known.pushes:
        remote, at = known.pushes[-1]
        yield f"pushed: {remote} ({message_id(at)}){'' if at >= last else '; no push seen since the last commit'}"
    elif known.commits:
        yield "no push seen"
    number, at = known.pull_request
    if number and not any(link.endswith(f"/{number}") for link, _ in known.opened):
        yield f"pull request looked at last: #{number} ({message_id(at)})"
    for link, at in known.opened[-_MAX_OPENED:]:
        yield f"opened {link} ({message_id(at)})"


def _status(status: GitStatus) -> str:
    """What git listed; it speaks for its own moment only."""
    listed = (("changed", status.changed), ("untracked", status.untracked))
    parts = [f"{label} {_names(names)}" for label, names in listed if names]
    return f"git status ({message_id(status.at)}): {'; '.join(parts) or 'clean'}"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_FILES} more" if len(names) > _MAX_FILES else ""
    return ", ".join(names[:_MAX_FILES]) + more


def _todos(work: WorkMap) -> Iterator[str]:
    if not work.todos:
        return
    open = [f"[{todo.status}] {todo.text}" for todo in work.todos if todo.status != "done"]
    done = [todo.text for todo in work.todos if todo.status == "done"]
    at = message_id(work.todos_at)
    if not open:
        yield f"to-dos ({at}): all {len(done)} done: {'; '.join(clip_middle(one, _MAX_DONE_CHARS) for one in done)}"
        return
    ended = f"; done: {'; '.join(clip_middle(one, _MAX_DONE_CHARS) for one in done)}" if done else ""
    yield f"to-dos ({at}): {'; '.join(open)}{ended}"


def _failures(work: WorkMap) -> Iterator[str]:
    open = {facts.failures or (facts.line,): facts for facts in work.open_failures}
    for facts in sorted(open.values(), key=lambda facts: facts.at)[-_MAX_FAILURES:]:
        why = " | ".join(facts.failures) or facts.line
        command = clip_middle(facts.command, _MAX_COMMAND_CHARS)
        since = f"failed, not seen to pass since ({message_id(facts.at)})"
        yield f"{since}: `{command}` → {clip_middle(why, _MAX_FAILURE_CHARS)}"


def _checks(work: WorkMap) -> Iterator[str]:
    """The checks that passed and that nothing was edited after; else the newest, with a note."""
    open = {facts.command for facts in work.open_failures}
    told = [facts for facts in work.commands if facts.is_check and facts.ok and facts.command not in open]
    told = [facts for facts in told if not _proves_nothing(facts.command)]
    edited = max((facts.edited for facts in work.files if not facts.path.endswith(PROSE)), default=0)
    fresh = [facts for facts in told if facts.at > edited]
    for facts in sorted(fresh[:_MAX_CHECKS] or told[:_MAX_STALE_CHECKS], key=lambda facts: facts.at):
        yield _check(facts) + ("" if facts.at > edited else "; files were edited since")


def _proves_nothing(command: str) -> bool:
    return bool(_ONE_LINER.search(command)) or only_formats(command) or is_program(command)


def _check(facts: CommandFacts) -> str:
    counts = clip_middle(counts_in(facts.line), _MAX_RESULT_CHARS)
    result = f" → {counts}" if counts else ""
    return f"{_VERDICTS[facts.ok]} ({message_id(facts.at)}): `{clip_middle(facts.command, _MAX_COMMAND_CHARS)}`{result}"


def _running(work: WorkMap) -> Iterator[str]:
    for id, command, at in [one for one in work.running if one[1]][-_MAX_RUNNING:]:
        yield f"started in the background ({message_id(at)}), not seen to end: `{clip_middle(command, 90)}`, id {id}"
