"""What tools mean: a call of any assistant's tool as actions.

Known tools are found by name, whatever the spelling (``read_file``, ``readFile``, ``mcp__fs__read_file``). Others are
judged by the shape of their arguments. Nothing here raises, whatever a model wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from clew.domain import Call
from clew.text.memo import remember, remember_by_object
from clew.text.names import is_path
from clew.text.tools import arguments as names
from clew.text.tools.actions import Action, ActionKind, TextEdit
from clew.text.tools.arguments import (
    Arguments,
    by_plain_name,
    change_of,
    first_text,
    lines_of,
    number_of,
    path_of,
    paths_of,
    plain_name,
)
from clew.text.tools.commands import command_actions
from clew.text.tools.names import EDITORS, KIND_BY_NAME, RUNNERS, SESSION_TOOLS, TODO_TOOLS
from clew.text.tools.patches import diff_actions, is_diff, is_patch, patch_actions, search_replace_changes
from clew.text.tools.shell import command_text
from clew.text.tools.todos import created_todo, todos_of, updated_todo

#: Calls whose actions are remembered, and the longest of them: every pack asks for those of the same calls again.
_MAX_CALLS, _MAX_CHARS = 4_096, 8_192
_OTHER = (Action(kind=ActionKind.OTHER),)


def call_actions(call: Call) -> tuple[Action, ...]:
    """What a call does, the main action first; at least one, OTHER when nothing is known."""
    return _actions_of(call)


@remember_by_object(_MAX_CALLS)
def _actions_of(call: Call) -> tuple[Action, ...]:
    try:
        asked = _Asked(call.name, repr(call.arguments), call.arguments)
    except RecursionError:
        return _OTHER
    return _remembered_actions(asked) if len(asked.written) <= _MAX_CHARS else _call_actions(asked)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A tool's name and arguments; equal to another where both are written the same."""

    name: str
    written: str
    arguments: Any = field(compare=False)


def _call_actions(asked: _Asked) -> tuple[Action, ...]:
    try:
        actions = _actions(plain_name(asked.name), asked.arguments)
    except (ValueError, TypeError, RecursionError, OverflowError):
        actions = []
    return tuple(actions) or _OTHER


_remembered_actions = remember(_MAX_CALLS)(_call_actions)


def _actions(name: str, arguments: Any) -> list[Action]:
    if isinstance(arguments, str):
        arguments = _decode_arguments(name, arguments)
    if not isinstance(arguments, dict):
        return []
    given = by_plain_name(arguments)
    if name in RUNNERS:
        return _run(given)
    if name in SESSION_TOOLS:
        return [_session_input(given)]
    if name in EDITORS:
        return _editor(given)
    if name in TODO_TOOLS:
        return [Action(kind=ActionKind.TODO, todos=todos_of(given))]
    if name in _OWN_READERS:
        return _OWN_READERS[name](given)
    kind = KIND_BY_NAME.get(name)
    return _READERS[kind](kind, given) if kind else _by_shape(given)


def _decode_arguments(name: str, text: str) -> Any:
    if text.lstrip()[:1] == "{":
        try:
            return orjson.loads(text)
        except ValueError:
            return {}
    return {"command": text} if name in RUNNERS else {"patch": text}


# ── actions by kind ───────────────────────────────────────────────────────────────────────────────────


def _reads(kind: ActionKind, arguments: Arguments) -> list[Action]:
    return [Action(kind=kind, path=path, lines=lines_of(arguments)) for path in paths_of(arguments)]


def _edits(kind: ActionKind, arguments: Arguments) -> list[Action]:
    path, patch = path_of(arguments), first_text(arguments, names.PATCH)
    if patch is not None and (patched := _patched_actions(path, patch)):
        return patched
    for name in names.EDITS:
        if isinstance(arguments.get(name), list):
            return _listed_edits(path, arguments[name])
    change = change_of(arguments)
    if change is None:
        content = first_text(arguments, names.CONTENT)
        change = TextEdit("", content) if content is not None else None
    return [Action(kind=kind, path=path, changes=(change,) if change else (), lines=lines_of(arguments))]


def _patched_actions(path: str, patch: str) -> list[Action]:
    if is_patch(patch):
        return patch_actions(patch)
    changes, line = search_replace_changes(patch)
    if changes:
        return [Action(kind=ActionKind.EDIT, path=path, changes=changes, lines=(line, line) if line else None)]
    return diff_actions(patch) if is_diff(patch) else []


def _listed_edits(path: str, edits: list[Any]) -> list[Action]:
    """Several edits in one call: of one file, or each with a path of its own."""
    changes: dict[str, list[TextEdit]] = {}
    for edit in edits:
        arguments = by_plain_name(edit)
        if change := change_of(arguments):
            changes.setdefault(path_of(arguments) or path, []).append(change)
    return [Action(kind=ActionKind.EDIT, path=name, changes=tuple(made)) for name, made in changes.items() if name]


def _writes(kind: ActionKind, arguments: Arguments) -> list[Action]:
    return [Action(kind=kind, path=path_of(arguments), content=first_text(arguments, names.CONTENT))]


def _searches(kind: ActionKind, arguments: Arguments) -> list[Action]:
    return [Action(kind=kind, path=path_of(arguments), pattern=first_text(arguments, names.PATTERN) or "")]


def _fetches(kind: ActionKind, arguments: Arguments) -> list[Action]:
    return [Action(kind=kind, pattern=first_text(arguments, names.ADDRESS) or "")]


def _messages(kind: ActionKind, arguments: Arguments) -> list[Action]:
    """Words for a person or another agent."""
    return [Action(kind=kind, content=first_text(arguments, names.WORDS))]


def _run(arguments: Arguments) -> list[Action]:
    inner = arguments.get("action")
    if isinstance(inner, dict):
        arguments = arguments | by_plain_name(inner)
    for name in names.COMMAND:
        if command := command_text(arguments.get(name)):
            return command_actions(command, folder=first_text(arguments, names.FOLDER) or "")
    return [_session_input(arguments)]


def _session_input(arguments: Arguments) -> Action:
    """What is typed into, or read from, a process that runs already."""
    session = next((str(arguments[name]) for name in names.PROCESS if arguments.get(name) not in (None, "")), "")
    typed = first_text(arguments, ("chars", "input")) or ""
    return Action(kind=ActionKind.RUN, command=typed.strip(), session=session)


def _editor(arguments: Arguments) -> list[Action]:
    """The text editor tool: one name, what is done in its ``command``."""
    verb, path = arguments.get("command"), path_of(arguments)
    if verb == "view":
        return _reads(ActionKind.READ, arguments)
    if verb == "create":
        return _writes(ActionKind.WRITE, arguments)
    if verb == "insert":
        line = number_of(arguments, "insertline") or 0
        added = first_text(arguments, ("inserttext", *names.NEW)) or ""
        return [Action(kind=ActionKind.EDIT, path=path, changes=(TextEdit("", added),), lines=(line + 1, line + 1))]
    return _edits(ActionKind.EDIT, arguments)


def _apply_patch(arguments: Arguments) -> list[Action]:
    patch = first_text(arguments, (*names.PATCH, *names.COMMAND, *names.CONTENT)) or command_text(
        arguments.get("command")
    )
    return _patched_actions(path_of(arguments), patch)


_OWN_READERS: dict[str, Callable[[Arguments], list[Action]]] = {
    "applypatch": _apply_patch,
    "taskcreate": created_todo,
    "taskupdate": updated_todo,
}
_READERS: dict[ActionKind, Callable[[ActionKind, Arguments], list[Action]]] = {
    ActionKind.READ: _reads,
    ActionKind.EDIT: _edits,
    ActionKind.WRITE: _writes,
    ActionKind.DELETE: _reads,
    ActionKind.SEARCH: _searches,
    ActionKind.LIST: _searches,
    ActionKind.FETCH: _fetches,
    ActionKind.ASK: _messages,
    ActionKind.DELEGATE: _messages,
}


def _by_shape(arguments: Arguments) -> list[Action]:
    """A tool that nobody has told of, by what it is given."""
    patch = first_text(arguments, names.PATCH)
    if patch is not None and (patched := _patched_actions(path_of(arguments), patch)):
        return patched
    path = path_of(arguments)
    if path and (change_of(arguments) or isinstance(arguments.get("edits"), list)):
        return _edits(ActionKind.EDIT, arguments)
    if path and is_path(path) and first_text(arguments, names.CONTENT) is not None:
        return _writes(ActionKind.WRITE, arguments)
    if command := next((text for name in names.COMMAND if (text := command_text(arguments.get(name)))), ""):
        return command_actions(command)
    if isinstance(arguments.get("url"), str):
        return _fetches(ActionKind.FETCH, arguments)
    if isinstance(arguments.get("todos"), list):
        return [Action(kind=ActionKind.TODO, todos=todos_of(arguments))]
    if path and first_text(arguments, names.PATTERN) is not None:
        return _searches(ActionKind.SEARCH, arguments)
    return _reads(ActionKind.READ, arguments) if is_path(path) else []
