"""A rule file read as text: what is said in it, where, and under which heading and which line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.learned.rule_files import Placed
from clew.text.sentences import thoughts

#: Of a file only so much is read; a rule book longer than this is not what anybody keeps in mind.
MAX_CHARS = 200_000
#: A sentence longer than this has no end; its beginning is judged.
_SENTENCE_CHARS = 1_000
#: A line shorter than this ends a thought if the next one begins with a capital: nobody wraps there.
_WRAPPED_CHARS = 56
#: No mark of an item or a heading is longer than this, with what it is indented by.
_MARK_CHARS = 60
_MARK = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?\Z")
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+\Z")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,400})\*\*")
_NEEDS_MORE = re.compile(
    r"(?:(?:and|so|but|also|then)[, ]+)?(?:it|that|this|they|these|those|them|same|such)\b(?!['’])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStatement:
    """One sentence of a rule file: where it stands, its words without marks, and what stands above it.

    ``headings`` are those it stands under, the nearest last, without the title of the file; ``lead`` is the line that
    announces its list, ``before`` the sentence before it in its paragraph.
    """

    span: tuple[int, int]
    text: str
    headings: tuple[str, ...] = ()
    lead: str = ""
    before: str = ""
    is_item: bool = False

    @property
    def placement(self) -> Placed:
        """What a model reads of it."""
        return Placed(self.text, "".join(self.headings[-1:]), self.lead, self.is_item)

    @property
    def announces(self) -> bool:
        """True for the line above a list."""
        return self.text.endswith((":", "："))

    @property
    def needs_more(self) -> bool:
        """True when it begins with a word that points back."""
        return _NEEDS_MORE.match(self.text) is not None


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside of code and comments; ``start`` is where its line begins, ``end`` where it ends."""

    start: int
    end: int
    level: int
    words: str


def headings(plain: str) -> Iterator[Heading]:
    """The headings of what ``mask_unsaid`` left."""
    for match in re.finditer(r"^[ \t]{0,3}(#{1,6})[ \t]+(\S[^\n]*)$", plain, re.MULTILINE):
        yield Heading(match.start(), match.end(), len(match[1]), match[2].strip().rstrip("#").strip())


def statements(plain: str) -> Iterator[FileStatement]:
    """The sentences of what ``mask_unsaid`` left, in order; headings are told with what stands under them."""
    path: list[tuple[int, str]] = []
    lead, before, last_end = "", "", 0
    title_level = _title_level(plain)
    for start, end in thoughts(plain, _ends_thought):
        text = _plain_words(" ".join(plain[start : min(end, start + _SENTENCE_CHARS)].split()))
        line = _text_before(plain, start)
        if heading := _HEADING.match(line):
            path = [*(outer for outer in path if outer[0] < len(heading[1])), (len(heading[1]), text)]
            lead = before = ""
            continue
        is_item = _MARK.match(line) is not None
        if is_item or _BLANK_LINE.search(plain, last_end, start):
            before = ""
        if not is_item and not (before and lead):
            lead = ""
        statement = FileStatement(
            span=(start, end),
            text=text,
            headings=tuple(words for level, words in path if level > title_level),
            lead=lead,
            before=before,
            is_item=is_item or bool(lead),
        )
        yield statement
        if not is_item and statement.announces:
            lead = text
        before, last_end = text, end


def _title_level(plain: str) -> int:
    """The level of the heading that is the name of all the file; 0 if there is none."""
    return int([heading.level for heading in headings(plain)].count(1) == 1)


def _plain_words(text: str) -> str:
    """The text without the marks of bold print, which are no words."""
    return _BOLD.sub(r"\1", text).strip().removeprefix("**").removesuffix("**").lstrip(": ")


def _text_before(plain: str, start: int) -> str:
    """What stands before a sentence on its line, if it is short enough to be a mark."""
    first = max(start - _MARK_CHARS, 0)
    stop = plain.rfind("\n", first, start)
    return plain[stop + 1 : start] if stop >= 0 or not first else "…"


def _ends_thought(plain: str, stop: int, end: int) -> bool:
    line = plain[plain.rfind("\n", 0, stop) + 1 : stop]
    following = plain[stop + 1 : min(end, stop + 40)].lstrip(' \t*_`"')
    is_short = len(line) < _WRAPPED_CHARS and (not following or following[0].isupper())
    return is_short or line.rstrip("* ").endswith(":")
