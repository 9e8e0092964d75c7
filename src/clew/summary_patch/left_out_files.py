"""Files that commits left out: git listed them as changed or untracked, and no commit since has added them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from clew.domain import Message, Status
from clew.domain.ids import message_id
from clew.history.work_map.repository import is_elsewhere
from clew.history.work_map.view import WorkMap
from clew.text.tools.calls import call_actions
from clew.units.already_said import SaidText
from clew.units.unit import Section, Unit

_ADDS = re.compile(r"\bgit (?:-C \S+ )?add ([^|;&\n]+)")
#: What takes in more than it names, or changes the list in another way.
_TAKES_ALL = re.compile(
    r"\bgit (?:-C \S+ )?(?:commit\b[^|;&\n]*? (?:-[a-z]*a|--all\b)|(?:stash|reset|restore|checkout|clean|rebase|merge"
    r"|pull|rm|mv)\b)"
)
_ALL = frozenset({"-A", "--all", "-u", "--update", ".", "-p", "--patch"})
_MAX_FILES = 6
_VALUE, _MISSING = 1.9, 0.25


def left_out_files(messages: Sequence[Message], work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    """Yields one line with the files that the commits since the last status left out, where the summary lacks them.

    While nothing was committed since, the status itself tells it.
    """
    known = work.repository
    if known.status is None or known.status.at >= known.committed_at or known.rebased > known.status.at:
        return
    added = _added_paths(messages, after=known.status.at, home=work.root)
    if added is None:
        return
    listed = (("changed", known.status.changed), ("untracked", known.status.untracked))
    parts = [(label, [name for name in names if not _is_in(name, added)]) for label, names in listed]
    names = [name for _, some in parts for name in some]
    if not names or len(names) > _MAX_FILES or summary.missing(" ".join(names)) < _MISSING:
        return
    told = "; ".join(f"{label} {', '.join(some)}" for label, some in parts if some)
    line = f"not in any commit since git status ({message_id(known.status.at)}): {told}"
    yield Unit(section=Section.STATE, number=known.status.at, text=line, value=_VALUE)


def _added_paths(messages: Sequence[Message], *, after: int, home: str) -> list[str] | None:
    """The paths that were added by name; None where something may have taken in more."""
    found: list[str] = []
    refused = {output.call_id for message in messages for output in message.outputs if output.status is Status.CANCELED}
    for message in messages:
        for call in message.calls if message.number > after else ():
            command = call_actions(call)[0].command
            if not command or call.id in refused or is_elsewhere(command, home):
                continue
            paths = [path for asked in _ADDS.findall(command) for path in _words(asked)]
            if _TAKES_ALL.search(command) or any(path in _ALL or "*" in path for path in paths):
                return None
            found += [path.removeprefix(f"{home}/").removeprefix("./").rstrip("/") for path in paths]
    return found


def _words(asked: str) -> list[str]:
    try:
        return shlex.split(asked)
    except ValueError:
        return [*asked.split(), "-A"]  # what cannot be read may be anything


def _is_in(name: str, added: Sequence[str]) -> bool:
    name = name.rstrip("/")
    return any(name == path or name.startswith(f"{path}/") or path.startswith(f"{name}/") for path in added)
