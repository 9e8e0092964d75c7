"""Texts as words of the index: the one way in, for what is searched and for what is asked.

A word of the index is casefolded and holds letters, digits and ``. _ -`` only. Names count as they stand and in
their pieces (``fooBar.baz_qux`` is also foobar, foo, bar, baz_qux, baz and qux), English words without their
endings, Chinese and Japanese by pairs of characters. Linear in the text, whatever it is.

The lines of a long text that a query is about.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from unicodedata import normalize

from clew.text.memo import empty_table, remember, remember_until_full
from clew.text.stems import index_stem
from clew.text.stop_words import QUERY_STOP_WORDS
from clew.text.trim import cut_at_word, one_line

#: Places of one word that are looked at: one that stands in more tells little of where to look.
_PLACES = 200
#: What is shown of one line, and of what stands before a match in a very long one.
_LINE_CHARS, _LEAD_CHARS = 160, 40
#: Longer runs without a blank are encoded data; they are found by their beginning.
MAX_CHARS = 64
#: A query of more words is asked by its first and its last ones; so many characters at either end are read for them.
MAX_QUERY_WORDS = 32
_QUERY_CHARS = 10_000
#: A run that falls into more pieces is no name.
_MAX_PIECES = 12

_RUN = re.compile(r"\w+(?:[.-]\w+)*")
_HUMP = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SCRIPTS = re.compile(f"([{_UNSPACED}]+)")
_ACCENTS = re.compile("[\u0300-\u036f]")
#: Blanks for the bytes that stand between runs. Those beyond ASCII are left for the pattern to judge.
_BLANKS = bytes(code if code > 127 or chr(code).isalnum() or chr(code) in "._-" else ord(" ") for code in range(256))


#: Words of texts that another process has found already, and how many texts are remembered so.
_foreseen: dict[str, list[str]] = empty_table()
_MOST_FORESEEN = 1024


def foresee_words(text: str, words: list[str]) -> None:
    """Remembers for a while what ``words_of`` returns of a text, for whoever has found it elsewhere."""
    if len(_foreseen) >= _MOST_FORESEEN:
        del _foreseen[next(iter(_foreseen))]
    _foreseen[text] = words


def words_of(text: str) -> list[str]:
    """The words that a text holds, each once, in the order they come."""
    known = _foreseen.get(text) if _foreseen else None
    return _words_of_tokens(text) if known is None else known


def _words_of_tokens(text: str) -> list[str]:
    """The same as ``_distinct(_runs(text))`` in half the time: the pattern sees each token once, not the whole text."""
    data = text.encode("utf-8", "surrogatepass").translate(_BLANKS)
    tokens = dict.fromkeys(data.decode("utf-8", "surrogatepass").split())
    return list(dict.fromkeys(chain.from_iterable(map(_words_of_token, tokens))))


def whole_word(run: str) -> str:
    """The word of the index for a run of letters and digits as it stands, without its pieces."""
    return next(iter(_index_words(run[:MAX_CHARS])), "")


def query_words(text: str) -> list[str]:
    """The words to look for: those that say nothing by themselves are left out, unless there are no others."""
    runs = _runs(text if len(text) <= 2 * _QUERY_CHARS else f"{text[:_QUERY_CHARS]}\n{text[-_QUERY_CHARS:]}")
    found = _distinct(run for run in runs if run.casefold() not in QUERY_STOP_WORDS) or _distinct(runs)
    half = MAX_QUERY_WORDS // 2
    return found if len(found) <= MAX_QUERY_WORDS else found[:half] + found[-half:]


def content_words(text: str) -> list[str]:
    """The words of a query that say something, as they are written."""
    return [run for run in _runs(text[:_QUERY_CHARS]) if run.casefold() not in QUERY_STOP_WORDS]


def _distinct(runs: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(map(_index_words, runs))))


@remember_until_full(1 << 16, longest=MAX_CHARS)
def _words_of_token(token: str) -> tuple[str, ...]:
    """The words of what stands between two blanks: one run, or several with joints around them."""
    if token.isascii() and token.isalnum() and len(token) <= MAX_CHARS:
        return _words_of_run(token)
    return tuple(word for run in _runs(token) for word in _find_words(run))


def _runs(text: str) -> Iterable[str]:
    """What stands between blanks and punctuation, each once, and none too long."""
    runs = dict.fromkeys(_RUN.findall(text if text.isascii() else normalize("NFKC", text)))
    if max(map(len, runs), default=0) <= MAX_CHARS:
        return runs
    return dict.fromkeys(piece for run in runs for piece in _cut(run))


def _cut(run: str) -> list[str]:
    """Data by its beginning; a sentence of a script without blanks in pieces."""
    if run.isascii():
        return [run[:MAX_CHARS]]
    return [run[index : index + MAX_CHARS] for index in range(0, len(run), MAX_CHARS)]


def _find_words(run: str) -> tuple[str, ...]:
    """The words of the index by which a run is found."""
    if run.isascii():
        return _words_of_run(run)
    return tuple(word for piece in _SCRIPTS.split(run) if piece for word in _of_script(piece))


_index_words = remember(1 << 13)(_find_words)


def _of_script(piece: str) -> tuple[str, ...]:
    if _SCRIPTS.match(piece):
        return tuple(piece[index : index + 2] for index in range(max(len(piece) - 1, 1)))
    # What stands between two scripts may begin or end with a joint.
    return _words_of_run(piece.strip(".-"))


def _words_of_run(run: str) -> tuple[str, ...]:
    """A run as it stands, its parts between dots and dashes, and theirs between underscores and humps."""
    if run.isalpha() and run.islower():
        return (index_stem(_plain(run)),)
    if run.isdigit() and run.isascii():
        return (run,)
    names = [name for name in run.replace("-", ".").split(".") if name]
    pieces: list[str] = []
    for name in names:  # one in small letters has no humps
        pieces += filter(None, name.split("_") if name.islower() or name.isdigit() else _HUMP.split(name))
    if len(pieces) > _MAX_PIECES:
        names = pieces = []
    parts = [part for part in (*names, *pieces) if len(part) > 1 or len(pieces) == 1]
    plain = map(str.lower if run.isascii() else _plain, dict.fromkeys((run, *parts)))
    told = [index_stem(part) if part.isalpha() else part for part in plain]
    return tuple(dict.fromkeys(filter(None, told)))


def _plain(run: str) -> str:
    """Without capitals and accents."""
    folded = run.casefold()
    return folded if folded.isascii() else normalize("NFC", _ACCENTS.sub("", normalize("NFD", folded)))


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
    index = text.find(word)
    for _ in range(_PLACES):
        if index < 0:
            return
        yield index
        index = text.find(word, index + len(word))
