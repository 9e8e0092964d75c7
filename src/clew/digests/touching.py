"""Calls as deeds that wait for their outcome, and files as what was done to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import re2

from clew.digests.jobs import plain
from clew.digests.quoting import cut_at_word, one_line
from clew.domain import Call, Touched, Use
from clew.text.actions import Action, Deed, actions
from clew.text.names import is_path, names_in

MAX_COMMAND_CHARS = 160
_MAX_PATH_CHARS = 300
_MAX_RANGES, _MAX_SYMBOLS = 6, 8
#: New text of an edit that is searched for what it defines.
_MAX_DEFINING_CHARS = 20_000

_DEFINES = re2.compile(
    r"(?m)^[ \t]*(?:(?:export|default|pub(?:\([^)\n]*\))?|async|public|private|protected|internal|static|abstract|final"
    r"|override|suspend|unsafe|open|data|sealed)[ \t]+)*"
    r"(?:def|class|func|fn|function|interface|struct|enum|trait|type|module|namespace|object|protocol|defmodule|defp?)"
    r"[ \t*]+(?:\([^)\n]*\)[ \t]*)?([A-Za-z_$][\w$]+)"
)
_NUMBERED = re.compile(r"^[ \t]{0,8}(\d{1,7})(?:→|\t|\| )", re.MULTILINE)
_UPDATED = re.compile(r"(?i)\b(?:updated|overwr\w+|modified)\b")
_USES = {Deed.READ: Use.READ, Deed.EDIT: Use.CHANGED, Deed.WRITE: Use.CREATED, Deed.DELETE: Use.DELETED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """A deed under way: what a call is about, slim enough to be kept until its output comes."""

    deed: Deed
    source: str
    path: str = ""
    lines: tuple[int, int] | None = None
    names: tuple[str, ...] = ()
    command: str = ""
    asked: str = ""
    is_main: bool = True


def doings(call: Call, source: str, *, is_main: bool = True) -> list[Doing]:
    """What a call is about to do that a digest tells of."""
    return [one for action in actions(call) if (one := doing(action, source, is_main=is_main))]


def doing(action: Action, source: str, *, is_main: bool = True) -> Doing | None:
    if action.deed in _USES and _names_a_file(action):
        names = tuple(symbols_in(_new_text(action)))
        path, lines = action.path, action.lines
        return Doing(deed=action.deed, source=source, path=path, lines=lines, names=names, is_main=is_main)
    if action.deed is Deed.RUN and (command := plain(action.command)):
        command = cut_at_word(one_line(command), MAX_COMMAND_CHARS)
        return Doing(deed=Deed.RUN, source=source, command=command, is_main=is_main)
    if action.deed is Deed.ASK:
        return Doing(deed=Deed.ASK, source=source, is_main=is_main)
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
    """What new text defines, or else the names it uses; few."""
    if not text:
        return []
    found = list(dict.fromkeys(_DEFINES.findall(text))) or names_in(text[:4_000], limit=_MAX_SYMBOLS // 2)
    return found[:_MAX_SYMBOLS]


def with_output(one: Doing, text: str) -> Doing:
    """With the lines that the tool showed, where it numbers them."""
    if one.lines or one.deed not in {Deed.READ, Deed.EDIT}:
        return one
    head, tail = _NUMBERED.search(text[:2_000]), list(_numbers(text[-2_000:]))
    return replace(one, lines=(int(head[1]), tail[-1])) if head and tail and int(head[1]) <= tail[-1] else one


def _numbers(text: str) -> Iterator[int]:
    return (int(found[1]) for found in _NUMBERED.finditer(text))


def merged(known: Touched | None, one: Doing, text: str = "") -> Touched:
    """What is known of a file after one more deed; a read tells nothing new of a file that was changed."""
    use = _USES[one.deed]
    if use is Use.CREATED and ((known and known.use is not Use.DELETED) or _UPDATED.search(text[:200])):
        use = Use.CREATED if known and known.use is Use.CREATED else Use.CHANGED
    if known is None or (known.use is Use.READ) != (use is Use.READ) or use is Use.DELETED:
        if known and use is Use.READ:
            return known
        return Touched(text=one.path, source=one.source, use=use, lines=_ranges([], one.lines), names=one.names)
    use = known.use if known.use is Use.CREATED else use
    names = tuple(dict.fromkeys((*known.names, *one.names)))[-2 * _MAX_SYMBOLS :]
    return replace(known, source=one.source, use=use, lines=_ranges(known.lines, one.lines), names=names)


def _ranges(known: Iterable[tuple[int, int]], new: tuple[int, int] | None) -> tuple[tuple[int, int], ...]:
    """Ranges in order, those that touch joined; the widest are kept."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted([*known, *([new] if new else [])]):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    widest = sorted(joined, key=lambda one: (one[0] - one[1], one))[:_MAX_RANGES]
    return tuple(sorted(widest))
