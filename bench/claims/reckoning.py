"""The state of the work at a cut, reckoned from the raw events alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bench.claims.moves import copies_of, files_at, likely, moves_of, surely_ran
from bench.claims.records import Deed, Event, Note, plain
from bench.claims.runs import Ending, Fix, Run, fix_of, run_of, same_failure
from bench.claims.shell import Program

_DONE, _DOING = {"completed", "complete", "done"}, {"in_progress", "in-progress", "doing"}
_DROPPED = {"deleted", "cancelled", "canceled"}
_COMMITTED = re.compile(r"^\[([\w./#+-]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$", re.M)
_DETACHED = re.compile(r"^\[detached HEAD ([0-9a-f]{7,40})\] (.+)$", re.M)
_BRANCH = re.compile(
    r"^(?:Switched to (?:a new )?branch '([^'\n]+)'|Already on '([^'\n]+)'|(?:# )?On branch (\S+))$", re.M
)
_PUSHED = re.compile(r"^[\s*+-]*(?:\[new branch\]|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40})\s+(\S+) -> (\S+)", re.M)
_UP_TO_DATE = re.compile(r"^Everything up-to-date", re.M)
_OTHER_RULES = re.compile(r"\s(?:--no-config|--isolated|--no-eslintrc|(?:-c|--config)[ =]/(?:tmp/|dev/null))")
_LINK = re.compile(r"https://[\w.-]+/[\w./-]+?/(?:pull|issues|merge_requests|releases)/[\w/.-]+")
#: A repository made or fetched for a trial is not the one that is worked on.
_ELSEWHERE = re.compile(r"\bgit (?:init|clone)\b|\b(?:cd|-C) \"?(?:\$\(mktemp|/tmp\b|/private/tmp\b|/var/folders\b)")
_HEAD_NOW = re.compile(r"^HEAD is now at ([0-9a-f]{7,40}) ?(.*)$", re.M)
_LOGGED = re.compile(r"^([0-9a-f]{7,12}) (?:\([^)\n]+\) )?(\S.*)$", re.M)
_STARTED = re.compile(
    r"(?i)(?:running in background with ID: ?|running with session ID |shellId: ?|with (?:shell )?ID: ?)(\w+)"
)
_ENDED = re.compile(r"<task-id>(\w+)</task-id>(?:(?!</task-notification>).)*?<status>(completed|failed|killed)", re.S)
_STOPPED = re.compile(
    r"(?i)<status>(?:completed|failed|killed)|process exited with code|successfully stopped|<exited with"
)
_EDIT_TOOLS = {"Edit", "MultiEdit", "Write", "NotebookEdit", "create", "edit", "str_replace", "write_file", "replace"}
_SHELL_WRITES = re.compile(
    r"sed -i|>|\btee\b|\bmv\b|\bcp\b|\brm\b|git (?:checkout|restore|rm|mv|stash|apply|reset)"
    r"|write|gofmt|fmt|patch|touch|--write|--fix|unlink"
)


@dataclass(slots=True)
class FileState:
    """What became of one file: orders of changes by tools, of commands that may have changed it, and of its end."""

    path: str
    edits: list[int] = field(default_factory=list)
    maybe: list[int] = field(default_factory=list)
    created: bool | None = None
    existed: bool = False
    gone: int = -1

    @property
    def is_there(self) -> bool:
        """Whether nothing took it away, or something brought it back."""
        return max((*self.edits, *self.maybe), default=-1) > self.gone or self.gone < 0


@dataclass(slots=True)
class State:
    """All that claims are judged by. ``told_by`` of a statement is the order of the event that bears it out."""

    events: Sequence[Event]
    todos: list[dict[str, str]] = field(default_factory=list)
    todo_orders: list[int] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    branches: list[tuple[int, str]] = field(default_factory=list)
    commits: list[tuple[int, str, str]] = field(default_factory=list)
    silent_commits: list[int] = field(default_factory=list)
    made_on: dict[str, str] = field(default_factory=dict)
    replaced: set[str] = field(default_factory=set)
    heads: list[tuple[int, str, str]] = field(default_factory=list)
    pushes: list[tuple[int, str, str]] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)
    started: dict[str, tuple[int, str]] = field(default_factory=dict)
    ended: dict[str, int] = field(default_factory=dict)
    files: dict[str, FileState] = field(default_factory=dict)
    failed_edits: dict[str, int] = field(default_factory=dict)

    # ── what is open ──

    def open_todos(self) -> list[dict[str, str]]:
        return [todo for todo in self.todos if todo["status"] in {"open", "doing"}]

    def failures(self) -> list[tuple[Run, Fix, Run | None]]:
        """Failed checks, each with whether it was seen to pass since; what failed again stands once. That git did not
        merge or push is told by what was committed and pushed. A linter that was given other rules than the project's
        was asked something, and is no check."""
        found = []
        for run in self.runs:
            if run.ending is not Ending.FAILED or not run.ends_with_check or _OTHER_RULES.search(run.command):
                continue
            later = [one for one in self.runs if one.order > run.order]
            if not any(one.ending is Ending.FAILED and same_failure(run, one) for one in later):
                found.append((run, *fix_of(run, later)))
        return found

    def last_commit(self) -> int:
        return max([order for order, *_ in self.commits] + self.silent_commits, default=-1)

    def behind(self) -> set[str]:
        """The branches on which a commit was made that no push followed; "" for commits on none that is known."""
        made = {self.made_on.get(hash, ""): order for order, hash, _ in self.commits}
        if self.silent_commits:
            made[""] = max(made.get("", -1), *self.silent_commits)
        return {branch for branch, order in made.items() if order > self._pushed(branch)}

    def _pushed(self, branch: str) -> int:
        return max((order for order, *names in self.pushes if not branch or "" in names or branch in names), default=-1)

    def file(self, path: str) -> list[FileState]:
        """The files that a printed path may stand for."""
        return [
            one
            for name, one in self.files.items()
            if name == path or name.endswith(f"/{path.lstrip('/')}") or ("/" in name and path.endswith(f"/{name}"))
        ]


def reckon(events: Sequence[Event]) -> State:
    """Folds the events of a session, up to its cut, into its state."""
    state = State(events)
    for order, event in enumerate(events):
        if isinstance(event, Note):
            _take_note(state, event, order)
        else:
            _take_deed(state, event, order)
    return state


def _take_note(state: State, note: Note, order: int) -> None:
    if note.kind == "branch" and note.value:
        state.branches.append((order, note.value))
    elif note.kind == "applied":
        _file(state, note.value).edits.append(order)
    elif note.kind == "aider-commit":
        hash, _, subject = note.value.partition(" ")
        state.commits.append((order, hash, subject))
    for id, _ in _ENDED.findall(note.value):
        state.ended.setdefault(id, order)


def _take_deed(state: State, deed: Deed, order: int) -> None:
    name = deed.tool.rsplit("__", 1)[-1]
    if deed.command:
        _take_command(state, deed, order)
    elif name in {"TodoWrite", "update_plan", "update_todo"}:
        _take_list(state, deed, order)
    elif name in {"TaskCreate", "TaskUpdate"}:
        _take_task(state, deed, order, name)
    elif name in _EDIT_TOOLS:
        _take_edit(state, deed, order)
    elif "patch" in deed.given or "*** Begin Patch" in str(deed.given.get("input", "")):
        _take_patch(state, str(deed.given.get("patch", deed.given.get("input", ""))), deed, order)
    elif name in {"Read", "view", "read_file"} and not deed.failed and (path := _path(deed)):
        seen = _file(state, path)
        seen.existed = seen.existed or not seen.edits
    _take_session(state, deed, order)


# ── to-dos ───────────────────────────────────────────────────────────────────────────────────────────


def _status(value: Any) -> str:
    word = str(value or "").lower()
    return "done" if word in _DONE else "doing" if word in _DOING else "dropped" if word in _DROPPED else "open"


def _take_list(state: State, deed: Deed, order: int) -> None:
    if deed.failed or deed.refused:
        return
    rows = next((deed.given[key] for key in ("todos", "plan", "items") if isinstance(deed.given.get(key), list)), None)
    if rows is not None:
        texts = ((row.get("content") or row.get("step") or row.get("title") or "", row.get("status")) for row in rows)
        state.todos = [{"text": text, "status": _status(status), "id": ""} for text, status in texts]
    elif isinstance(body := deed.given.get("body", deed.given.get("todos")), str):
        boxes = re.findall(r"^\s*(?:[-*]|\d+\.)?\s*\[([ xX~/-])\]\s*(\S.*)$", body, re.M)
        names = {" ": "open", "x": "done", "X": "done"}
        state.todos = [{"text": text.strip(), "status": names.get(box, "doing"), "id": ""} for box, text in boxes]
    state.todo_orders.append(order)


def _take_task(state: State, deed: Deed, order: int, name: str) -> None:
    if deed.failed or deed.refused:
        return
    state.todo_orders.append(order)
    if name == "TaskCreate":
        number = re.search(r"#(\d+)", deed.text)
        told = re.search(r"created successfully: (.+)", deed.text)
        text = str(deed.given.get("subject") or "")
        id = number[1] if number else str(len(state.todos) + 1)
        state.todos.append({"text": text, "status": "open", "id": id, "also": told[1].strip() if told else text})
        return
    id = str(deed.given.get("taskId") or next(iter(re.findall(r"#(\d+)", deed.text)), ""))
    for todo in state.todos:
        if todo["id"] == id:
            if "status" in deed.given:
                todo["status"] = _status(deed.given["status"])
            elif "body" in deed.given and "status" in deed.text:
                todo["status"] = "unknown"
            todo["text"] = str(deed.given.get("subject") or todo["text"])
    state.todos = [todo for todo in state.todos if todo["status"] != "dropped"]


# ── commands ─────────────────────────────────────────────────────────────────────────────────────────


def _take_command(state: State, deed: Deed, order: int) -> None:
    run = run_of(deed, order)
    state.runs.append(run)
    if run.ending is Ending.NOT_RUN:
        return
    if run.ending is Ending.RUNNING and (found := _STARTED.search(deed.text[:600])):
        state.started[found[1]] = (order, deed.command)
    _take_output(state, run, order)


def _take_output(state: State, run: Run, order: int) -> None:
    """What a finished command says of repository and files."""
    names = [one.name for one in run.programs]
    if any(name.startswith("git") for name in names):
        _take_git(state, run, order)
    if re.search(r"\b(?:gh|glab|hub) (?:pr|issue|mr|release) create\b", run.command) and not run.exit:
        state.links += [(order, link) for link in _LINK.findall(run.text)[:3]]
    elif re.search(r"\b(?:gh|glab|hub) (?:pr|issue|mr|release) create\b", run.command):
        state.links += [(order, link) for link in _LINK.findall(run.text)[:1] if "already exists" not in run.text]
    if "*** Begin Patch" in run.command:
        _take_patch(state, run.command, Deed(0, "shell", {}, run.text, bool(run.exit)), order)
    _take_shell_changes(state, run, order)


def _take_git(state: State, run: Run, order: int) -> None:
    if _ELSEWHERE.search(run.command):
        return
    text = run.text
    told = [(found.start(), next(filter(None, found.groups()))) for found in _BRANCH.finditer(text)]
    told += [(found.start(), found[1]) for found in _COMMITTED.finditer(text)]
    state.branches += [(order, name) for _, name in sorted(told)]
    for one in run.programs:
        _take_git_program(state, one, run, order)
    if "--amend" in run.command and state.commits and (amended := _COMMITTED.search(text)):
        state.replaced |= {hash for _, hash, _ in _on(state, amended[1])[-1:]}
    if rebased := re.search(r"^(?:.*\r)?Successfully rebased and updated (?:refs/heads/(\S+?)\.?$)?", text, re.M):
        state.replaced |= {hash for _, hash, _ in _on(state, rebased[1] or "")}
    for branch, hash, subject in _COMMITTED.findall(text):
        state.commits.append((order, hash, subject))
        state.made_on[hash] = branch
        state.heads.append((order, hash, subject))
    for hash, subject in _DETACHED.findall(text):
        state.commits.append((order, hash, subject))
        state.heads.append((order, hash, subject))
    for hash, subject in _HEAD_NOW.findall(text):
        state.heads.append((order, hash, subject))
    if any(one.name == "git push" for one in run.programs):
        here = state.branches[-1][1] if state.branches else ""
        state.pushes += [
            (order, remote, here if branch == "HEAD" else branch) for branch, remote in _PUSHED.findall(text)
        ]
        if _UP_TO_DATE.search(text):
            state.pushes.append((order, "", ""))


def _on(state: State, branch: str) -> list[tuple[int, str, str]]:
    """The commits of a branch, and those of which nobody knows it."""
    return [one for one in state.commits if not branch or state.made_on.get(one[1], branch) == branch]


def _take_git_program(state: State, one: Program, run: Run, order: int) -> None:
    """What a git command says by itself: the branch it was told to take, a quiet commit, the top of a log."""
    words = [word for word in one.words[2:] if word != "--"]
    bare = [word for word in words if not word.startswith("-")]
    if one.name in {"git checkout", "git switch"} and run.ending is Ending.PASSED:
        if {"-b", "-B", "-c", "-C"} & set(words) and bare:
            state.branches.append((order, bare[0]))
    elif one.name == "git commit" and "--dry-run" not in words and not _COMMITTED.search(run.text):
        if run.ending is Ending.PASSED or _logs_own_subject(run):
            state.silent_commits.append(order)
    elif one.name in {"git branch", "git rev-parse"} and {"--show-current", "--abbrev-ref"} & set(words):
        lines = [line for line in run.text.split("\n") if re.fullmatch(r"[\w./#+-]+", line.strip())]
        if len(run.programs) == 1 and len(lines) >= 1 and not run.exit:
            state.branches.append((order, lines[-1].strip()))
    elif one.name == "git log" and "--oneline" in words and not [w for w in bare if not w.isdigit()]:
        if "--all" not in words and (found := _LOGGED.search(run.text)):
            state.heads.append((order, found[1], found[2]))
    elif one.name == "git reset" and (found := re.search(r"HEAD(?:~(\d*)|\^)", run.command)):
        here = state.branches[-1][1] if state.branches else ""
        state.replaced |= {hash for _, hash, _ in _on(state, here)[-int(found[1] or 1) :]}


def _logs_own_subject(run: Run) -> bool:
    """Whether a log in the same command line shows the commit that it made, by its subject."""
    told = {" ".join(subject.split()) for _, subject in _LOGGED.findall(run.text)}
    return any(len(subject) > 2 and f"{subject}" in " ".join(run.command.split()) for subject in told)


def _take_session(state: State, deed: Deed, order: int) -> None:
    """What is told of a process that goes on: another look at it, its end, its stop."""
    given = deed.given
    keys = ("session_id", "task_id", "shell_id", "bash_id", "shellId", "taskId")
    id = next((str(given[key]) for key in keys if given.get(key) not in (None, "")), "")
    if not id or id not in state.started:
        return
    if _STOPPED.search(deed.text[:600]) or deed.tool in {"KillShell", "KillBash", "TaskStop", "stop_bash"}:
        state.ended.setdefault(id, order)
        command = state.started[id][1]
        run = run_of(replace(deed, given={"command": command}), order)
        if deed.tool not in {"KillShell", "KillBash", "TaskStop", "stop_bash"}:
            state.runs.append(run)
            _take_output(state, run, order)


# ── files ────────────────────────────────────────────────────────────────────────────────────────────


def _path(deed: Deed) -> str:
    for key in ("file_path", "path", "notebook_path", "filePath", "absolute_path"):
        if isinstance(deed.given.get(key), str):
            return str(deed.given[key])
    return ""


def _file(state: State, path: str) -> FileState:
    path = path.strip().removeprefix("./")
    known = next((one for name, one in state.files.items() if name == path or name.endswith(f"/{path}")), None)
    return known or state.files.setdefault(path, FileState(path))


def _take_edit(state: State, deed: Deed, order: int) -> None:
    path = _path(deed)
    if not path:
        return
    if deed.failed or deed.refused or "<tool_use_error>" in deed.text[:100]:
        if not deed.refused:
            state.failed_edits[path] = order
        return
    state.failed_edits.pop(path, None)
    known = _file(state, path)
    if deed.tool in {"Write", "create", "write_file"}:
        updated = deed.details.get("type") == "update" or known.existed
        updated = updated or re.search(r"has been (?:updated|overwritten)", deed.text) is not None
        known.created = known.created or not (updated or known.edits)
    else:
        known.existed = known.existed or not known.edits
    known.edits.append(order)


_PATCHED = re.compile(r"^\*\*\* (Update|Add|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.M)


def _take_patch(state: State, patch: str, deed: Deed, order: int) -> None:
    if deed.exit or deed.refused or re.match(r"(?i)apply_patch verification failed|error", deed.text):
        return
    for verb, path, moved in _PATCHED.findall(patch):
        known = _file(state, path or moved)
        known.edits.append(order)
        known.created = known.created or verb == "Add"


def _take_shell_changes(state: State, run: Run, order: int) -> None:
    """A command that names a file and may write counts as a possible change of it."""
    if not _SHELL_WRITES.search(run.command):
        return
    _take_moves(state, run, order)
    for word in set(re.findall(r"[\w@~./*-]*[\w*][./][\w@./*-]+|\b[A-Z]\w*file\b|[\w-]+", run.command)):
        if len(word) > 2 and not word.startswith("-"):
            path = word.rstrip("/.,")
            _file(state, path).maybe.append(order)


def _take_moves(state: State, run: Run, order: int) -> None:
    """What is known of a file that was moved goes along; where it was, it is no more."""
    for place in copies_of(run):
        _file(state, place).maybe.append(order)
    for place, targets in moves_of(run):
        known = list(state.files.values())
        found = files_at(known, place)
        targets = likely(known, place, targets, is_folder=any(tail for _, tail in found))
        for target in targets:
            _file(state, target).maybe.append(order)
        for one, tail in found:
            for target in targets:
                _go_along(one, _file(state, f"{target}{tail}"), order)
            if surely_ran(run):
                one.gone = order


def _go_along(old: FileState, new: FileState, order: int) -> None:
    new.edits, new.maybe = sorted({*new.edits, *old.edits}), sorted({*new.maybe, *old.maybe, order})
    new.created = new.created or old.created


def told_in(text: str, source: str) -> bool:
    """Whether a message holds what came back from a deed, or its beginning."""
    wanted = plain(text)[:160]
    return not wanted or wanted in source or plain(text)[-120:] in source
