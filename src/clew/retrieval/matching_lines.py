"""The lines of a long text that a query is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from clew.retrieval.words import query_words
from clew.text.trim import cut_at_word, one_line

#: Places of one word that are looked at: one that stands in more tells little of where to look.
_PLACES = 200
#: What is shown of one line, and of what stands before a match in a very long one.
_LINE_CHARS, _LEAD_CHARS = 160, 40


def matching_lines(text: str, query: str, *, chars: int) -> str:
    """Returns about so many characters of a text, as one line: the line with most of the query's words, rare ones
    counting for more, the one before it and those after. Nothing where none of them stands in it.
    """
    low = text.lower()
    text = text if len(low) == len(text) else low
    worth: defaultdict[int, float] = defaultdict(float)
    first_places: dict[int, int] = {}
    for word in query_words(query):
        lines = {text.rfind("\n", 0, place) + 1: place for place in reversed(list(_places(low, word)))}
        for start, place in lines.items():
            worth[start] += 1 / len(lines)
            first_places[start] = min(place, first_places.get(start, place))
    if not worth:
        return ""
    best = min(worth, key=lambda start: (-worth[start], start))
    return _lines_around(text, best, first_places[best], chars)


def _lines_around(text: str, start: int, place: int, chars: int) -> str:
    """The line before, cut short; the line from a little before the place, and the lines after it."""
    before = one_line(text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start][:_LINE_CHARS])
    begin = start if place - start < _LINE_CHARS else place - _LEAD_CHARS
    lines = (one_line(line) for line in text[begin : begin + 4 * chars].split("\n"))
    shown = " / ".join(cut_at_word(line, _LINE_CHARS) for line in (before if begin == start else "", *lines) if line)
    return ("… " if begin > len(before) + 1 else "") + cut_at_word(shown, chars)


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    for _ in range(_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(word, at + len(word))
