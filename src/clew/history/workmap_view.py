"""Reading the work map: frozen facts for the packer, and a page for people."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from clew.history.fold import message_id
from clew.history.workmap_rows import COMMAND, FILE, decayed, is_rooted, worth
from clew.history.workmap_runs import only_looks
from clew.text.actions import Todo
from clew.text.terminal import safe

#: The root need not hold a stray file of some other place.
_ROOT_SHARE = 0.8
#: A name that the talk of late is about is worth more to each file that holds it.
_HOT_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """What is known of a file. Messages are given by number, 0 for never; lines count from 1, 0 unknown.

    ``weight`` compares files: changed lately > changed > read > spoken of > seen. ``names`` are best first.
    ``excerpts`` are blocks of present text around the last edits, newest first; none of their lines was removed since.
    ``definitions`` are lines that define something, with numbers that hold while ``moved`` is False.
    """

    path: str
    weight: float
    deed: str = ""
    at: int = 0
    created: int = 0
    deleted: int = 0
    edits: int = 0
    edited: int = 0
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFacts:
    """The last run of a command; ``ok`` is None where nobody knows. ``failing`` names tests.

    One that only ``looks`` (git status, wc) tells nothing of how the work stands.
    """

    command: str
    at: int
    runs: int
    ok: bool | None
    exit_code: int | None
    line: str
    is_test: bool = False
    looks: bool = False
    failing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkMap:
    """The present state of the work: files best first, commands newest first, the to-do list, the last request.

    ``root`` is the folder that holds most of the files worked on; ``names`` are those the talk is about, best first.
    """

    files: tuple[FileFacts, ...] = ()
    commands: tuple[CommandFacts, ...] = ()
    todos: tuple[Todo, ...] = ()
    todos_at: int = 0
    request: str = ""
    request_at: int = 0
    root: str = ""
    names: tuple[str, ...] = ()
    now: int = 0

    def shown(self, path: str) -> str:
        """A path as seen from the root."""
        return path[len(self.root) + 1 :] if self.root and path.startswith(self.root + "/") else path


def load(rows: Iterable[tuple[str, Any]]) -> WorkMap:
    """The stored rows as a value."""
    held = dict(rows)
    top = held.get("map") or {}
    now = top.get("now", 0)
    hot = {name: decayed(score, now) for name, score in (top.get("names") or {}).items()}
    files = [_file(row, now, hot) for name, row in held.items() if name.startswith(FILE)]
    commands = [_command(row) for name, row in held.items() if name.startswith(COMMAND)]
    request_at, request = top.get("request") or (0, "")
    files.sort(key=lambda facts: (-facts.weight, facts.path))
    return WorkMap(
        files=tuple(files),
        commands=tuple(sorted(commands, key=lambda facts: (-facts.at, facts.command))),
        todos=tuple(Todo(*item) for item in top.get("todos", ())),
        todos_at=top.get("todos_at", 0),
        request=request,
        request_at=request_at,
        root=_root(files),
        names=tuple(sorted(hot, key=lambda name: (-hot[name], name))),
        now=now,
    )


def _file(row: dict[str, Any], now: int, hot: dict[str, float]) -> FileFacts:
    names = {name: decayed(score, now) for name, score in row.get("names", {}).items() if name not in row["path"]}
    ranked = {name: value * (1 + _HOT_SHARE * min(4.0, hot.get(name, 0.0))) for name, value in names.items()}
    where = row.get("where")
    seen = row.get("seen", (0, 0, 0))
    return FileFacts(
        path=row["path"],
        weight=round(worth(row, now), 4),
        deed=row.get("deed", ""),
        at=row.get("at", 0),
        created=row.get("created", 0),
        deleted=row.get("deleted", 0),
        edits=row.get("edits", 0),
        edited=row.get("edited", 0),
        where=(where[0], where[1]) if where else None,
        symbols=tuple(row.get("symbols", ())),
        names=tuple(sorted(ranked, key=lambda name: (-ranked[name], name))),
        reads=tuple((first, last, at) for first, last, at in row.get("reads", ())),
        excerpts=tuple((at, tuple(lines)) for at, lines in row.get("excerpts", ())),
        definitions=tuple((number, line) for number, line in row.get("definitions", ())),
        moved=bool(row.get("moved")),
        seen=seen[0],
        seen_at=seen[1],
        line=seen[2],
    )


def _command(row: dict[str, Any]) -> CommandFacts:
    return CommandFacts(
        command=row["command"],
        at=row["at"],
        runs=row["runs"],
        ok=row["ok"],
        exit_code=row.get("code"),
        line=row["line"],
        is_test=row.get("test", False),
        looks=only_looks(row["command"]),
        failing=tuple(row.get("failing", ())),
    )


def _root(files: list[FileFacts]) -> str:
    """The deepest folder that holds nearly all that was worked on, by weight; paths seen from it keep a folder."""
    worked = [facts for facts in files if facts.deed and is_rooted(facts.path)]
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
    return posixpath.dirname(root).rstrip("/") if bare > (1 - _ROOT_SHARE) * total else root


# ── for people ───────────────────────────────────────────────────────────────────────────────────────


def render(work: WorkMap, *, files: int = 40, names: int = 10, commands: int = 12) -> str:
    """The map as text: what is waited for, files with what is bound to them, commands, what is left to do."""
    lines = _request(work)
    lines += [f"root {work.root}"] if work.root else []
    for facts in work.files[:files]:
        lines += _file_lines(work, facts, names)
    left = len(work.files) - files
    lines += [f"… and {left} more files seen"] if left > 0 else []
    ran = [facts for facts in work.commands if not facts.looks]
    lines += [_command_line(facts) for facts in ran[:commands]]
    lines += [f"{_MARKS.get(todo.status, '[ ]')} {todo.text}" for todo in work.todos]
    return safe("\n".join(lines))


_MARKS = {"open": "[ ]", "doing": "[>]", "done": "[x]"}


def _request(work: WorkMap) -> list[str]:
    return [f"waiting for ({message_id(work.request_at)}): {' '.join(work.request.split())}"] if work.request else []


def _file_lines(work: WorkMap, facts: FileFacts, names: int) -> list[str]:
    lines = [f"{work.shown(facts.path)}: {', '.join(_deeds(facts)) or 'mentioned'}"]
    bound = [name for name in facts.names if name not in facts.symbols][:names]
    if facts.symbols:
        lines.append(f"  last edit touches {', '.join(facts.symbols[:names])}")
    if bound:
        lines.append(f"  with {', '.join(bound)}")
    if facts.excerpts:
        lines += [f"  | {line}" for line in facts.excerpts[0][1]]
    return lines


def _deeds(facts: FileFacts) -> list[str]:
    said = []
    if facts.deleted:
        return [f"deleted {message_id(facts.deleted)}"]
    if facts.edits:
        verb = "written" if facts.created and facts.edits == 1 else f"edited {facts.edits}×"
        lines = f" lines {facts.where[0]}–{facts.where[1]}" if facts.where else ""
        said.append(f"{verb}, last {message_id(facts.edited)}{lines}")
    if facts.reads:
        first, last, at = facts.reads[0]
        lines = f" lines {first}–{last}" if last > first else f" from line {first}" if first else ""
        said.append(f"read {message_id(at)}{lines}")
    if not said and facts.seen:
        said.append(f"seen {message_id(facts.seen_at)}" + (f" at line {facts.line}" if facts.line else ""))
    return said


def _command_line(facts: CommandFacts) -> str:
    state = {True: "ok", False: "failed", None: "unknown"}[facts.ok]
    code = f" (exit {facts.exit_code})" if facts.exit_code else ""
    failing = f"; failing: {', '.join(facts.failing)}" if facts.failing else ""
    return f"$ {facts.command} → {state}{code} {message_id(facts.at)}: {facts.line}{failing}"
