"""Units of searches and listings: where something was found, in files that were not edited since, and what there is."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clew.history.work_map.commands import command_key, only_looks
from clew.text.memo import remember
from clew.text.names import is_path, relative_path
from clew.text.tools.actions import Action, ActionKind
from clew.text.tools.reports import without_noise
from clew.units.code_lines import TEST_PATH, command_line
from clew.units.unit import Speaker, Unit, clip_middle

#: What a search is worth that tells which files something is in, which spares the next one, and what any other is.
_SEVERAL_FILES, _FEW_FILES = 0.26, 0.2
_COMMAND_CHARS, _PATTERN_CHARS, _FOUND_CHARS = 150, 80, 260
#: Characters of the files that a search found, where there is room left.
_ALL_CHARS = 900
_MAX_READ_CHARS = 8_000
#: Commands that search or list.
_SEARCHES = re.compile(r"(?:git )?(?:grep|rg|find|ag)\b")
_LISTS = re.compile(r"ls\b[^|;&]*\Z")
_LONG_FORM = re.compile(r"[-dlbcps][rwxsStT-]{9}\S*\s+\d.*?\s(\S+(?: -> \S+)?)\Z")
#: Where a line that was found begins with its place, one printed for its neighbour's sake, what tools say of how much.
_PLACE = re.compile(r"((?:[\w.@~+-]*/)*[\w.@~+-]+\.\w{1,8})(:\d{1,6})?:")
_CONTEXT = re.compile(r"(?:[\w./@~+-]+\.\w{1,8})?-?\d{1,6}-")
_COUNTS = re.compile(
    r"(?:<|\.\.\.|\[Showing|Output too large|Preview|Shell cwd|Found \d+|No (?:files|matches) found|\d+ matches"
    r"|total \d)"
)
#: What a search found that says nothing alone: a number, a record of data.
_NO_FIND = re.compile(r"\d+|.{0,120}?[{\[][\"'].*")
_QUOTED = re.compile(r"[\"']([^\"'*]{3,200})[\"']")
#: From so many files on, their names are listed instead of lines.
SEVERAL = 3


def search_unit(
    action: Action, text: str, number: int, *, root: str, edited: Mapping[str, int], near: float = 1.0
) -> Unit | None:
    """Returns what a search found, or what a listing showed, all of it if it is little, else the files or the first of
    it; None for anything else, and where nothing is left of it. ``edited`` is when files were edited last, by path as
    seen from the root, ``near`` what nearness leaves of the value. A listing has no ``pattern``: it is made again as
    quickly as it is read.
    """
    command = command_key(action.command) if action.command else ""
    is_listing = action.kind is ActionKind.LIST or bool(_LISTS.match(command))
    if (
        action.kind is not ActionKind.SEARCH
        and not is_listing
        and not (_SEARCHES.match(command) and only_looks(command))
    ):
        return None
    where = relative_path(action.path, root)
    if where and edited.get(where, 0) > number:
        return None
    results = _found_in(text[:_MAX_READ_CHARS], root, is_listing=is_listing)
    kept = [result for result in results if edited.get(result.path, 0) <= number or is_listing]
    if not kept or all(_NO_FIND.fullmatch(result.text) for result in kept):
        return None
    since = "in files not edited since: " if len(kept) < len(results) else ""
    search = f"{_search_text(action, where, root)} → {since}"
    shown, files = _list_found(kept, _FOUND_CHARS), tuple(dict.fromkeys(result.path for result in kept if result.path))
    return Unit(
        number=number,
        speaker=Speaker.RUN if action.command else Speaker.SEARCH,
        text=f"{search}{shown}",
        longer=f"{search}{whole}" if (whole := _list_found(kept, _ALL_CHARS)) != shown else "",
        value=near * (_SEVERAL_FILES if len(files) >= SEVERAL else _FEW_FILES),
        command=command_line(action.command, root),
        printed=shown,
        pattern="" if is_listing else action.pattern or " ".join(_QUOTED.findall(action.command)) or action.command,
        paths=files,
    )


@remember(1 << 11)
def _found_in(text: str, root: str, *, is_listing: bool) -> tuple[_Found, ...]:
    lines = [line.strip() for line in without_noise(text).split("\n") if line.strip(" -")]
    lines = [line.replace(f"{root}/", "") if root else line for line in lines if not _COUNTS.match(line)]
    return tuple(result for line in lines if (result := _Found.from_line(line, is_listing=is_listing)))


def _search_text(action: Action, where: str, root: str) -> str:
    if action.command:
        command = command_line(action.command, root)
        return f"`{clip_middle(command.replace(f'{root}/', '') if root else command, _COMMAND_CHARS)}`"
    pattern = f"`{clip_middle(action.pattern, _PATTERN_CHARS)}`" if action.pattern else "files"
    return f"{pattern}{f' in {where}' if where else ''}"


@dataclass(frozen=True, slots=True)
class _Found:
    """A line that a search printed, and the file it stands in, if the line names it."""

    text: str
    path: str = ""

    @classmethod
    def from_line(cls, line: str, *, is_listing: bool) -> _Found | None:
        """Returns None for a line that was printed for its neighbour's sake."""
        if is_listing:
            name = long[1] if (long := _LONG_FORM.match(line)) else line
            return cls(name, name) if name not in {".", ".."} else None
        if _CONTEXT.match(line):
            return None
        place = _PLACE.match(line)
        if place is None or not is_path(place[1]):
            return cls(line, line.removeprefix("./") if is_path(line) else "")
        return cls(f"{place[1]}{place[2] or ''} {line[place.end() :].strip()}".strip(), place[1].removeprefix("./"))


def _list_found(results: Sequence[_Found], limit: int) -> str:
    """All of what was found if it is little, else the files it was found in, or the first of it, within a limit."""
    whole = "; ".join(result.text for result in results)
    if len(whole) <= _FOUND_CHARS:
        return whole
    paths = list(dict.fromkeys(result.path for result in results if result.path))
    if len(paths) < SEVERAL:
        return f"{clip_middle(whole, _FOUND_CHARS)} ({len(results)} lines)"
    folder = _common_folder(paths)
    names = [path[len(folder) :] for path in sorted(paths, key=lambda path: (TEST_PATH.search(path) is not None, path))]
    few = [name for index, name in enumerate(names) if len(", ".join(names[: index + 1])) <= limit]
    more = f" and {len(names) - len(few)} more" if len(few) < len(names) else ""
    return f"{len(paths)} files{f' in {folder}' if folder else ''}: {', '.join(few)}{more}"


def _common_folder(paths: Sequence[str]) -> str:
    """The folder that all paths stand in, with the slash after it."""
    folders = [f"{posixpath.dirname(path)}/" for path in paths if "/" in path]
    return posixpath.commonprefix(folders).rpartition("/")[0] + "/" if len(folders) == len(paths) else ""
