"""Replays calls, outputs and words into the rows of the work map."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from clew.domain import CodeChange, Output, Status
from clew.domain.values import from_json, to_json
from clew.history.work_map.commands import (
    CommandRows,
    client_runs,
    command_key,
    ended_tasks,
    running_session,
    still_runs,
    was_stopped,
)
from clew.history.work_map.file_changes import moved_row, note_change, note_read, note_restored, tests_gone
from clew.history.work_map.file_rows import (
    FileRow,
    FileRows,
    bind_names,
    decayed_score,
    is_rooted,
    moved_path,
    raise_score,
)
from clew.history.work_map.repository import (
    end_status,
    note_home,
    read_client_branch,
    read_pasted,
    read_repository,
)
from clew.history.work_map.repository_facts import RepositoryFacts
from clew.history.work_map.text_scan import MAX_OUTPUT_CHARS, files_shown, score_names
from clew.ports import Rows
from clew.text.names import is_path, paths_in
from clew.text.tools.actions import Action, ActionKind, ActionOutcome, Restore, TextEdit, Todo
from clew.text.tools.outcomes import read_outcome
from clew.text.tools.shell import hides_exit_code

#: What each deed makes a file worth. Changing beats reading beats being spoken of beats being seen in a list.
_WORTH = {
    ActionKind.EDIT: 4.0,
    ActionKind.WRITE: 4.0,
    ActionKind.READ: 2.0,
    ActionKind.SEARCH: 1.5,
    ActionKind.LIST: 0.5,
    ActionKind.DELETE: 0.5,
}
_WORTH_SAID, _WORTH_SEEN = 1.0, 0.25
#: What names are worth to a file: asked of it, spoken of with it, shown beside it.
_ASKED, _SAID, _SEEN = 3.0, 2.0, 0.5
#: Names of the whole session that are kept, from what was said and asked; pruned at a half more. They are written with
#: every message, so they must stay few.
_MAX_HOT = 200
_MAX_TODOS = 60
#: A tool says which file it changed at the start of its answer.
_ANSWER_CHARS = 400
_APPLIED = re.compile(r"^Applied edit to (\S.*?)\s*$", re.MULTILINE)
#: A line that says of a file that it is not there.
_IS_ABSENT = re.compile(r"(?i)no such file|not found|cannot find|does not exist|deleted: ")
_TASK_ID = re.compile(r"#(\d{1,6})")


class Replay:
    """Takes in calls, outputs and words in order. ``now`` is the number of the message they stand in."""

    def __init__(
        self, rows: Rows, *, now: int, files: int, commands: tuple[int, list[str]], running: dict[str, list[Any]]
    ) -> None:
        self._rows, self.now = rows, now
        self.files, self.commands, self.running = FileRows(rows, files), CommandRows(rows, *commands), dict(running)
        self._map: dict[str, Any] = rows.get("map") or {"todos": [], "names": {}}
        self._repository = from_json(RepositoryFacts, self._map.get("repository") or {})

    def flush(self, request: list[Any] | None) -> None:
        """Writes all rows back, with the last request."""
        self.files.flush(self.now)
        self.commands.flush()
        hot: dict[str, list[Any]] = self._map["names"]
        if len(hot) > 1.5 * _MAX_HOT:
            best = sorted(hot.items(), key=lambda item: (-decayed_score(item[1], self.now), item[0]))
            self._map["names"] = dict(best[:_MAX_HOT])
        running = [[id, *run[:2]] for id, run in self.running.items()]
        about = {"now": self.now, "request": request, "running": running, "open": self.commands.open}
        self._rows.put("map", self._map | about | {"repository": to_json(self._repository)})

    # ── calls, outputs, words ────────────────────────────────────────────────────────────────────────

    def take_call(self, done: tuple[Action, ...]) -> None:
        """Counts the names in a call's actions as what the work is about, whatever comes of the call."""
        words = [f"{action.pattern}\n{action.command[:2000]}" for action in done]
        self._raise_names(score_names("\n".join(words)))

    def take_output(self, done: tuple[Action, ...], output: Output) -> None:
        """Replays the actions of a call if its output says that they worked; commands are noted either way."""
        text = output.text
        if output.status is Status.CANCELED:
            return
        is_trial = self._is_stashed() or any(action.restore is Restore.STASH for action in done)
        for action in done:
            action = self._resume_command(action)
            result = read_outcome(action, output)
            if action.kind is ActionKind.RUN:
                self._take_run(action, result, text, is_trial=is_trial)
            elif result.ok:
                self.apply_action(action, text)
        if not done or done[0].kind not in {
            ActionKind.READ,
            ActionKind.EDIT,
            ActionKind.WRITE,
            ActionKind.TODO,
            ActionKind.ASK,
        }:
            self._take_shown_files(text, done)

    def take_place(self, branch: str, folder: str) -> None:
        """Takes in the branch and the folder that a client says it is in."""
        note_home(self._repository, folder)
        read_client_branch(self._repository, branch, self.now)

    def take_words(self, text: str, *, weight: float) -> None:
        """Increases the scores of files that a text mentions, and of the names beside them."""
        for path, line, beside in files_shown(text):
            self._take_mention(path, line, beside, worth=_WORTH_SAID * weight, names=_SAID * weight)
        self._raise_names(score_names(text[:MAX_OUTPUT_CHARS], weight))

    def take_person(self, text: str) -> None:
        """Takes in the words of a person, which say most of what the work is about."""
        read_pasted(self._repository, text)
        self.take_words(text, weight=2.0)

    def take_notes(self, changes: Iterable[CodeChange]) -> None:
        """Keeps what a model noted of changes to files, the newest word on each. A note makes no file a changed one."""
        for change in changes:
            row = self.files.row(change.path, self.now) if change.what else None
            if row is not None:
                row.noted = [self.now, change.what]

    def take_applied(self, proposed: tuple[Action, ...], text: str) -> None:
        """Replays the proposed edits of the files that a client says it has edited, each file as one edit."""
        for path in dict.fromkeys(_APPLIED.findall(text)):
            same = [
                action
                for action in proposed
                if f"/{action.path}".endswith(f"/{path}") or path.endswith(f"/{action.path}")
            ]
            changes = [
                change for action in same for change in (action.changes or (TextEdit("", action.content or ""),))
            ]
            self.apply_action(Action(kind=ActionKind.EDIT, path=path, changes=tuple(changes)), "")

    def take_client(self, text: str) -> None:
        """Takes in what a client says of checks that it ran by itself."""
        for command, output in client_runs(text):
            action = Action(kind=ActionKind.RUN, command=command)
            self._take_run(action, read_outcome(action, output), output.text, is_trial=False)

    def apply_action(self, action: Action, text: str) -> None:
        """Replays an action that worked."""
        if action.kind is ActionKind.TODO:
            self._take_todos(action, text)
            return
        if action.kind.changes_files:
            end_status(self._repository)
        if action.restore:
            self._restore(action)
            return
        if action.kind.changes_files:
            self._map.pop("is_trial", None)
            self._drop_tests(action)
        if action.kind is ActionKind.DELETE:
            self._take_away(action)
        row = self._file_row(action, text)
        if row is None:
            return
        row.score = raise_score(row.score, _action_score(action), self.now)
        row.deed, row.at = action.kind.value, self.now
        self.files.mark_newest(row.path)
        if action.kind is ActionKind.READ:
            note_read(row, action, text, self.now)
        elif action.kind is ActionKind.SEARCH:
            bind_names(row, score_names(action.pattern, _ASKED) | score_names(text[:MAX_OUTPUT_CHARS], _SEEN), self.now)
        elif action.kind.changes_files:
            note_change(row, action, text, self.now)

    def _file_row(self, action: Action, text: str) -> FileRow | None:
        """Folders are searched and listed too; they are no files. Some transcripts name the file that was changed in
        the output alone."""
        path = action.path
        if not path and action.kind.changes_files:
            path = next(iter(paths_in(text[:_ANSWER_CHARS], limit=1)), "")
        if not path or (action.kind in {ActionKind.SEARCH, ActionKind.LIST} and not is_path(path)):
            return None
        if action.is_unseen_write and self.files.paths_in(path):
            return None
        return self.files.row(path, self.now)

    def _drop_tests(self, action: Action) -> None:
        """Tests that a change takes out of their file are no longer there to pass."""
        if self.commands.open:
            path = self.files.known_path(action.path)
            row = self.files.row(path, self.now) if path else None
            definitions = row.definitions if row else ()
            self.commands.drop_tests(lambda names: tests_gone(names, action, definitions))

    # ── what git puts back ───────────────────────────────────────────────────────────────────────────

    def _restore(self, action: Action) -> None:
        """Files are again as they were committed; what went into the stash comes out of it as it was."""
        if action.restore is Restore.POP:
            for path, edited in self._map.pop("stash", ()):
                if row := self.files.row(path, self.now):
                    row.edited, row.restored = max(edited, row.edited), 0
            self._map.pop("is_trial", None)
            return
        committed = self._repository.settled_at
        paths = self._restored_paths(action.path, committed)
        rows = [row for path in paths if (row := self.files.row(path, self.now))]
        if action.restore is Restore.STASH:
            self._map |= {"stash": [[row.path, row.edited] for row in rows], "is_trial": True}
        for row in rows:
            note_restored(row, committed, self.now)

    def _restored_paths(self, named: str, committed: int) -> list[str]:
        """The known files that git puts back. Of a folder, or of all, those that it does not know stay as they are."""
        if named != "." and (whole_path := self.files.known_path(named)):
            return [whole_path]
        folder = f"{self._repository.home}/" if named == "." else f"{named.rstrip('/')}/"
        changed = self.files.changed_since(committed)
        inside = (path for path in changed if f"/{folder}" in f"/{path}" or (named == "." and not is_rooted(path)))
        rows = (row for path in inside if (row := self.files.row(path, self.now)))
        return [row.path for row in rows if row.created <= committed]

    def _is_stashed(self) -> bool:
        """Whether the work lies in git's stash and nothing was edited since: a run then tells of another state."""
        return bool(self._map.get("is_trial"))

    def _take_away(self, action: Action) -> None:
        """Takes what is known of a file that was moved, or of the files in a folder that was, to where they are now;
        files in a folder that was removed are forgotten."""
        inside = self.files.paths_in(action.path)
        rows = [self.files.take(path) for path in inside]
        whole_path = "" if inside else self.files.known_path(action.path)
        rows += [replace(row)] if whole_path and (row := self.files.row(whole_path, self.now)) else []
        place = action.target.rstrip("/")
        if not inside and self.files.paths_in(place):
            place = f"{place}/{action.path.rsplit('/', 1)[-1]}"
        for row in rows if place else ():
            self.files.put(moved_row(row, moved_path(row.path, action.path, place), self.now))

    # ── what outputs show ────────────────────────────────────────────────────────────────────────────

    def _take_shown_files(self, text: str, done: tuple[Action, ...]) -> None:
        asked = score_names("\n".join(action.pattern for action in done), _SEEN)
        for path, line, beside in files_shown(text):
            row = self._take_mention(path, line, beside, worth=_WORTH_SEEN, names=_SEEN, asked=asked)
            if row is not None and not _IS_ABSENT.search(beside):
                row.shown = True

    def _take_mention(
        self, path: str, line: int, beside: str, *, worth: float, names: float, asked: dict[str, float] | None = None
    ) -> FileRow | None:
        row = self.files.row(path, self.now)
        if row is None:
            return None
        count, last, last_line = row.seen
        if last != self.now:
            row.score = raise_score(row.score, worth, self.now)
        row.seen = [count + 1, self.now, line or last_line]
        bind_names(row, score_names(beside, names) | (asked or {}), self.now)
        return row

    # ── commands, to-dos, names ──────────────────────────────────────────────────────────────────────

    def _take_run(self, action: Action, result: ActionOutcome, text: str, *, is_trial: bool) -> None:
        """A command that goes on in the background ends with the output that says so."""
        command = command_key(action.command)
        is_over = result.is_clean or (result.exit_code == 0 and not hides_exit_code(action.command))
        read_repository(self._repository, action.command, text, self.now, ended_well=is_over, folder=action.folder)
        if action.session and (still_runs(text) or was_stopped(text)):
            if not still_runs(text):
                self.running.pop(action.session, None)
        elif session := running_session(text):
            self.running[session] = [command, self.now, action.command, action.folder]
        elif command and not is_trial:
            self.running.pop(action.session, None)
            self.commands.put_result(command, result, text, self.now, whole=action.command)

    def _resume_command(self, action: Action) -> Action:
        """What is read from or typed into a running command is the work of the command that was started."""
        started = self.running.get(action.session) if action.session else None
        command, folder = started[2:] if started else ("", "")
        return replace(action, command=command, folder=folder) if action.session else action

    def end_tasks(self, text: str) -> None:
        """Takes in what a client reports of commands that ended in the background."""
        for id in ended_tasks(text):
            self.running.pop(id, None)

    def _take_todos(self, action: Action, text: str) -> None:
        todos = [Todo(*item) for item in self._map["todos"]]
        todos = list(action.todos) if not action.partial else _amend_todos(todos, action.todos, text)
        self._map["todos"] = [[todo.text, todo.status, todo.id] for todo in todos[-_MAX_TODOS:]]
        self._map["todos_at"] = self.now

    def _raise_names(self, names: dict[str, float]) -> None:
        hot: dict[str, list[Any]] = self._map["names"]
        for name, weight in names.items():
            hot[name] = raise_score(hot.get(name), weight, self.now)


def _action_score(action: Action) -> float:
    """A file that was only copied to its place was not worked on."""
    return _WORTH_SAID if action.is_unseen_write else _WORTH.get(action.kind, _WORTH_SEEN)


def _amend_todos(todos: list[Todo], changed: tuple[Todo, ...], text: str) -> list[Todo]:
    """A list to which a tool adds, or in which it changes, one line. Some transcripts tell only that a line has another
    status, and not which."""
    named = _TASK_ID.search(text[:400])
    for todo in changed:
        if todo.id:
            todos = [_merge_todo(old, todo) if old.id == todo.id else old for old in todos]
        elif todo.text:
            todos = [*todos, Todo(todo.text, todo.status, named[1] if named else str(len(todos) + 1))]
        elif named and "status" in text[:400]:
            todos = [replace(old, status="unknown") if old.id == named[1] else old for old in todos]
    return [todo for todo in todos if todo.status != "dropped"]


def _merge_todo(old: Todo, new: Todo) -> Todo:
    return Todo(new.text or old.text, new.status or old.status, old.id)
