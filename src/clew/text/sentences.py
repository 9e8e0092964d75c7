"""Prose, cut into sentences: what a digest quotes, a summary trims by and a signal is drawn from.

Written for chats about code: fenced blocks are no prose, a list item or a heading is a sentence of its own,
and a dot ends one only where a blank follows and no abbreviation or `code` holds it. One pass, linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from clew.text.memo import remember

Span = tuple[int, int]

#: A run of end marks, what may close behind it, and a blank; ideographic stops need no blank.
_END = re.compile(r"[.!?…]{1,8}[\"'”’»)\]*_`]{0,4}(?=\s|\Z)|[。！？]")
_ITEM = re.compile(r"[ \t]{0,40}(?:[-*+•–]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
_FENCE = re.compile(r"[ \t]{0,40}(```|~~~)")
_RULE = re.compile(r"[ \t]*[-=*_|:+ \t]{3,}[ \t]*\Z")
_CODE = re.compile(r"`[^`\n]{1,400}`")
_WORD_BEFORE = re.compile(r"(?:^|[\s(\[])([\w.]{1,12})\Z")
_ABBREVIATIONS = re.compile(
    r"e\.g|i\.e|eg|ie|cf|vs|viz|approx|ca|incl|excl|resp|dr|mr|mrs|ms|prof|jr|sr|inc|ltd|dept|[a-hj-z]"
)
#: Held only before a number ("No. 4"), or before a word in lower case ("etc. and").
_BEFORE_NUMBER, _BEFORE_LOWER = re.compile(r"nos?|fig|eq|sec|ch|vol|pp?"), re.compile(r"etc|al")


@remember(1 << 11)  # the same few texts are read again with each story and pack
def sentences(text: str) -> tuple[str, ...]:
    """The sentences in order, each on one line without list marks; code blocks, rules and blanks are left out."""
    return tuple(" ".join(text[start:end].split()) for start, end in spans(text))


def spans(text: str) -> Iterator[Span]:
    """Where the sentences stand, without the blanks and marks around them."""
    for start, end in _paragraphs(text):
        yield from _cut(text, start, end)


def thoughts(text: str, ends: Callable[[str, int, int], bool]) -> Iterator[Span]:
    """Sentences, cut at ends of lines too: people end thoughts without a stop.

    ``ends`` says of the text, a line's end within a sentence and the sentence's end whether a thought ends there.
    """
    for start, end in spans(text):
        line_start = start
        while 0 < (stop := text.find("\n", line_start, end)) < end:
            if ends(text, stop, end):
                yield from _without_blanks(text, start, stop)
                start = stop + 1
            line_start = stop + 1
        yield from _without_blanks(text, start, end)


def _without_blanks(text: str, start: int, end: int) -> Iterator[Span]:
    """A piece that says something, without the blanks around it."""
    piece = text[start:end]
    stripped = piece.strip()
    if any(character.isalnum() for character in stripped):
        offset = start + len(piece) - len(piece.lstrip())
        yield offset, offset + len(stripped)


def _paragraphs(text: str) -> Iterator[Span]:
    """Runs of prose lines; a blank line, a list item, a heading or a fence begins a new one."""
    start = end = -1
    fence = ""
    for line_start, line_end in _lines(text):
        line = text[line_start : min(line_end, line_start + 400)]
        mark = _FENCE.match(line)
        begins = _marks(line)
        is_row = line.lstrip().startswith("|")
        if fence or mark or begins or is_row or not line.strip() or _RULE.match(line):
            if start >= 0:
                yield start, end
            start = -1
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
            continue
        if fence or not line[begins:].strip() or _RULE.match(line):
            continue
        start, end = (line_start + begins if start < 0 else start), line_end
        if is_row or _HEADING.match(line):
            yield start, end
            start = -1
    if start >= 0:
        yield start, end


def _lines(text: str) -> Iterator[Span]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _marks(line: str) -> int:
    """Characters at the start of a line that only say what it is: an item, a heading, a quotation."""
    for kind in (_ITEM, _HEADING, _QUOTE):
        if match := kind.match(line):
            return match.end()
    return 0


def _cut(text: str, start: int, end: int) -> Iterator[Span]:
    code = iter([match.span() for match in _CODE.finditer(text, start, end)])
    code_span = next(code, (end, end))
    begin = start
    for mark in _END.finditer(text, start, end):
        while code_span[1] <= mark.start():
            code_span = next(code, (end, end))
        if code_span[0] < mark.start() < code_span[1] - 1 or not _is_end(text, begin, mark.start(), mark.end()):
            continue
        yield from _without_blanks(text, begin, mark.end())
        begin = mark.end()
    yield from _without_blanks(text, begin, end)


def _is_end(text: str, start: int, mark: int, after: int) -> bool:
    if text[mark] in "。！？":
        return True
    if text[mark] != "." or "!" in text[mark:after] or "?" in text[mark:after]:
        return text[mark] != "…" or not _goes_on(text, after)
    if text[mark : mark + 2] == "..":
        return not _goes_on(text, after)
    return not _is_abbreviation(text, start, mark, after)


def _is_abbreviation(text: str, start: int, mark: int, after: int) -> bool:
    before = _WORD_BEFORE.search(text, max(start, mark - 13), mark)
    word = before[1].lower() if before else ""
    if _BEFORE_NUMBER.fullmatch(word):
        return text[after : after + 20].lstrip()[:1].isdigit()
    if _BEFORE_LOWER.fullmatch(word):
        return _goes_on(text, after)
    return bool(_ABBREVIATIONS.fullmatch(word))


def _goes_on(text: str, after: int) -> bool:
    following = text[after : after + 20].lstrip()
    return bool(following) and following[0].islower()
