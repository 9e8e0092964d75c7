"""Fits weighted lines into a limit of characters: the best are kept, and each gap is told with the names it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence

from clew.curation.lines import BRIEF, MAX_LINE, NOISE, SILENT, USEFUL, WeightedLine, clip
from clew.text.names import names_and_files_in

#: A gap this small costs as much to tell as to show.
_SMALL_GAP = 30
_FEW_LINES = 4
#: Share of the limit that goes to names of things in gaps, and how many characters one gap gets of it.
_NAMES_SHARE, _NAMES_CHARS, _MIN_NAMES_CHARS = 4, 160, 20
#: What is said of gaps takes room: with this percentage of the limit for lines the first try mostly fits.
_FIRST_TRY_PERCENT = 80
#: Gaps of fewer characters are not asked for names, and of bigger ones only the beginning is.
_MIN_GAP_CHARS, _MAX_GAP_CHARS = 120, 4_000


def fit_lines(lines: Sequence[WeightedLine], limit: int) -> str:
    """The lines that are worth most within the limit, in their order; a note stands for each gap between them."""
    worth = sum(len(line.text) + 1 for line in lines if line.weight != NOISE)
    if worth <= limit and all(line.weight != NOISE for line in lines):
        return "\n".join(line.text for line in lines)
    longest, ranks = _max_line_chars(lines, limit), rank_lines(lines)
    room = limit if worth <= limit else limit * _FIRST_TRY_PERCENT // 100
    for _ in range(3):
        kept = choose_lines(lines, room, ranks=ranks, longest=longest)
        shown = _render(lines, kept, longest=longest, room=(limit - room) + limit // _NAMES_SHARE)
        if len(shown) <= limit or len(kept) == len(lines):
            break
        # What is said of the gaps takes room too: once more, with that much less.
        room = room * limit // (len(shown) + limit // 20)
    return shown


def _max_line_chars(lines: Sequence[WeightedLine], limit: int) -> int:
    """How long a line may be: the fewer lines there are, the longer."""
    return max(MAX_LINE, limit // max(2, min(sum(1 for line in lines if line.weight), 40)))


def _render(lines: Sequence[WeightedLine], kept: Container[int], *, longest: int, room: int) -> str:
    shown = {index: clip(line.text, longest) for index, line in enumerate(lines) if index in kept}
    known = _KnownNames("\n".join(shown.values()), room)
    out: list[str] = []
    gap: list[WeightedLine] = []
    for index, line in enumerate(lines):
        if index not in kept:
            gap.append(line)
            continue
        if gap:
            out += _gap_note(gap, known)
            gap = []
        out.append(shown[index])
    return "\n".join(out + _gap_note(gap, known))


class _KnownNames:
    """Names that the reader has seen, and the room that is left to list more."""

    def __init__(self, text: str, room: int) -> None:
        self._text, self._names, self._room = text, set[str](), room

    def names_in(self, gap: Sequence[WeightedLine]) -> str:
        """Names in a gap that stand nowhere else, as many as there is room for."""
        room = min(self._room, _NAMES_CHARS)
        text = "\n".join(line.text for line in gap)[:_MAX_GAP_CHARS] if room >= _MIN_NAMES_CHARS else ""
        if len(text) < _MIN_GAP_CHARS:
            return ""
        fresh: list[str] = []
        for name in names_and_files_in(text, limit=60):
            if len(name) + 2 <= room and not (name in self._names or _is_measure(name) or name in self._text):
                room -= len(name) + 2
                fresh.append(name)
        self._names.update(fresh)
        self._room -= sum(len(name) + 2 for name in fresh)
        return ", ".join(fresh)


def _is_measure(name: str) -> bool:
    """A time or a size, which says nothing by itself; a hash may begin with a digit too."""
    return name[0].isdigit() and (len(name) < 7 or "." in name or " " in name)


def _gap_note(gap: Sequence[WeightedLine], known: _KnownNames) -> list[str]:
    """What stands for lines that were left out: nothing for blank ones; few words are shown after all."""
    lines = [line for line in gap if line.text and line.label != SILENT]
    if not lines:
        return [""] if gap and not gap[0].text else []
    if (
        len(lines) <= _SMALL_GAP
        and sum(len(line.text) for line in lines) <= _SMALL_GAP
        and not any(line.label for line in lines)
    ):
        return [line.text for line in lines]
    label = _common_label(lines)
    names = known.names_in(lines) if label in {"", BRIEF} else ""
    if names:
        return [f"… {_plural(len(lines))} ({names}) …"]
    if label == BRIEF:
        return [BRIEF] if len(lines) <= _FEW_LINES else [f"… {_plural(len(lines))} …"]
    return [f"… {_plural(len(lines))}, {label} …" if label else f"… {_plural(len(lines))} …"]


def _common_label(lines: Iterable[WeightedLine]) -> str:
    """The label that most of them have; plain lines have none."""
    labels = Counter(line.label for line in lines)
    best, count = labels.most_common(1)[0]
    return best if count * 2 > labels.total() else ""


def _plural(count: int) -> str:
    return f"{count:,} line" + ("s" if count > 1 else "")


# ── which lines stay ─────────────────────────────────────────────────────────────────────────────────


def rank_lines(lines: Sequence[WeightedLine]) -> list[int]:
    """Heaviest first. Groups take turns; fillers come from both ends, the rest in order. Noise has no rank."""
    turns: dict[str, int] = {}
    ranks: list[tuple[int, int, int, int]] = []
    last = 3 * (len(lines) - 1)
    for index, (_, weight, group, _) in enumerate(lines):
        if weight == NOISE:
            continue
        turn = 0
        if group:
            turn = turns.get(group, 0)
            turns[group] = turn + 1
        ranks.append((-weight, turn, min(2 * index, last - 3 * index) if weight < USEFUL else index, index))
    return [rank[3] for rank in sorted(ranks)]


def choose_lines(
    lines: Sequence[WeightedLine], limit: int, *, ranks: Sequence[int], longest: int = MAX_LINE
) -> set[int]:
    """Indexes of the lines that are kept within the limit, taken in the order that ``rank_lines`` gave."""
    left, kept = limit, set[int]()
    for index in ranks:
        cost = min(len(lines[index].text), longest) + 1
        if cost <= left:
            left -= cost
            kept.add(index)
    return kept
