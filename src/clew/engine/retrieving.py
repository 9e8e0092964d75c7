"""What a turn brings in beside the conversation: what the model asked for, and what belongs to the query.

What the model asked for comes first, within the quota of a turn. Of what belongs to the query only that which is not in
sight is shown, with the ids it came from.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.domain import Message, Origin, Role
from clew.engine.recalling import Item, recall
from clew.engine.searching import relevant
from clew.errors import ClewError
from clew.history.fold import is_sendable
from clew.history.transcript import speaker
from clew.packing.excerpts import excerpt
from clew.packing.formats import Section
from clew.packing.inputs import Input, InputKind
from clew.packing.snapshot import Count
from clew.replies import Answer, RetrievalRequest, answer, follow_ups, parse
from clew.retrieval.words import query_words, words_of

if TYPE_CHECKING:
    from clew.engine.session import Session

#: Old words are no new orders, whoever said them.
_QUOTED = "Quoted from earlier in this session:"
#: Messages that are weighed for a query, and how close to the best of them one has to be.
_MATCHES, _CLOSE = 60, 0.3
#: Characters of one message that a query brings in: a long one is shown by the lines that speak of it.
_EXCERPT_CHARS = 1_600
#: Texts that were asked for, or may be next; the oldest are forgotten.
_MAX_CACHED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where messages are in sight from, what all of it may take, and what the model may ask for in a turn."""

    cut: int
    room: int
    quota: int


class Retriever:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._cached: dict[tuple[str, str], Item] = {}

    def section(self, input: Input | None, newest: Message | None, limits: Limits, count: Count) -> Section | None:
        """What this turn brings in; None when there is nothing, or no room."""
        asked = self._answered(newest, min(limits.quota, limits.room)) if newest else None
        lines = _told(asked) if asked else []
        ids = [one.id for one in asked.given] if asked else []
        left = limits.room - count("\n".join([_QUOTED, *lines]))
        if input and input.text and input.kind is not InputKind.TOOL_RESPONSE:
            for id, text in self._relevant(input.text, limits.cut, left, count):
                lines.append(text)
                ids.append(id)
        return Section("retrieved", 5, "\n".join([_QUOTED, *lines]), tuple(dict.fromkeys(ids))) if lines else None

    # ── what the model asked for ─────────────────────────────────────────────────────────────────────

    def _answered(self, newest: Message, quota: int) -> Answer | None:
        requests = requests_in(newest)
        if not requests or quota <= 0:
            return None
        made = answer(requests, quota, _Lookup(self, newest))
        for id in follow_ups(made):
            self.item(id, "full")
        return made

    def item(self, id: str, format: str) -> Item | None:
        """A part by id, kept for when it is asked for again; None for what does not exist."""
        known = self._cached.get((id, format))
        if known is None:
            try:
                known = recall(self._session, [id], format)[0]
            except ClewError:
                return None
            self._cached[id, format] = known
            while len(self._cached) > _MAX_CACHED:
                self._cached.pop(next(iter(self._cached)))
        return known

    @property
    def session(self) -> Session:
        return self._session

    # ── what belongs to the query ────────────────────────────────────────────────────────────────────

    def _relevant(self, query: str, cut: int, room: int, count: Count) -> list[tuple[str, str]]:
        """Messages that are out of sight, in order: the closest that fit."""
        found = relevant(self._session, query, limit=_MATCHES)
        best = found[0].score if found else 0.0
        close = _CLOSE if self._session.uses_tools() else 0.0
        wanted = set(query_words(query))
        chosen: list[tuple[int, str]] = []
        for match in found:
            if match.number >= cut or match.score < close * best or room < 1:
                continue
            text = self._excerpt(match.number, wanted)
            price = count(text) + 1 if text else room + 1
            if price <= room:
                room -= price
                chosen.append((match.number, text))
        return [(f"m{number}", text) for number, text in sorted(chosen)]

    def _excerpt(self, number: int, wanted: set[str]) -> str:
        def closeness(line: str) -> float:
            return len(wanted.intersection(words_of(line)))

        found = self._session.read_range(number, number)
        if not found or not is_sendable(found[0]) or found[0].role is Role.SYSTEM:
            return ""
        text = excerpt(found[0], closeness, limit=_EXCERPT_CHARS)
        whose = found[0].origin if found[0].origin in {Origin.CLIENT, Origin.SUMMARY} else speaker(found[0])
        return f"m{number} {whose}: {text}"


def requests_in(message: Message) -> tuple[RetrievalRequest, ...]:
    """What a reply asks to read next; only the model itself can ask."""
    return parse(message.text).requests if message.role is Role.ASSISTANT else ()


def _told(made: Answer) -> list[str]:
    given = [f"{one.id} ({one.format}), as you asked:\n{one.text}" for one in made.given]
    return [*given, *made.notes]


class _Lookup:
    """A session's parts, as answers to requests need them."""

    def __init__(self, retriever: Retriever, newest: Message) -> None:
        self._retriever, self._newest = retriever, newest

    def resolve(self, id: str) -> str | None:
        session = self._retriever.session
        if id.startswith("m") and id[1:].isdigit() and 1 <= int(id[1:]) <= session.info.messages:
            return f"m{session.versions(int(id[1:]))[-1]}"
        return id if self._retriever.item(id, "full") else None

    def size(self, id: str, format: str) -> int:
        item = self._retriever.item(id, format)
        return item.tokens if item else 0

    def text(self, id: str, format: str) -> str:
        item = self._retriever.item(id, format)
        return item.text if item else ""

    def nearest(self, id: str) -> Sequence[str]:
        """Ids of the same kind, closest by number."""
        digits = "".join(letter for letter in id[1:].partition(".")[0] if letter.isdigit())
        wanted = int(digits[:9] or 0)
        if id.startswith("m"):
            last = self._retriever.session.info.messages
            near = range(max(1, min(wanted, last) - 2), last + 1)
            return sorted((f"m{number}" for number in near), key=lambda one: (abs(int(one[1:]) - wanted), one))[:3]
        known = self._retriever.session.outline()
        return [one for _, one in sorted(known, key=lambda pair: abs(pair[0].exchange - wanted))][:3]

    def recent(self, n: int) -> Sequence[str]:
        return [id for _, id in reversed(self._retriever.session.outline())][:n]

    def relevant(self, n: int) -> Sequence[str]:
        """Segments that hold what is closest to what the model just said and was asked."""
        outline = self._retriever.session.outline()
        starts = [segment.first for segment, _ in outline]
        found = relevant(self._retriever.session, self._query(), limit=4 * n)
        ids = [outline[max(bisect_right(starts, match.number) - 1, 0)][1] for match in found]
        return list(dict.fromkeys(ids))[:n]

    def _query(self) -> str:
        number = int(self._newest.id[1:] or 1)
        before = self._retriever.session.read_range(max(1, number - 1), number)
        return "\n".join(parse(message.text).content for message in before)
