"""What a search gives back: a match as it is shown to people, with what is needed to understand it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clew.domain import Message, UnitUse
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.neighbours import Neighbours
from clew.engine.read.reader import SessionReader
from clew.history.message_text import speaker, transcript_text
from clew.retrieval.feedback import describe
from clew.retrieval.projection import indexed_text
from clew.retrieval.words import matching_lines
from clew.text.secrets import mask
from clew.text.trim import cut_at_word, one_line

#: How much of a message a result shows, and of the one before it.
_TEXT_CHARS, _CONTEXT_CHARS = 400, 200
#: What is read of a message to show its beginning; it may begin with many blanks, or with a long secret.
_READ_CHARS = 20_000
#: Longer messages are masked only in what is shown of them.
_MASKED_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class Match:
    """A message that matches a query; ``why`` has the parts of its score, ``alike`` the ids of those that say the
    same. Scores compare within one search only.
    """

    number: int
    id: str
    score: float
    why: Mapping[str, float] = field(default_factory=dict, compare=False)
    alike: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What matches a query: how well, the messages that match, best first, and how the best one begins, secrets masked.
    Scores compare within one search only; ``why`` has the parts of the score, ``source`` says where it comes from, and
    ``feedback`` how often replies used it. ``user`` is who was named for the session; empty for nobody.

    ``context`` is how the message before begins, where the best one cannot be understood without it ("yes, the second
    one"); ``alike`` has the ids of others that say the same.
    """

    id: str
    session: str
    score: float
    messages: tuple[str, ...]
    text: str
    kind: str = "segment"
    source: str = ""
    context: str = ""
    alike: tuple[str, ...] = ()
    why: Mapping[str, float] = field(default_factory=dict, compare=False)
    feedback: str = field(default="", compare=False)
    user: str = ""


class ResultReader:
    """Reads what results show of one session. ``uses`` say how often replies used messages, by id."""

    def __init__(self, ledger: SessionLedger, reader: SessionReader, uses: Mapping[str, UnitUse]) -> None:
        self._ledger, self._reader, self._uses = ledger, reader, uses

    def result(
        self, id: str, matches: Sequence[Match], *, query: str, kind: str = "segment", alike: Sequence[str] = ()
    ) -> SearchResult:
        """Returns what is found under an id: ``matches`` are its messages, best first. Of a long message the lines are
        shown that the query is about.
        """
        best = matches[0]
        message = next(iter(self._reader.read_range(best.number, best.number, shared=True)), None)
        before = Neighbours(self._ledger, self._reader).needed_before(message) if message else None
        return SearchResult(
            id=id,
            session=self._ledger.id,
            score=best.score,
            messages=tuple(match.id for match in matches),
            text=_result_text(message, _TEXT_CHARS, query),
            kind=kind,
            source=f"{self._ledger.id}#{best.id}",
            context=_result_text(before, _CONTEXT_CHARS),
            alike=tuple(alike),
            why=best.why,
            feedback=describe(self._uses.get(best.id)),
            user=self._ledger.info.owner,
        )


def _result_text(message: Message | None, chars: int, query: str = "") -> str:
    if message is None:
        return ""
    text = indexed_text(message) if query else ""
    text = mask(text) if len(text) <= _MASKED_CHARS else text  # what is left of a secret when it is cut has no form
    lines = matching_lines(text, query, chars=chars) if len(text) > chars else ""
    if lines:
        return f"[{message.id} {speaker(message)}] {mask(lines)}"
    return cut_at_word(mask(one_line(transcript_text([message])[:_READ_CHARS])), chars)
