"""What tools mean: a call of any assistant's tool as deeds, and an output as how the deed ended.

Known tools are found by name, whatever the spelling (``read_file``, ``readFile``, ``mcp__fs__read_file``). Others are
judged by the shape of their arguments. Nothing here raises, whatever a model wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from clew.domain import Call
from clew.text.arguments import (
    ADDRESS,
    COMMAND,
    CONTENT,
    EDITS,
    FOLDER,
    NEW,
    PATCH,
    PATTERN,
    PROCESS,
    WORDS,
    Arguments,
    by_plain_name,
    change_of,
    lines_of,
    number_of,
    path_of,
    paths_of,
    plain,
    text_of,
)
from clew.text.commands import command_actions
from clew.text.deeds import Action, Change, Deed, Outcome, Todo
from clew.text.names import is_path
from clew.text.outcomes import outcome
from clew.text.patches import blocks, diff_actions, is_diff, is_patch, patch_actions
from clew.text.shell import command_text
from clew.text.todos import created_todo, todos_of, updated_todo
from clew.text.toolnames import BY_NAME, EDITORS, GOES_ON, RUNNERS, TODO_TOOLS

__all__ = ["Action", "Change", "Deed", "Outcome", "Todo", "actions", "outcome"]


def actions(call: Call) -> tuple[Action, ...]:
    """What a call does, the main deed first; at least one action, OTHER when nothing is known."""
    try:
        found = _actions(plain(call.name), call.arguments)
    except (ValueError, TypeError, RecursionError, OverflowError):
        found = []
    return tuple(found) or (Action(deed=Deed.OTHER),)


def _actions(name: str, arguments: Any) -> list[Action]:
    if isinstance(arguments, str):
        arguments = _decoded(name, arguments)
    if not isinstance(arguments, dict):
        return []
    given = by_plain_name(arguments)
    if name in RUNNERS:
        return _run(given)
    if name in GOES_ON:
        return [_going_on(given)]
    if name in EDITORS:
        return _editor(given)
    if name in TODO_TOOLS:
        return [Action(deed=Deed.TODO, todos=todos_of(given))]
    if name in _OWN:
        return _OWN[name](given)
    deed = BY_NAME.get(name)
    return _MAKERS[deed](deed, given) if deed else _by_shape(given)


def _decoded(name: str, text: str) -> Any:
    if text.lstrip()[:1] == "{":
        try:
            return orjson.loads(text)
        except ValueError:
            return {}
    return {"command": text} if name in RUNNERS else {"patch": text}


# ── making actions ───────────────────────────────────────────────────────────────────────────────────


def _reads(deed: Deed, given: Arguments) -> list[Action]:
    return [Action(deed=deed, path=path, lines=lines_of(given)) for path in paths_of(given)]


def _edits(deed: Deed, given: Arguments) -> list[Action]:
    path, patch = path_of(given), text_of(given, PATCH)
    if patch is not None and (patched := _patched(path, patch)):
        return patched
    for name in EDITS:
        if isinstance(given.get(name), list):
            return _listed(path, given[name])
    change = change_of(given)
    if change is None:
        content = text_of(given, CONTENT)
        change = Change("", content) if content is not None else None
    return [Action(deed=deed, path=path, changes=(change,) if change else (), lines=lines_of(given))]


def _patched(path: str, patch: str) -> list[Action]:
    if is_patch(patch):
        return patch_actions(patch)
    changes, line = blocks(patch)
    if changes:
        return [Action(deed=Deed.EDIT, path=path, changes=changes, lines=(line, line) if line else None)]
    return diff_actions(patch) if is_diff(patch) else []


def _listed(path: str, edits: list[Any]) -> list[Action]:
    """Several edits in one call: of one file, or each with a path of its own."""
    changes: dict[str, list[Change]] = {}
    for edit in edits:
        given = by_plain_name(edit)
        if change := change_of(given):
            changes.setdefault(path_of(given) or path, []).append(change)
    return [Action(deed=Deed.EDIT, path=name, changes=tuple(made)) for name, made in changes.items() if name]


def _writes(deed: Deed, given: Arguments) -> list[Action]:
    return [Action(deed=deed, path=path_of(given), content=text_of(given, CONTENT))]


def _searches(deed: Deed, given: Arguments) -> list[Action]:
    return [Action(deed=deed, path=path_of(given), pattern=text_of(given, PATTERN) or "")]


def _fetches(deed: Deed, given: Arguments) -> list[Action]:
    return [Action(deed=deed, pattern=text_of(given, ADDRESS) or "")]


def _tells(deed: Deed, given: Arguments) -> list[Action]:
    """Words for a person or another agent."""
    return [Action(deed=deed, content=text_of(given, WORDS))]


def _run(given: Arguments) -> list[Action]:
    inner = given.get("action")
    if isinstance(inner, dict):
        given = given | by_plain_name(inner)
    for name in COMMAND:
        if command := command_text(given.get(name)):
            return command_actions(command, folder=text_of(given, FOLDER) or "")
    return [_going_on(given)]


def _going_on(given: Arguments) -> Action:
    session = next((str(given[name]) for name in PROCESS if given.get(name) not in (None, "")), "")
    typed = text_of(given, ("chars", "input")) or ""
    return Action(deed=Deed.RUN, command=typed.strip(), session=session)


def _editor(given: Arguments) -> list[Action]:
    """The text editor tool: one name, the deed in its ``command``."""
    verb, path = given.get("command"), path_of(given)
    if verb == "view":
        return _reads(Deed.READ, given)
    if verb == "create":
        return _writes(Deed.WRITE, given)
    if verb == "insert":
        line = number_of(given, "insertline") or 0
        added = text_of(given, ("inserttext", *NEW)) or ""
        return [Action(deed=Deed.EDIT, path=path, changes=(Change("", added),), lines=(line + 1, line + 1))]
    return _edits(Deed.EDIT, given)


def _apply_patch(given: Arguments) -> list[Action]:
    patch = text_of(given, (*PATCH, *COMMAND, *CONTENT)) or command_text(given.get("command"))
    return _patched(path_of(given), patch)


_OWN: dict[str, Callable[[Arguments], list[Action]]] = {
    "applypatch": _apply_patch,
    "taskcreate": created_todo,
    "taskupdate": updated_todo,
}
_MAKERS: dict[Deed, Callable[[Deed, Arguments], list[Action]]] = {
    Deed.READ: _reads,
    Deed.EDIT: _edits,
    Deed.WRITE: _writes,
    Deed.DELETE: _reads,
    Deed.SEARCH: _searches,
    Deed.LIST: _searches,
    Deed.FETCH: _fetches,
    Deed.ASK: _tells,
    Deed.DELEGATE: _tells,
}


def _by_shape(given: Arguments) -> list[Action]:
    """A tool that nobody has told of, by what it is given."""
    patch = text_of(given, PATCH)
    if patch is not None and (patched := _patched(path_of(given), patch)):
        return patched
    path = path_of(given)
    if path and (change_of(given) or isinstance(given.get("edits"), list)):
        return _edits(Deed.EDIT, given)
    if path and is_path(path) and text_of(given, CONTENT) is not None:
        return _writes(Deed.WRITE, given)
    if command := next((text for name in COMMAND if (text := command_text(given.get(name)))), ""):
        return command_actions(command)
    if isinstance(given.get("url"), str):
        return _fetches(Deed.FETCH, given)
    if isinstance(given.get("todos"), list):
        return [Action(deed=Deed.TODO, todos=todos_of(given))]
    if path and text_of(given, PATTERN) is not None:
        return _searches(Deed.SEARCH, given)
    return _reads(Deed.READ, given) if is_path(path) else []
