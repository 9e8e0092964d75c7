"""Which entries of a client's settings are ours: those that start Clew with our words, whatever stands beside them."""

from __future__ import annotations

import re
import shlex
from typing import Any

_PROGRAM = re.compile(r"(?:.*[/\\])?clew(?:\.exe)?\Z")
#: Words behind ours that are options of the command, and no other command.
_OPTION = re.compile(r"[\w./\\:=@~+,-]+\Z")
#: A line that starts Clew, perhaps together with something else.
_MENTION = re.compile(r"\bclew(?:\.exe)?[\"']?\s+(?:hook|statusline)\b")


def is_ours(present: Any, entry: Any) -> bool:
    """Returns True for an entry of ours, also where something was added to it or changed beside its command."""
    if isinstance(entry, dict) and isinstance(entry.get("hooks"), list):
        return all(any(is_ours(other, hook) for other in hooks_in(present)) for hook in entry["hooks"])
    if words := _words(entry):
        return _is_started(_words(present), words)
    if isinstance(present, dict) and isinstance(entry, dict):
        return (not present if not entry else True) and all(
            key in present and is_ours(present[key], value) for key, value in entry.items()
        )
    if isinstance(present, list) and isinstance(entry, list):
        return len(present) == len(entry) and all(map(is_ours, present, entry))
    return bool(present == entry)


def hooks_in(group: Any) -> list[Any]:
    """Returns the hooks of a group of hooks; none for anything else."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else []


def mentions(text: str) -> list[tuple[int, str]]:
    """Returns the lines of a file, with their numbers, that start Clew for a hook or a status line."""
    return [(index, line.strip()) for index, line in enumerate(text.splitlines(), 1) if _MENTION.search(line)]


def _words(entry: Any) -> list[str]:
    """The command line that an entry starts; nothing where it starts none."""
    command = entry.get("command") if isinstance(entry, dict) else None
    if isinstance(command, list):
        return [str(word) for word in command]
    if not isinstance(command, str):
        return []
    if isinstance(entry.get("args"), list):
        return [command, *map(str, entry["args"])]
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _is_started(present: list[str], own: list[str]) -> bool:
    if not present or present[1 : len(own)] != own[1:]:
        return False
    is_program = present[0] == own[0] or _PROGRAM.match(present[0]) is not None
    return is_program and all(map(_OPTION.match, present[len(own) :]))
