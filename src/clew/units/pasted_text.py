"""What people paste into their messages: output, which is shortened, and words of the agent; told from their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

#: Lines of terminals, logs, diffs, data and stack traces; and such as stand indented in a paste, and are no items.
PASTED_LINE = re.compile(
    r"\s*(?:[❯$<>+@│├└✓✗⏺⎿|]|={3,}|\[?\d{1,4}[-:]\d\d|[{}\[\]]|\"[^\"\n]{1,60}\" ?:|at \S|- \d|commit [0-9a-f]{7}"
    r"|diff --git|Traceback|File \"|(?i:error|warn|npm|fatal)\b)"
)
_INDENTED = re.compile(r"(?: {2,}|\t)(?![-*•\d])")
#: A paragraph with more of them is pasted; a paste with fewer lines and characters stays as it is.
_SHARE, _LINES, _CHARS = 0.34, 12, 500
#: In a longer text what stands between two pasted paragraphs is part of the paste, if it does not ask anything.
_LONG_CHARS = 1_500
#: Lines that are left of its beginning and end.
_HEAD, _TAIL, _LINE_CHARS = 2, 1, 160
#: More blanks before most lines are those of code.
_MOST_USUAL = 3
_BLANK = re.compile(r"\n[ \t]*\n")
#: A line that is quoted; what marks up words and is lost where they are copied from a terminal; and how many words of
#: a line must stand in what the agent said for it to be copied from there.
_QUOTED = re.compile(r"\s*>")
_MARKUP = re.compile(r"[\s`*_#>|\"'“”•⏺-]+")
_LEAST_COPIED = 4


def own_words(text: str, before: str) -> str:
    """Returns a person's words without lines that are quoted, and without those copied from what the agent said just
    ``before``."""
    agent_words = f" {_plain(before)} "
    return "\n".join(
        line for line in text.split("\n") if not _QUOTED.match(line) and not _is_copied(_plain(line), agent_words)
    )


def _is_copied(line: str, agent_words: str) -> bool:
    return len(line.split()) >= _LEAST_COPIED and f" {line} " in agent_words


def _plain(text: str) -> str:
    return _MARKUP.sub(" ", text).strip().lower()


def with_short_pastes(text: str) -> str:
    """Returns a person's words as they are, and of long output among them the first and the last lines."""
    if len(text) <= _CHARS:
        return text
    paragraphs = _BLANK.split(text)
    indent = _usual_indent(text)
    pasted = [index for index, paragraph in enumerate(paragraphs) if _is_pasted(paragraph, indent)]
    if len(text) > _LONG_CHARS and pasted:
        between = range(pasted[0], pasted[-1])
        pasted += [number for number in between if not paragraphs[number].rstrip().endswith("?")]
    runs = groupby(enumerate(paragraphs), key=lambda pair: pair[0] in pasted)
    parts = ((is_pasted, [words for _, words in group]) for is_pasted, group in runs)
    return "\n\n".join(part for is_pasted, group in parts for part in (_shorten_paste(group) if is_pasted else group))


def _is_pasted(paragraph: str, indent: str) -> bool:
    lines = [line.removeprefix(indent) for line in paragraph.split("\n") if line.strip()]
    return sum(bool(PASTED_LINE.match(line) or _INDENTED.match(line)) for line in lines) > _SHARE * len(lines)


def _usual_indent(text: str) -> str:
    """The few blanks that most lines begin with: a request that was written elsewhere and copied has them before every
    line, and they tell nothing of it.
    """
    blanks = Counter(len(line) - len(line.lstrip(" ")) for line in text.split("\n") if line.strip())
    size, count = max(blanks.items(), key=lambda pair: pair[1], default=(0, 0))
    return " " * size if size <= _MOST_USUAL and 2 * count > blanks.total() else ""


def _shorten_paste(paragraphs: list[str]) -> Iterator[str]:
    lines = [line for paragraph in paragraphs for line in paragraph.split("\n") if line.strip()]
    if len(lines) <= _LINES and sum(map(len, lines)) <= 2 * _CHARS:
        yield from paragraphs
        return
    left = max(len(lines) - _HEAD - _TAIL, 0)
    mark = [f"[… {left} lines of pasted output]"] if left else []
    yield "\n".join([*map(_cut, lines[:_HEAD]), *mark, *map(_cut, lines[_HEAD:][-_TAIL:])])


def _cut(line: str) -> str:
    return line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS].rsplit(None, 1)[0]} […]"
