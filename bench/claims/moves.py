"""Files that commands move, copy and remove: which path a file has now, and which it has no more."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from bench.claims.runs import Ending, Run
from bench.claims.shell import Program

_MOVES, _COPIES, _REMOVES = {"mv", "git mv"}, {"cp"}, {"rm", "git rm", "unlink"}
_OPEN = re.compile(r"[*?$`{}]")
_CONDITIONS = {"test", "[", "[[", "if", "for", "while", "grep"}


class File(Protocol):
    """What is kept of a file. ``gone`` is the order of the command that took it away."""

    path: str
    edits: list[int]
    maybe: list[int]
    created: bool | None
    existed: bool
    gone: int


def moves_of(run: Run) -> Iterator[tuple[str, list[str]]]:
    """What is taken from each place, and the places where it may be now; none for what was removed."""
    for one, words in _commands(run):
        if one.name in _REMOVES and "--cached" not in one.words:
            yield from ((word, []) for word in words)
        elif one.name in _MOVES and len(words) > 1:
            yield from ((word, _places(word, words)) for word in words[:-1])


def copies_of(run: Run) -> list[str]:
    """The places where copies may be now."""
    copying = [words for one, words in _commands(run) if one.name in _COPIES and len(words) > 1]
    return [place for words in copying for word in words[:-1] for place in _places(word, words)]


def _commands(run: Run) -> Iterator[tuple[Program, list[str]]]:
    """The programs of a run with their operands, seen from the folder that each is run in."""
    folder = run.cwd
    for one in run.programs:
        if one.name == "cd" and len(one.words) == 2:
            folder = posixpath.join(folder, one.words[1])
        yield one, [_seen_from(folder, word) for word in _operands(one)]


def _seen_from(folder: str, word: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, word))
    return f"{path}/" if word.endswith("/") else path


def surely_ran(run: Run) -> bool:
    """Whether all programs of a command line were run, and ended well."""
    asks = any(one.words[:1] and one.words[0] in _CONDITIONS for one in run.programs)
    return run.ending is Ending.PASSED and "||" not in run.command and not asks


def _operands(one: Program) -> list[str]:
    words = one.words[2:] if one.name.startswith("git ") else one.words[1:]
    plain = [name for word in words if not word.startswith("-") for name in _spelled_out(word)]
    return [word.removeprefix("./") for word in plain if not _OPEN.search(word)]


def _spelled_out(word: str) -> list[str]:
    """A word with a list in braces as the names that it stands for."""
    found = re.fullmatch(r"([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)", word)
    return [f"{found[1]}{piece}{found[3]}" for piece in found[2].split(",")] if found else [word]


def _places(word: str, words: Sequence[str]) -> list[str]:
    target, name = words[-1].rstrip("/"), word.rstrip("/").rsplit("/", 1)[-1]
    return [f"{target}/{name}"] if len(words) > 2 or words[-1].endswith("/") else [target, f"{target}/{name}"]


def likely(files: Sequence[File], place: str, targets: list[str], *, is_folder: bool) -> list[str]:
    """Of the places where something may be now, the ones that are likely: in a folder that is known, or under a name of
    its own where a folder was moved, or the name goes on as the old one did."""
    if len(targets) < 2:
        return targets
    name, into = targets
    if any(tail for _, tail in files_at(files, name)):
        return [into]
    ends = [one.rsplit("/", 1)[-1].rpartition(".") for one in (place, name)]
    return [name] if is_folder or (ends[0][1] and ends[0][2] == ends[1][2]) else targets


def files_at(files: Sequence[File], place: str) -> list[tuple[File, str]]:
    """The files that are a place or lie in it, each with what stands after the place in its path."""
    place = place.rstrip("/")
    found = [(one, one.path[len(place) :]) for one in files if one.path == place or one.path.startswith(f"{place}/")]
    named = [(one, "") for one in files if one.path.endswith(f"/{place}") and not place.startswith("/")]
    return found or (named if len(named) == 1 else [])
