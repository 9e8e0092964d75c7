"""What a query asks for: words, names, times, whether the asker is meant, what "it" stands for, intent, complexity.

Times are such as "yesterday", "last Tuesday", "8 May 2023", "in March", "two weeks ago". All in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from clew.retrieval.words import content_words, query_words, words_of
from clew.text.complexity import Complexity, complexity
from clew.text.dates import Span, time_span
from clew.text.names import names_in, paths_in

#: Longer queries are read this far; the first and the last words are asked by in any case.
_MAX_CHARS = 20_000
_NAME = re.compile(r"\b[A-Z][a-z]+\b")
_ASKER = re.compile(r"\b(?:I|I'm|I've|I'd|my|me|mine)\b")
_EVENT = re.compile(r"\b(before|after|since|until) (?!i\b|we\b|you\b|now\b|that\b)((?:the |our |my )?[\w .'-]{3,60})")
_POINTING = re.compile(r"\b(?:it|this|that|they|them|those|these)\b", re.IGNORECASE)
_FILE = re.compile(r"\b(?:that|this|the|same) (?:file|module|script|test file)\b", re.IGNORECASE)
_ERROR = re.compile(
    r"\b(?:that|this|the) ?(first|second|third|fourth|fifth|last)? (?:error|failure|exception)\b", re.IGNORECASE
)
_ERROR_LINE = re.compile(r"^.*\b(?:\w*Error|\w*Exception|error|FAILED|panic)\b.*$", re.MULTILINE)
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
#: A query with more words of its own needs nothing from elsewhere for its "it".
_FEW_WORDS = 3
_BORROWED = 4


class Intent(StrEnum):
    """What kind of answer a query asks for."""

    FIND = "find"
    WHERE = "where"
    WHY = "why"
    WHEN = "when"
    COUNT = "count"
    LIST = "list"


#: The first that a query words decides.
_INTENTS = (
    (Intent.COUNT, re.compile(r"\bhow (?:many|often|much)\b|\bnumber of\b|^count\b", re.IGNORECASE)),
    (
        Intent.LIST,
        re.compile(
            r"^(?:list|name|show|give)\b.*\b(?:all|every|each)\b|\ball (?:the|of|our|my)\b"
            r"|^list\b|\b(?:which|what) (?:\w+ )?\w+s (?:are|were|did|do|have)\b",
            re.IGNORECASE,
        ),
    ),
    (Intent.WHY, re.compile(r"\bwhy\b|\breasons?\b|\bhow come\b|\bwhat caused\b", re.IGNORECASE)),
    (Intent.WHEN, re.compile(r"\bwhen\b|\bwhat (?:time|day|date)\b|\bsince when\b", re.IGNORECASE)),
    (Intent.WHERE, re.compile(r"\bwhere\b|\b(?:which|what) (?:file|module|folder|path|line)\b", re.IGNORECASE)),
)
#: Most concepts that are told.
_MAX_CONCEPTS = 12


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was read. ``meaning`` is what is compared by meaning; ``event`` is what its time is told by."""

    text: str
    meaning: str
    words: tuple[str, ...]
    names: tuple[str, ...] = ()
    asker: bool = False
    span: Span | None = None
    event: str = ""
    relation: Literal["", "before", "after"] = ""
    resolved: tuple[str, ...] = ()

    @property
    def intent(self) -> Intent:
        """What kind of answer it asks for; to find something, where it words nothing else."""
        return next((intent for intent, pattern in _INTENTS if pattern.search(self.text[:_MAX_CHARS])), Intent.FIND)

    @property
    def complexity(self) -> Complexity:
        """How much it asks for. A high one gives knowledge a larger share of a pack."""
        return complexity(self.text)

    @property
    def concepts(self) -> tuple[str, ...]:
        """What it is about, in its own words: code names and paths, then the words that say something."""
        found = [*paths_in(self.text), *names_in(self.text), *content_words(self.text)]
        return tuple({one.casefold(): one for one in reversed(found)}.values())[::-1][:_MAX_CONCEPTS]

    def without_names(self, names: Sequence[str]) -> Query:
        """The query without the names of people: they say who speaks, and not of what."""
        if not names:
            return self
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})(?:['’]s)?\b")
        meaning = re.sub(r"\s+", " ", pattern.sub("", self.meaning)).strip()
        gone = {word for name in names for word in words_of(name)}
        words = tuple(word for word in self.words if word not in gone)
        return replace(self, meaning=meaning or self.meaning, words=words or self.words)


def read_query(text: str, *, now: float = 0.0, recent: Sequence[str] = ()) -> Query:
    """Reads a query. ``recent`` are the newest texts of the session, newest last, for what "it" stands for."""
    text = text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS // 2]}\n{text[-_MAX_CHARS // 2 :]}"
    names = dict.fromkeys(match[0] for match in _NAME.finditer(text) if match.start())
    resolved = resolve_references(text, recent)
    event = _EVENT.search(text)
    span = time_span(text, now) if now else None
    return Query(
        text=text,
        meaning=" ".join([text, *resolved]),
        words=tuple(dict.fromkeys([*query_words(text), *(word for one in resolved for word in query_words(one))])),
        names=tuple(names),
        asker=bool(_ASKER.search(text)),
        span=span,
        event=event[2].strip() if event and span is None else "",
        relation="" if event is None else "before" if event[1] in ("before", "until") else "after",
        resolved=resolved,
    )


def resolve_references(text: str, recent: Sequence[str]) -> tuple[str, ...]:
    """What "that file", "the second error" and "it" stand for: what was last spoken of."""
    if not recent:
        return ()
    if _FILE.search(text):
        return tuple(_last(paths_in(one) for one in recent))[-1:]
    if match := _ERROR.search(text):
        lines = [line.strip()[:200] for one in recent for line in _ERROR_LINE.findall(one)]
        at = _ORDINALS.get((match[1] or "last").lower(), -1)
        return (lines[at],) if -len(lines) <= at < len(lines) else ()
    if _POINTING.search(text) and len(query_words(text)) <= _FEW_WORDS:
        return tuple(_last([*paths_in(one), *names_in(one)] for one in recent))[:_BORROWED]
    return ()


def _last(found: Iterable[list[str]]) -> list[str]:
    """What the newest text that names anything names."""
    named = [one for one in found if one]
    return named[-1] if named else []
