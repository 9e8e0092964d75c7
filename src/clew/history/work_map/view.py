"""The work map as values: frozen facts, read from the stored rows."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from clew.domain import Failure
from clew.domain.ids import message_id
from clew.domain.values import from_json
from clew.history.segments import prefix_end
from clew.history.work_map.commands import only_looks
from clew.history.work_map.file_rows import CHANGED, COMMAND, FILE, decayed_score, file_score, is_rooted
from clew.history.work_map.repository_facts import RepositoryFacts
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
    longest way by which it was spoken of from some folder.
    """

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

    A command that only ``looks`` (git status, wc) says nothing about the state of the work.
    """

    command: str
    at: int = 0
    runs: int = 0
    result: RunResult = RunResult.UNKNOWN
    exit_code: int | None = None
    line: str = ""
    is_test: bool = False
    is_check: bool = False
    looks: bool = False
    failing: tuple[str, ...] = ()

    @property
    def ok(self) -> bool | None:
        """None where nobody knows how it ended, or would have."""
        return {RunResult.PASSED: True, RunResult.FAILED: False}.get(self.result)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkMap:
    """The present state of the work: files best first, commands newest first, the to-do list, the last request.

    ``root`` is the folder that holds most of the files worked on; ``names`` are those the talk is about, best first.
    ``partly_passed`` are checks that failed, of which only what failed was seen to pass since.
    """

    files: tuple[FileFacts, ...] = ()
    commands: tuple[CommandFacts, ...] = ()
    todos: tuple[Todo, ...] = ()
    todos_at: int = 0
    open_failures: tuple[Failure, ...] = ()
    partly_passed: tuple[Failure, ...] = ()
    running: tuple[tuple[str, str, int], ...] = ()
    repository: RepositoryFacts = field(default_factory=RepositoryFacts)
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
    stored = dict(rows)
    top = stored.get(_TOP) or {}
    now = top.get("now", 0)
    hot = {name: decayed_score(score, now) for name, score in (top.get("names") or {}).items()}
    files = [_file(row, now, hot) for name, row in stored.items() if name.startswith(FILE)]
    commands = [_command(row) for name, row in stored.items() if name.startswith(COMMAND)]
    request_at, request = top.get("request") or (0, "")
    files.sort(key=lambda facts: (-facts.weight, facts.path))
    open = _failures(stored[COMMAND + name] for name in top.get("open", ()) if COMMAND + name in stored)
    return WorkMap(
        files=tuple(files),
        commands=tuple(sorted(commands, key=lambda facts: (-facts.at, facts.command))),
        todos=tuple(Todo(*item) for item in top.get("todos", ())),
        todos_at=top.get("todos_at", 0),
        open_failures=tuple(failure for failure in open if not failure.resolved),
        partly_passed=tuple(failure for failure in open if failure.resolved),
        running=tuple((id, command, number) for id, command, number in top.get("running", ())),
        repository=from_json(RepositoryFacts, top.get("repository") or {}),
        request=request,
        request_at=request_at,
        root=_root(files),
        names=tuple(sorted(hot, key=lambda name: (-hot[name], name))),
        now=now,
    )


def load_branch(rows: Rows) -> str:
    """Returns the branch that was last told of, empty where none was."""
    return from_json(RepositoryFacts, (rows.get(_TOP) or {}).get("repository") or {}).branch[0]


def load_recent_work(rows: Rows, *, root: str) -> WorkMap:
    """Builds the work map with only the newest changed files, of which it tells when they were changed: what a story
    shows, read at a cost that does not grow with the session. The ``root`` is not drawn from files.
    """
    changed = rows.scan(CHANGED, prefix_end(CHANGED), last=_RECENT_FILES)
    files = [(FILE + name, row) for name, row in changed]
    top = (_TOP, rows.get(_TOP))
    return replace(load_work_map([*files, *rows.scan(COMMAND, prefix_end(COMMAND)), top]), root=root)


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


def _file(row: dict[str, Any], now: int, hot: dict[str, float]) -> FileFacts:
    names = {name: decayed_score(score, now) for name, score in row.get("names", {}).items() if name not in row["path"]}
    ranked = {name: value * (1 + _HOT_SHARE * min(4.0, hot.get(name, 0.0))) for name, value in names.items()}
    seen, seen_at, line = row.get("seen", (0, 0, 0))
    worth = {"weight": round(file_score(row, now), 4), "moved": bool(row.get("moved"))}
    shown = {"seen": seen, "seen_at": seen_at, "line": line}
    best = {"names": sorted(ranked, key=lambda name: (-ranked[name], name))}
    return from_json(FileFacts, row | worth | shown | best)


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
