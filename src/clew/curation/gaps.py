"""Putting chosen lines together: what was left out is counted in its place, with the names it speaks of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence

from clew.curation.lines import BRIEF, MAX_LINE, NOISE, SILENT, Line, chosen, clipped, ranked
from clew.text.names import names_and_files_in

#: A gap this small costs as much to tell as to show.
_SMALL = 30
_FEW = 4
#: Share of the limit that goes to names of things in gaps, and how many characters one gap gets of it.
_NAMES_SHARE, _NAMES_CHARS, _MIN_NAMES_CHARS = 4, 160, 20
#: What is said of gaps takes room: with this percentage of the limit for lines the first try mostly fits.
_FIRST_TRY = 80
#: Gaps of fewer characters are not asked for names, and of bigger ones only the beginning is.
_MIN_TELLING, _MAX_TELLING = 120, 4_000


def fitted(lines: Sequence[Line], limit: int) -> str:
    """The lines that are worth most within the limit, in their order, with what is left out told in its place."""
    worth = sum(len(line.text) + 1 for line in lines if line.weight != NOISE)
    if worth <= limit and all(line.weight != NOISE for line in lines):
        return "\n".join(line.text for line in lines)
    longest, ranks = _longest(lines, limit), ranked(lines)
    room = limit if worth <= limit else limit * _FIRST_TRY // 100
    for _ in range(3):
        kept = chosen(lines, room, ranks=ranks, longest=longest)
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
        if gap:
            out += _told(gap, known)
            gap = []
        out.append(shown[at])
    return "\n".join(out + _told(gap, known))


class _Known:
    """Names that the reader has seen, and the room that is left to mention more."""

    def __init__(self, text: str, room: int) -> None:
        self._text, self._names, self._room = text, set[str](), room

    def mentioned(self, gap: Sequence[Line]) -> str:
        """Names in a gap that stand nowhere else, as many as there is room for."""
        room = min(self._room, _NAMES_CHARS)
        text = "\n".join(line.text for line in gap)[:_MAX_TELLING] if room >= _MIN_NAMES_CHARS else ""
        if len(text) < _MIN_TELLING:
            return ""
        said: list[str] = []
        for name in names_and_files_in(text, limit=60):
            if len(name) + 2 <= room and not (name in self._names or _is_measure(name) or name in self._text):
                room -= len(name) + 2
                said.append(name)
        self._names.update(said)
        self._room -= sum(len(name) + 2 for name in said)
        return ", ".join(said)


def _is_measure(name: str) -> bool:
    """A time or a size, which says nothing by itself; a hash may begin with a digit too."""
    return name[0].isdigit() and (len(name) < 7 or "." in name or " " in name)


def _told(gap: Sequence[Line], known: _Known) -> list[str]:
    """What stands for lines that were left out: blank ones go unsaid, few words are shown after all."""
    said = [line for line in gap if line.text and line.noise != SILENT]
    if not said:
        return [""] if gap and not gap[0].text else []
    if len(said) <= _SMALL and sum(len(line.text) for line in said) <= _SMALL and not any(line.noise for line in said):
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
