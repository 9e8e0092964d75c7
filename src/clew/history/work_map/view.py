"""The work map as values: frozen facts, read from the stored rows."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from clew.domain import Failure
from clew.domain.ids import message_id
from clew.domain.values import from_json
from clew.history.work_map.commands import only_looks
from clew.history.work_map.file_rows import CHANGED, COMMAND, FILE, is_rooted
from clew.history.work_map.scores import decayed_score, file_score
from clew.ports import Rows
from clew.text.names import relative_path
from clew.text.tools.actions import RunResult, Todo

#: The root need not hold a stray file of some other place.
_ROOT_SHARE = 0.8
#: Changed files that the recent map holds: far more than a story tells of.
_RECENT_FILES = 64
_TOP = "map"
#: Where clients keep plans and settings of their own.
_OF_CLIENT = re.compile(r"(?:~|/(?:Users|home)/[^/]+|/root)/\.(?:claude|codex|gemini|copilot|cursor|config|aider)\b")
#: A name that the talk of late is about is worth more to each file that holds it.
_HOT_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """Facts about a file. Messages are given by number, 0 for never; lines count from 1, 0 is unknown.

    ``weight`` compares files: changed lately > changed > read > mentioned > seen in a listing. ``names`` are best
    first. ``excerpts`` are blocks of present text around the last edits, newest first; none of their lines was removed
    since. ``definitions`` are lines that define something; their numbers hold while ``moved`` is False. ``noted`` is
    what the model noted of a change, and the message it stands in; no action need bear it out. A file that was
    ``copied`` to its place may have been there before; what was ``restored``, git has put back. ``named`` is the
    longest way by which it was spoken of from some folder."""

    path: str
    weight: float
    deed: str = ""
    at: int = 0
    created: int = 0
    copied: int = 0
    deleted: int = 0
    edits: int = 0
    edited: int = 0
    restored: int = 0
    where: tuple[int, int] | None = None
    symbols: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    reads: tuple[tuple[int, int, int], ...] = ()
    excerpts: tuple[tuple[int, tuple[str, ...]], ...] = ()
    definitions: tuple[tuple[int, str], ...] = ()
    moved: bool = False
    seen: int = 0
    seen_at: int = 0
    line: int = 0
    noted: tuple[int, str] = (0, "")
    named: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFacts:
    """The last run of a command, and how it ended; ``failing`` names tests.

    A command that only ``looks`` (git status, wc) says nothing about the state of the work."""

    command: str
    at: int
    runs: int
    result: RunResult
    exit_code: int | None
    line: str
    is_test: bool = False
    is_check: bool = False
    looks: bool = False
    failing: tuple[str, ...] = ()

    @property
    def ok(self) -> bool | None:
        """None where nobody knows how it ended, or would have."""
        return {RunResult.PASSED: True, RunResult.FAILED: False}.get(self.result)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that git confirmed, the message in which it did, and the branch that it was made on, as far as git says;
    it may not be the present one. ``place`` is the folder of another checkout than the client's, by its name."""

    hash: str
    subject: str
    at: int
    branch: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Push:
    """The last push to a branch of a remote, its message, and the branch here that was pushed, in which place."""

    remote: str
    at: int
    branch: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class GitStatus:
    """What git listed as changed and as untracked, and the message in which it did. It ``is_over`` where something was
    done to files or commits after it, or another look was taken."""

    changed: tuple[str, ...]
    untracked: tuple[str, ...]
    at: int
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class GitLog:
    """The newest log of the branch: its first commits by hash and subject, how many there are, where the branch left
    another one, if that was asked, and the message."""

    commits: tuple[tuple[str, str], ...]
    count: int
    base: str
    at: int


@dataclass(frozen=True, slots=True)
class CiLook:
    """The last look at CI that told how it ended: of what, and the jobs that failed."""

    passed: bool
    what: str
    failed: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryFacts:
    """What is known of the repository, each with its message: the branch, commits that git confirmed, the newest one
    that a log showed, what was pushed and opened, the last status, which paths were ``added`` since (None where more
    may have been), how the branch stands to another, the pull request that was looked at last, and the messages of a
    commit that was made without a word, or is known under no id any more, of a rebase, and of a status that found
    nothing to commit."""

    branch: tuple[str, int] = ("", 0)
    commits: tuple[Commit, ...] = ()
    head: Commit | None = None
    pushes: tuple[Push, ...] = ()
    opened: tuple[tuple[str, int], ...] = ()
    status: GitStatus | None = None
    added: tuple[str, ...] | None = ()
    log: GitLog | None = None
    standing: tuple[str, int] = ("", 0)
    pull_request: tuple[str, int] = ("", 0)
    ci: CiLook | None = None
    quiet_commit: int = 0
    rebased: int = 0
    clean: int = 0

    @property
    def committed_at(self) -> int:
        """The message of the last commit that was seen to be made; 0 if there is none."""
        return max((self.quiet_commit, *(commit.at for commit in self.commits)))

    @property
    def unpushed_branches(self) -> tuple[str, ...]:
        """The branches on which a commit was made that no push was seen after; "" for one that is not known."""
        made = {commit.branch: commit.at for commit in self.commits}
        made[""] = max(made.get("", 0), self.quiet_commit)
        return tuple(branch for branch, made_at in made.items() if made_at > self._pushed_at(branch))

    @property
    def left_out(self) -> dict[str, list[str]]:
        """The files that git listed as changed and as untracked, and that no commit since has taken in; none while the
        status itself tells it, or where more may have been taken in than was named."""
        status, added = self.status, self.added
        if status is None or added is None or status.at >= self.committed_at or self.rebased > status.at:
            return {}
        listed = {"changed": status.changed, "untracked": status.untracked}
        return {label: [name for name in names if not _is_in(name, added)] for label, names in listed.items()}

    def _pushed_at(self, branch: str) -> int:
        named = (push.at for push in self.pushes if not branch or branch in {push.remote, push.branch})
        return max(named, default=0)

    @property
    def settled_at(self) -> int:
        """The message up to which edits are in commits, as far as was seen: a rebase makes no commit of its own, and
        takes the edits that solve its conflicts into those that it moves; where nothing is to commit, all is in them.
        0 if there is none."""
        return max(self.committed_at, self.rebased, self.clean)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkMap:
    """The present state of the work: files best first, commands newest first, the to-do list, the last request.

    ``root`` is the folder that holds most of the files worked on; ``names`` are those the talk is about, best first.
    ``partly_passed`` are checks that failed, of which only what failed was seen to pass since."""

    files: tuple[FileFacts, ...] = ()
    commands: tuple[CommandFacts, ...] = ()
    todos: tuple[Todo, ...] = ()
    todos_at: int = 0
    open_failures: tuple[Failure, ...] = ()
    partly_passed: tuple[Failure, ...] = ()
    running: tuple[tuple[str, str, int], ...] = ()
    repository: RepositoryFacts = RepositoryFacts()
    request: str = ""
    request_at: int = 0
    root: str = ""
    names: tuple[str, ...] = ()
    now: int = 0

    def holds(self, path: str) -> bool:
        """Returns True for a path inside the root, and for any where none is known."""
        return not self.root or path.startswith(f"{self.root}/")

    def relative_path(self, path: str) -> str:
        """Returns a path as seen from the root."""
        return relative_path(path, self.root)


def load_work_map(rows: Iterable[tuple[str, Any]]) -> WorkMap:
    """Builds the work map from the stored rows."""
    held = dict(rows)
    top = held.get(_TOP) or {}
    now = top.get("now", 0)
    hot = {name: decayed_score(score, now) for name, score in (top.get("names") or {}).items()}
    files = [_file(row, now, hot) for name, row in held.items() if name.startswith(FILE)]
    commands = [_command(row) for name, row in held.items() if name.startswith(COMMAND)]
    request_at, request = top.get("request") or (0, "")
    files.sort(key=lambda facts: (-facts.weight, facts.path))
    open = _failures(held[COMMAND + name] for name in top.get("open", ()) if COMMAND + name in held)
    return WorkMap(
        files=tuple(files),
        commands=tuple(sorted(commands, key=lambda facts: (-facts.at, facts.command))),
        todos=tuple(Todo(*item) for item in top.get("todos", ())),
        todos_at=top.get("todos_at", 0),
        open_failures=tuple(failure for failure in open if not failure.resolved),
        partly_passed=tuple(failure for failure in open if failure.resolved),
        running=tuple((id, command, number) for id, command, number in top.get("running", ())),
        repository=_repository(top.get("repository") or {}),
        request=request,
        request_at=request_at,
        root=_root(files),
        names=tuple(sorted(hot, key=lambda name: (-hot[name], name))),
        now=now,
    )


def load_branch(rows: Rows) -> str:
    """Returns the branch that was last told of, empty where none was."""
    return _repository((rows.get(_TOP) or {}).get("repository") or {}).branch[0]


def load_recent_work(rows: Rows, *, root: str) -> WorkMap:
    """Builds the work map with only the newest changed files, of which it tells when they were changed: what a story
    shows, read at a cost that does not grow with the session. The ``root`` is not drawn from files."""
    changed = rows.scan(CHANGED, _prefix_end(CHANGED), last=_RECENT_FILES)
    held = [(FILE + name, row) for name, row in changed]
    top = (_TOP, rows.get(_TOP))
    return replace(load_work_map([*held, *rows.scan(COMMAND, _prefix_end(COMMAND)), top]), root=root)


def _prefix_end(prefix: str) -> str:
    """The first name after all that begin with a prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _failures(rows: Iterable[dict[str, Any]]) -> list[Failure]:
    """The failures of some commands, the oldest first."""
    failures = list[Failure]()
    for row in rows:
        narrower, resolved_at = row.get("narrowed", ("", 0))
        failure = from_json(Failure, row["failure"])
        failures.append(
            replace(failure, narrower=narrower, resolved=message_id(resolved_at)) if resolved_at else failure
        )
    return sorted(failures, key=lambda failure: failure.number)


def _repository(row: dict[str, Any]) -> RepositoryFacts:
    name, number = row.get("branch", ("", 0))
    return RepositoryFacts(
        branch=(name, number),
        commits=tuple(Commit(*commit) for commit in row.get("commits", ())),
        head=Commit(*row["head"]) if "head" in row else None,
        pushes=tuple(Push(*push) for push in row.get("pushes", ())),
        opened=tuple((link, number) for link, number in row.get("opened", ())),
        status=_git_status(*row["status"]) if "status" in row else None,
        added=tuple(row.get("added", ())) if row.get("added", ()) is not None else None,
        log=_git_log(*row["log"]) if "log" in row else None,
        standing=tuple(row.get("standing", ("", 0))),
        pull_request=tuple(row.get("pull", ("", 0))),
        ci=CiLook(row["ci"][0], row["ci"][1], tuple(row["ci"][2]), row["ci"][3]) if "ci" in row else None,
        quiet_commit=row.get("quiet_commit", 0),
        rebased=row.get("rebased", 0),
        clean=row.get("clean", 0),
    )


def _is_in(name: str, added: Iterable[str]) -> bool:
    name = name.rstrip("/")
    return any(name == path or name.startswith(f"{path}/") or path.startswith(f"{name}/") for path in added)


def _git_log(commits: list[list[str]], count: int, base: str, number: int) -> GitLog:
    return GitLog(tuple((hash, subject) for hash, subject in commits), count, base, number)


def _git_status(changed: list[str], untracked: list[str], number: int, is_over: bool = False) -> GitStatus:
    return GitStatus(tuple(changed), tuple(untracked), number, is_over)


def _file(row: dict[str, Any], now: int, hot: dict[str, float]) -> FileFacts:
    names = {name: decayed_score(score, now) for name, score in row.get("names", {}).items() if name not in row["path"]}
    ranked = {name: value * (1 + _HOT_SHARE * min(4.0, hot.get(name, 0.0))) for name, value in names.items()}
    where = row.get("where")
    seen = row.get("seen", (0, 0, 0))
    return FileFacts(
        path=row["path"],
        weight=round(file_score(row, now), 4),
        deed=row.get("deed", ""),
        at=row.get("at", 0),
        created=row.get("created", 0),
        copied=row.get("copied", 0),
        deleted=row.get("deleted", 0),
        edits=row.get("edits", 0),
        edited=row.get("edited", 0),
        restored=row.get("restored", 0),
        where=(where[0], where[1]) if where else None,
        symbols=tuple(row.get("symbols", ())),
        names=tuple(sorted(ranked, key=lambda name: (-ranked[name], name))),
        reads=tuple((first, last, number) for first, last, number in row.get("reads", ())),
        excerpts=tuple((number, tuple(lines)) for number, lines in row.get("excerpts", ())),
        definitions=tuple((number, line) for number, line in row.get("definitions", ())),
        moved=bool(row.get("moved")),
        seen=seen[0],
        seen_at=seen[1],
        line=seen[2],
        noted=tuple(row.get("noted", (0, ""))),
        named=row.get("named", ""),
    )


def _command(row: dict[str, Any]) -> CommandFacts:
    return from_json(CommandFacts, row | {"looks": only_looks(row["command"])})


def _root(files: list[FileFacts]) -> str:
    """The deepest folder that holds nearly all that was worked on, by weight; paths seen from it keep a folder."""
    worked = [facts for facts in files if facts.deed and is_rooted(facts.path) and not _OF_CLIENT.match(facts.path)]
    total = sum(facts.weight for facts in worked)
    weights: dict[str, float] = {}
    for facts in worked:
        folder = posixpath.dirname(facts.path)
        while folder not in {"", "/", "~"}:
            weights[folder] = weights.get(folder, 0.0) + facts.weight
            folder = posixpath.dirname(folder)
    holding = [folder for folder, weight in weights.items() if weight > _ROOT_SHARE * total]
    root = max(holding, key=lambda folder: (len(folder), folder), default="")
    bare = sum(facts.weight for facts in worked if posixpath.dirname(facts.path) == root)
    root = posixpath.dirname(root).rstrip("/") if bare > (1 - _ROOT_SHARE) * total else root
    return _named_root(worked, root) or root


def _named_root(worked: Iterable[FileFacts], root: str) -> str:
    """The folder around the root from which files were spoken of, by weight: what stands before their names is no part
    of them; empty where they were not."""
    weights: dict[str, float] = {}
    for facts in worked:
        folder = facts.path.removesuffix(f"/{facts.named}") if "/" in facts.named else ""
        if root.startswith(f"{folder}/") and folder:
            weights[folder] = weights.get(folder, 0.0) + facts.weight
    return max(weights, key=lambda folder: (weights[folder], folder), default="")
