"""Putting chosen lines together: what was left out is counted in its place, with the names it speaks of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence

from clew.curation.lines import BRIEF, MAX_LINE, SILENT, Line, chosen, clipped
from clew.text.names import names_in

#: A gap this small costs as much to tell as to show.
_SMALL = 30
_FEW = 4
#: Share of the limit that goes to names of things in gaps, and how many characters one gap gets of it.
_NAMES_SHARE, _NAMES_CHARS = 6, 120
#: Gaps of fewer characters are not asked for names, and of bigger ones only the beginning is.
_MIN_TELLING, _MAX_TELLING = 120, 8_000


def fitted(lines: Sequence[Line], limit: int) -> str:
    """The lines that are worth most within the limit, in their order, with what is left out told in its place."""
    longest = _longest(lines, limit)
    room = limit
    for _ in range(3):
        kept = chosen(lines, room, longest=longest)
        shown = _rendered(lines, kept, longest=longest, room=(limit - room) + limit // _NAMES_SHARE)
        if len(shown) <= limit or len(kept) == len(lines):
            break
        # What is said of the gaps takes room too: once more, with that much less.
        room = room * limit // (len(shown) + limit // 20)
    return shown


def _longest(lines: Sequence[Line], limit: int) -> int:
    """Few lines may be long ones."""
    return max(MAX_LINE, limit // max(2, min(sum(1 for line in lines if line.weight), 40)))


def _rendered(lines: Sequence[Line], kept: Container[int], *, longest: int, room: int) -> str:
    shown = {at: clipped(line.text, longest) for at, line in enumerate(lines) if at in kept}
    known = _Known("\n".join(shown.values()), room)
    out: list[str] = []
    gap: list[Line] = []
    for at, line in enumerate(lines):
        if at not in kept:
            gap.append(line)
            continue
        out += _told(gap, known)
        gap = []
        out.append(shown[at])
    return "\n".join(out + _told(gap, known))


class _Known:
    """Names that the reader has seen, and the room that is left to mention more."""

    def __init__(self, text: str, room: int) -> None:
        self._names, self._room = set(names_in(text)), room

    def mentioned(self, gap: Sequence[Line]) -> str:
        """Names in a gap that stand nowhere else, as many as there is room for."""
        text = "\n".join(line.text for line in gap)[:_MAX_TELLING]
        if len(text) < _MIN_TELLING or self._room < _NAMES_CHARS:
            return ""
        said = ""
        for name in names_in(text, limit=40):
            if name not in self._names and not _is_measure(name) and len(said) + len(name) < _NAMES_CHARS:
                self._names.add(name)
                said += f", {name}" if said else name
        self._room -= len(said)
        return said


def _is_measure(name: str) -> bool:
    """A time or a size, which says nothing by itself; a hash may begin with a digit too."""
    return name[0].isdigit() and (len(name) < 7 or "." in name or " " in name)


def _told(gap: Sequence[Line], known: _Known) -> list[str]:
    """What stands for lines that were left out: blank ones go unsaid, few words are shown after all."""
    said = [line for line in gap if line.text and line.noise != SILENT]
    if not said:
        return [""] if gap and not gap[0].text else []
    if sum(len(line.text) for line in said) <= _SMALL and not any(line.noise for line in said):
        return [line.text for line in said]
    name = _name(said)
    names = known.mentioned(said) if name in {"", BRIEF} else ""
    if names:
        return [f"… {_plural(len(said))} ({names}) …"]
    if name == BRIEF:
        return [BRIEF] if len(said) <= _FEW else [f"… {_plural(len(said))} …"]
    return [f"… {_plural(len(said))}, {name} …" if name else f"… {_plural(len(said))} …"]


def _name(lines: Iterable[Line]) -> str:
    """What most of them are called; plain lines have no name."""
    names = Counter(line.noise for line in lines)
    best, count = names.most_common(1)[0]
    return best if count * 2 > names.total() else ""


def _plural(count: int) -> str:
    return f"{count:,} line" + ("s" if count > 1 else "")
