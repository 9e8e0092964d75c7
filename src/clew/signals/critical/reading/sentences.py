"""The sentences of a person's prose, each with the words it needs to be understood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.critical.reading.prose import prose
from clew.text.sentences import thoughts

#: A sentence longer than this is an essay without stops; its beginning is judged.
MAX_CHARS = 2_000
#: Of a long message only so many sentences are judged.
_MAX_SENTENCES = 200
#: A line shorter than this ends a thought: nobody wraps there.
_WRAPPED_CHARS = 56
#: Less than any item of a list is indented.
_UNINDENTED = -1
#: What was left out of a person's words.
_GAP = "[…]"
#: Prose of more characters, or with more headings, is a document: a plan, a specification, a hand-over.
_DOCUMENT_CHARS, _DOCUMENT_HEADINGS = 2_500, 2

_MARK = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?\Z")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\Z")
_HEADINGS = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+\S", re.MULTILINE)
#: A request, and a ban or a rule that is only set behind it with a comma.
_REQUEST = re.compile(
    r"\W*(?:(?:also|and|ok|okay|so|then|please|hey|hi)\W+)*(?:can|could|would|will) (?:we|you|i)\b", re.IGNORECASE
)
_RULE_BEHIND = re.compile(
    r",\s+(?=(?:and |but |so |also )?(?:(?:i|we) )?(?:don['’]?t|do not|never|always)\s)", re.IGNORECASE
)
#: Words at the end that stand for something of one's own, said before.
_POINTS_BACK = re.compile(r"\b(?:our|my|your|its|their) own\W*\Z", re.IGNORECASE)
_NEEDS_MORE = re.compile(
    r"(?:(?:and|so|but|also|then)[, ]+)?(?:it|that|this|they|these|those|them|same|such|he|she)\b"
    r"(?!['’]|\s+(?:would be|project|repo|codebase|said|is (?:important|required|essential|crucial|mandatory)))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: where it stands, its words as written and on one line, and what stands around it.

    ``before`` is the sentence before it in its paragraph, ``lead`` the lines that announce the list it is an item of;
    the first item of a list follows them at once.
    """

    start: int
    raw: str
    text: str
    before: str = ""
    lead: str = ""
    is_item: bool = False
    is_first: bool = False

    def with_lead(self, text: str, *, marks_gap: bool) -> str:
        """Words of an item after what announces its list; a mark may stand for the items between them."""
        return f"{self.lead} {_GAP} {text}" if marks_gap and not self.is_first else f"{self.lead} {text}"

    @property
    def needs_more(self) -> bool:
        """True when it begins or ends with a word that points back."""
        return _NEEDS_MORE.match(self.text) is not None or _POINTS_BACK.search(self.text) is not None


@dataclass(frozen=True, slots=True)
class Prose:
    """A person's words: its sentences, and whether they are a document rather than something said."""

    sentences: tuple[Sentence, ...]
    is_document: bool


def read(text: str) -> Prose:
    own = prose(text)
    chars = len(own) - own.count(" ") - own.count("\n")
    is_document = chars > _DOCUMENT_CHARS or len(_HEADINGS.findall(own)) > _DOCUMENT_HEADINGS
    return Prose(tuple(_with_context(own)), is_document)


def _with_context(own: str) -> Iterator[Sentence]:
    leads: list[tuple[int, str]] = []  # how far each is indented, outermost first
    before, last_end, is_first = "", 0, False
    for start, end in _outer(list(_pieces(own))):
        text = " ".join(own[start : min(end, start + MAX_CHARS)].split())
        line = own[own.rfind("\n", 0, start) + 1 : start]
        is_item, is_heading = _MARK.match(line) is not None, _HEADING.match(line) is not None
        goes_on = "\n\n" not in own[last_end:start] and own[last_end:start].count("\n") < 3
        if not goes_on or is_item or is_heading:
            before = ""
        depth = len(line) - len(line.lstrip()) if is_item else _UNINDENTED
        leads = [lead for lead in leads if lead[0] < depth or (before and not is_item)]
        lead = " ".join(words for _, words in leads)
        yield Sentence(start, own[start:end], text, before, lead, is_item, is_first and is_item)
        is_first = is_heading or text.endswith(":")
        if is_first:
            announced = text if text.endswith((":", "?", "!", ".")) else f"{text}:"
            leads = [*(leads if is_item else ()), (depth, announced)]
        before, last_end = ("" if is_heading else text), end


def _outer(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of very many, the first and the last: people speak before and after what they paste."""
    half = _MAX_SENTENCES // 2
    return pieces if len(pieces) <= _MAX_SENTENCES else [*pieces[:half], *pieces[-half:]]


def _pieces(own: str) -> Iterator[tuple[int, int]]:
    """Thoughts, and what is only set behind a request by itself."""
    for start, end in thoughts(own, _ends_thought):
        rule = _RULE_BEHIND.search(own, start, end) if _REQUEST.match(own, start, end) else None
        if rule:
            yield start, rule.start()
        yield rule.end() if rule else start, end


def _ends_thought(own: str, stop: int, end: int) -> bool:
    line = stop - own.rfind("\n", 0, stop) - 1
    following = own[stop + 1 : min(end, stop + 40)].lstrip()
    return line < _WRAPPED_CHARS or not following or following[0].isupper()
