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


def is_ours(found: Any, entry: Any) -> bool:
    """Returns True for an entry of ours, also where something was added to it or changed beside its command."""
    if isinstance(entry, dict) and isinstance(entry.get("hooks"), list):
        return all(any(is_ours(one, hook) for one in hooks_in(found)) for hook in entry["hooks"])
    if words := _words(entry):
        return _is_started(_words(found), words)
    if isinstance(found, dict) and isinstance(entry, dict):
        return (not found if not entry else True) and all(
            key in found and is_ours(found[key], value) for key, value in entry.items()
        )
    if isinstance(found, list) and isinstance(entry, list):
        return len(found) == len(entry) and all(map(is_ours, found, entry))
    return bool(found == entry)


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


def _is_started(found: list[str], own: list[str]) -> bool:
    if not found or found[1 : len(own)] != own[1:]:
        return False
    is_program = found[0] == own[0] or _PROGRAM.match(found[0]) is not None
    return is_program and all(map(_OPTION.match, found[len(own) :]))
