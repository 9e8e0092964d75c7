"""Replaying deeds into the rows of the work map."""

from __future__ import annotations

import re
from typing import Any

from clew.domain import Output
from clew.history.workmap_rows import FileRow, Files, bind, decayed, raised
from clew.history.workmap_runs import Commands, running_session, short
from clew.history.workmap_texts import (
    EXCERPT_LINES,
    MAX_DEFINITIONS,
    MAX_OUTPUT_CHARS,
    changed_text,
    definitions,
    excerpt,
    lines_of,
    numbered_span,
    removed_lines,
    sightings,
    trimmed,
    weighed_names,
)
from clew.ports import Rows
from clew.text.actions import Action, Change, Deed, Outcome, Todo, outcome
from clew.text.names import is_path, paths_in

#: What each deed makes a file worth. Changing beats reading beats being spoken of beats being seen in a list.
_WORTH = {Deed.EDIT: 4.0, Deed.WRITE: 4.0, Deed.READ: 2.0, Deed.SEARCH: 1.5, Deed.LIST: 0.5, Deed.DELETE: 0.5}
_WORTH_SAID, _WORTH_SEEN = 1.0, 0.25
#: What names are worth to a file: written into it, quoted around that, asked of it, spoken of with it, read in it.
_NEW, _AROUND, _ASKED, _SAID, _READ, _SEEN = 3.0, 1.5, 3.0, 2.0, 0.6, 0.5
_DEFINED = 1.5
#: Ranges read, blocks of present text, and symbols last touched that are kept for a file: the newest.
_MAX_READS, _MAX_BLOCKS, _MAX_SYMBOLS = 6, 4, 12
#: Names of the whole session that are kept, from what was said and asked; pruned at a half more. They are written with
#: every message, so they must stay few.
_MAX_HOT = 200
_MAX_TODOS = 60
#: A tool says which file it changed at the start of its answer.
_ANSWER_CHARS = 400
_TASK_ID = re.compile(r"#(\d{1,6})")


class Replay:
    """Takes calls, outputs and words in order; ``now`` is the number of the message they stand in."""

    def __init__(self, rows: Rows, *, files: int, commands: int, running: dict[str, str]) -> None:
        self._rows, self.now = rows, 0
        self.files, self.commands, self.running = Files(rows, files), Commands(rows, commands), dict(running)
        self._map: dict[str, Any] = rows.get("map") or {"todos": [], "names": {}}

    def flush(self, request: list[Any] | None) -> None:
        self.files.flush(self.now)
        self.commands.flush()
        hot: dict[str, list[Any]] = self._map["names"]
        if len(hot) > 1.5 * _MAX_HOT:
            best = sorted(hot.items(), key=lambda item: (-decayed(item[1], self.now), item[0]))
            self._map["names"] = dict(best[:_MAX_HOT])
        self._rows.put("map", self._map | {"now": self.now, "request": request})

    # ── calls, outputs, words ────────────────────────────────────────────────────────────────────────

    def called(self, done: tuple[Action, ...]) -> None:
        """Names in what was asked for are what the work is about, whatever comes of it."""
        words = [f"{action.pattern}\n{action.command[:2000]}" for action in done]
        self._heat(weighed_names("\n".join(words)))

    def ended(self, done: tuple[Action, ...], output: Output) -> None:
        text = output.text
        for action in done:
            result = outcome(action, output)
            if action.deed is Deed.RUN:
                self._ran(action, result, text)
            elif result.ok:
                self.done(action, text)
        if not done or done[0].deed not in {Deed.READ, Deed.EDIT, Deed.WRITE, Deed.TODO, Deed.ASK}:
            self._showed(text, done)

    def said(self, text: str, *, weight: float) -> None:
        for path, line, beside in sightings(text):
            self._mentioned(path, line, beside, worth=_WORTH_SAID * weight, names=_SAID * weight)
        self._heat(weighed_names(text[:MAX_OUTPUT_CHARS], weight))

    def done(self, action: Action, text: str) -> None:
        """A deed that worked."""
        if action.deed is Deed.TODO:
            self._todos(action, text)
            return
        row = self._row(action, text)
        if row is None:
            return
        row["score"] = raised(row["score"], _worth(action), self.now)
        row |= {"deed": action.deed.value, "at": self.now}
        self.files.touched(row["path"])
        if action.deed is Deed.READ:
            self._read(row, action, text)
        elif action.deed is Deed.SEARCH:
            bind(row, weighed_names(action.pattern, _ASKED) | weighed_names(text[:MAX_OUTPUT_CHARS], _SEEN), self.now)
        elif action.deed.changes_files:
            self._changed(row, action, text)

    def _row(self, action: Action, text: str) -> FileRow | None:
        """Folders are searched and listed too; they are no files. Some transcripts name the file that was changed in
        the output alone."""
        path = action.path
        if not path and action.deed.changes_files:
            path = next(iter(paths_in(text[:_ANSWER_CHARS], limit=1)), "")
        if not path or (action.deed in {Deed.SEARCH, Deed.LIST} and not is_path(path)):
            return None
        return self.files.row(path, self.now)

    # ── files ────────────────────────────────────────────────────────────────────────────────────────

    def _read(self, row: FileRow, action: Action, text: str) -> None:
        first, last = action.lines or (0, 0)
        reads = [span for span in row.get("reads", []) if span[:2] != [first, last]]
        row["reads"] = [[first, last, self.now], *reads][:_MAX_READS]
        row["read"] = row.get("read", 0) + 1
        row.pop("deleted", None)
        is_narrow = bool(action.lines) and last - first < 200
        bind(row, weighed_names(text[:MAX_OUTPUT_CHARS], _READ * (1 + is_narrow)), self.now)
        self._define(row, definitions(text, max(first, 1)))

    def _define(self, row: FileRow, found: list[tuple[int, str]]) -> None:
        """Newest first; a line once known is known by its newest number."""
        if found:
            texts = {line for _, line in found}
            older = [known for known in row.get("definitions", []) if known[1] not in texts]
            row["definitions"] = [*([number, line] for number, line in found), *older][:MAX_DEFINITIONS]
            bind(row, weighed_names("\n".join(texts), _DEFINED), self.now)

    def _changed(self, row: FileRow, action: Action, text: str) -> None:
        if action.deed is Deed.DELETE:
            self._forget_text(row)
            row["deleted"] = self.now
            return
        row.pop("deleted", None)
        row["edits"], row["edited"] = row.get("edits", 0) + 1, self.now
        if action.deed is Deed.WRITE:
            self._written(row, action)
        elif action.changes:
            self._edited(row, action, text)
        else:
            self._forget_text(row)

    def _written(self, row: FileRow, action: Action) -> None:
        """The whole text is new: nothing that was kept can be trusted."""
        self._forget_text(row)
        row.setdefault("created", self.now)
        if action.content:
            found = definitions(action.content, 1)
            row["excerpts"] = [[self.now, trimmed(lines_of(action.content)[:EXCERPT_LINES])]]
            bind(row, weighed_names(action.content[:MAX_OUTPUT_CHARS], _AROUND), self.now)
            self._define(row, found)

    def _edited(self, row: FileRow, action: Action, text: str) -> None:
        gone = set().union(*(removed_lines(change) for change in action.changes))
        without_lines(row, gone)
        blocks = [[self.now, lines] for change in action.changes if (lines := excerpt(change))]
        row["excerpts"] = [*blocks[::-1], *row.get("excerpts", [])][:_MAX_BLOCKS]
        fresh, around = changed_text(action)
        bind(row, weighed_names(around, _AROUND) | weighed_names(fresh, _NEW), self.now)
        symbols = list(weighed_names(fresh or "\n".join(change.old for change in action.changes)))
        row["symbols"] = list(dict.fromkeys([*symbols[:_MAX_SYMBOLS], *row.get("symbols", [])]))[:_MAX_SYMBOLS]
        self._define(row, [(0, line) for change in action.changes for _, line in _new_definitions(change)])
        span = numbered_span(text) or action.lines
        row.pop("where", None)
        if span:
            row["where"] = list(span)
        row["moved"] = row.get("moved", 0) + sum(_growth(change) for change in action.changes)

    def _forget_text(self, row: FileRow) -> None:
        for name in ("excerpts", "definitions", "where", "reads", "symbols"):
            row.pop(name, None)

    # ── what outputs show ────────────────────────────────────────────────────────────────────────────

    def _showed(self, text: str, done: tuple[Action, ...]) -> None:
        asked = weighed_names("\n".join(action.pattern for action in done), _SEEN)
        for path, line, beside in sightings(text):
            self._mentioned(path, line, beside, worth=_WORTH_SEEN, names=_SEEN, asked=asked)

    def _mentioned(
        self, path: str, line: int, beside: str, *, worth: float, names: float, asked: dict[str, float] | None = None
    ) -> None:
        row = self.files.row(path, self.now)
        if row is None:
            return
        count, at = row.get("seen", (0, 0))[:2]
        if at != self.now:
            row["score"] = raised(row["score"], worth, self.now)
        row["seen"] = [count + 1, self.now, line or (row["seen"][2] if "seen" in row else 0)]
        bind(row, weighed_names(beside, names) | (asked or {}), self.now)

    # ── commands, to-dos, names ──────────────────────────────────────────────────────────────────────

    def _ran(self, action: Action, result: Outcome, text: str) -> None:
        """A command that goes on in the background ends with the output that says so."""
        command = self.running.get(action.session, "") if action.session else short(action.command)
        if session := running_session(text):
            self.running[session] = command
        elif command:
            self.running.pop(action.session, None)
            self.commands.ended(command, result, text, self.now)

    def _todos(self, action: Action, text: str) -> None:
        held = [Todo(*item) for item in self._map["todos"]]
        held = list(action.todos) if not action.partial else _amended(held, action.todos, text)
        self._map["todos"] = [[todo.text, todo.status, todo.id] for todo in held[-_MAX_TODOS:]]
        self._map["todos_at"] = self.now

    def _heat(self, names: dict[str, float]) -> None:
        hot: dict[str, list[Any]] = self._map["names"]
        for name, weight in names.items():
            hot[name] = raised(hot.get(name), weight, self.now)


def _worth(action: Action) -> float:
    """A file that was only copied to its place was not worked on."""
    is_copy = action.deed is Deed.WRITE and action.content is None and bool(action.command)
    return _WORTH_SAID if is_copy else _WORTH.get(action.deed, _WORTH_SEEN)


def without_lines(row: FileRow, gone: set[str]) -> None:
    """Takes lines that are no longer there out of all that is kept of a file's text."""
    blocks = ([at, [line for line in lines if line.strip() not in gone]] for at, lines in row.get("excerpts", []))
    row["excerpts"] = [[at, trimmed(lines)] for at, lines in blocks if any(line.strip() for line in lines)]
    row["definitions"] = [known for known in row.get("definitions", []) if known[1] not in gone]


def _new_definitions(change: Change) -> list[tuple[int, str]]:
    old = {line.strip() for line in lines_of(change.old)}
    return [(0, line) for _, line in definitions(change.new, 0) if line not in old]


def _growth(change: Change) -> int:
    return change.new.count("\n") - change.old.count("\n")


def _amended(held: list[Todo], changed: tuple[Todo, ...], text: str) -> list[Todo]:
    """A list to which a tool adds, or in which it changes, one line."""
    for todo in changed:
        if not todo.id and todo.text:
            match = _TASK_ID.search(text[:400])
            held = [*held, Todo(todo.text, todo.status, match[1] if match else str(len(held) + 1))]
        else:
            held = [_merged(old, todo) if old.id == todo.id else old for old in held]
    return [todo for todo in held if todo.status != "dropped"]


def _merged(old: Todo, new: Todo) -> Todo:
    return Todo(new.text or old.text, new.status or old.status, old.id)
