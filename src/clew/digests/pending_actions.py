"""Actions of calls that wait for their output, and the use of files that results from them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from clew.domain import Call, FileUsage, FileUse
from clew.text.definitions import defined_names, numbered_lines
from clew.text.names import is_path, names_in
from clew.text.tools.actions import Action, ActionKind
from clew.text.tools.calls import call_actions
from clew.text.tools.purposes import bare_command
from clew.text.trim import cut_at_word, one_line

MAX_COMMAND_CHARS = 160
_MAX_PATH_CHARS = 300
_MAX_RANGES, _MAX_SYMBOLS = 6, 8
#: New text of an edit that is searched for what it defines.
_MAX_DEFINING_CHARS = 20_000

_UPDATED = re.compile(r"(?i)\b(?:updated|overwr\w+|modified)\b")
_USES = {
    ActionKind.READ: FileUse.READ,
    ActionKind.EDIT: FileUse.CHANGED,
    ActionKind.WRITE: FileUse.CREATED,
    ActionKind.DELETE: FileUse.DELETED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingAction:
    """An action that a call is about to do, with no more than a digest needs once the output has come."""

    kind: ActionKind = field(metadata={"key": "deed"})
    source: str
    path: str = ""
    lines: tuple[int, int] | None = None
    names: tuple[str, ...] = ()
    command: str = ""
    is_main: bool = True


def pending_actions(call: Call, source: str, *, is_main: bool = True) -> list[PendingAction]:
    """Returns the actions of a call that a digest reports."""
    return [pending for action in call_actions(call) if (pending := pending_action(action, source, is_main=is_main))]


def pending_action(action: Action, source: str, *, is_main: bool = True) -> PendingAction | None:
    """Returns an action as a digest reports it: a use of a file, a command or a question; None for any other."""
    if action.kind in _USES and _names_a_file(action):
        names = tuple(symbols_in(_new_text(action)))
        path, lines = action.path, action.lines
        return PendingAction(kind=action.kind, source=source, path=path, lines=lines, names=names, is_main=is_main)
    if action.kind is ActionKind.RUN and (command := bare_command(action.command)):
        command = cut_at_word(one_line(command), MAX_COMMAND_CHARS)
        return PendingAction(kind=ActionKind.RUN, source=source, command=command, is_main=is_main)
    if action.kind is ActionKind.ASK:
        return PendingAction(kind=ActionKind.ASK, source=source, is_main=is_main)
    return None


def _names_a_file(action: Action) -> bool:
    path = action.path
    if not path or len(path) > _MAX_PATH_CHARS or one_line(path) != path:
        return False
    return is_path(path) if action.command else path not in {".", "..", "/", "-"}


def _new_text(action: Action) -> str:
    """What an edit put in; what it took out is no longer there to be named."""
    texts = (action.content or "", *(change.new for change in action.changes))
    return "\n".join(text[:_MAX_DEFINING_CHARS] for text in texts)[:_MAX_DEFINING_CHARS]


def symbols_in(text: str) -> list[str]:
    """Returns a few names that new text defines, or else uses."""
    if not text:
        return []
    symbols = list(dict.fromkeys(defined_names(text))) or names_in(text[:4_000], limit=_MAX_SYMBOLS // 2)
    return symbols[:_MAX_SYMBOLS]


def with_output(action: PendingAction, text: str) -> PendingAction:
    """Returns the action with the lines that the tool showed, where it numbers them."""
    if action.lines or action.kind not in {ActionKind.READ, ActionKind.EDIT}:
        return action
    head = next((number for number, _ in numbered_lines(text[:2_000])), 0)
    tail = next((number for number, _ in reversed([*numbered_lines(text[-2_000:])])), 0)
    return replace(action, lines=(head, tail)) if 0 < head <= tail else action


def merge_file_use(known: FileUsage | None, done: PendingAction, text: str = "") -> FileUsage:
    """Returns the use of a file after one more action. A read adds nothing to a file that was changed."""
    use = _USES[done.kind]
    if use is FileUse.CREATED and ((known and known.use is not FileUse.DELETED) or _UPDATED.search(text[:200])):
        use = FileUse.CREATED if known and known.use is FileUse.CREATED else FileUse.CHANGED
    if known is None or (known.use is FileUse.READ) != (use is FileUse.READ) or use is FileUse.DELETED:
        if known and use is FileUse.READ:
            return known
        return FileUsage(text=done.path, source=done.source, use=use, lines=_ranges([], done.lines), names=done.names)
    use = known.use if known.use is FileUse.CREATED else use
    names = tuple(dict.fromkeys((*known.names, *done.names)))[-2 * _MAX_SYMBOLS :]
    return replace(known, source=done.source, use=use, lines=_ranges(known.lines, done.lines), names=names)


def _ranges(known: Iterable[tuple[int, int]], new: tuple[int, int] | None) -> tuple[tuple[int, int], ...]:
    """Ranges in order, those that touch joined; the widest are kept."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted([*known, *([new] if new else [])]):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    widest = sorted(joined, key=lambda bounds: (bounds[0] - bounds[1], bounds))[:_MAX_RANGES]
    return tuple(sorted(widest))
