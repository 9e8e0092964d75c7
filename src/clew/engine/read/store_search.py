"""Search over all sessions of a user and over documents beside them: first which of them hold the query's words, then
what in the best of those matches.

Each is ranked by its own figures; what they share of the query's words says how their results compare.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any

from clew.domain import SessionInfo, UnitUse
from clew.engine.read.search import SessionSearch
from clew.engine.read.search_result import SearchResult
from clew.errors import UsageError
from clew.ports import Store
from clew.retrieval.document_index import DocumentIndex
from clew.retrieval.documents import DocumentKind, FoundDocument, matches_filters
from clew.retrieval.feedback import describe, document_by_use
from clew.retrieval.words import query_words, words_of
from clew.text.secrets import mask
from clew.text.trim import cut_at_word, one_line

_OF_SESSIONS = (DocumentKind.SEGMENT, DocumentKind.MESSAGE, DocumentKind.BLOB)
_OF_DOCUMENTS = (DocumentKind.MODULE, DocumentKind.CHUNK)
#: Sessions that are searched: those that hold most of the query.
_SEARCHED = 12
_TEXT_CHARS = 400


@dataclass(frozen=True, slots=True)
class StoreSearch:
    """``session`` gives the search of one session, up to date; ``documents`` are those beside sessions, and ``uses``
    say how often replies used them, by id.
    """

    store: Store
    infos: Sequence[SessionInfo]
    session: Callable[[SessionInfo], SessionSearch]
    documents: DocumentIndex
    uses: Callable[[], Mapping[str, UnitUse]] = dict

    def find(
        self, query: str, *, limit: int, kind: str | None = None, filters: Mapping[str, Any] | None = None
    ) -> list[SearchResult]:
        """Returns what matches a query, best first: segments, modules and chunks, or what is of one kind."""
        if kind is not None and kind not in set(DocumentKind):
            raise UsageError(f"cannot search for {kind!r}; there are {', '.join(DocumentKind)}")
        filters = filters or {}
        found: list[SearchResult] = []
        if kind is None or kind in _OF_SESSIONS:
            for share, info in self._promising(query, filters):
                results = self.session(info).results(query, limit=limit, kind=kind or DocumentKind.SEGMENT)
                found += [_weighed(one, share) for one in results]
        if kind is None or kind in _OF_DOCUMENTS:
            kinds: Collection[str] = _OF_DOCUMENTS if kind is None else (kind,)
            documents = self.documents.search(query, limit=limit, kinds=kinds, filters=filters)
            share = self._share(query, documents)
            uses = self.uses() if documents else {}
            found += [_weighed(_result(one, uses.get(one.document.id)), share) for one in documents]
        return _folded(sorted(found, key=lambda one: -one.score))[:limit]

    def _promising(self, query: str, filters: Mapping[str, Any]) -> Iterator[tuple[float, SessionInfo]]:
        """The sessions that hold most of the query, rare words counting for more, each with its share of the best."""
        chosen = [info for info in self.infos if matches_filters(_about(info), filters)]
        if len(chosen) == 1:
            yield 1.0, chosen[0]
            return
        words = query_words(query)
        held = {at: self._held(info, words) for at, info in enumerate(chosen)}
        worth = {word: log(1 + len(chosen) / (1 + sum(word in one for one in held.values()))) for word in words}
        scores = {at: sum(worth[word] for word in one) for at, one in held.items() if one}
        most = max(scores.values(), default=1.0)
        for at in sorted(scores, key=lambda at: (-scores[at], at))[:_SEARCHED]:
            yield scores[at] / most, chosen[at]

    def _held(self, info: SessionInfo, words: Sequence[str]) -> set[str]:
        return {one.word for one in self.store.find_words(info.key, words, 1)}

    def _share(self, query: str, found: Sequence[FoundDocument]) -> float:
        """How much of the query's words the documents hold; all of it where one of them means the same."""
        if any(one.nearness is not None and one.nearness >= 1 for one in found):
            return 1.0
        words = query_words(query)
        return len(self.documents.held_words(words)) / max(len(words), 1)


def _about(info: SessionInfo) -> dict[str, str]:
    return {"session": info.key.id, "client": info.client, "project": info.project, "cwd": info.cwd}


def _folded(results: Sequence[SearchResult]) -> list[SearchResult]:
    """Results that show something of their own: of those that show the same words, the best, with the others' ids."""
    found: dict[tuple[str, frozenset[str]], SearchResult] = {}
    for one in results:
        shown = one.text.partition("] ")[2] if one.session else one.text
        place = one.kind, frozenset(words_of(shown))
        best = found.setdefault(place, one)
        if best is not one:
            found[place] = replace(best, alike=(*best.alike, f"{one.session}#{one.id}" if one.session else one.id))
    return list(found.values())


def _weighed(result: SearchResult, share: float) -> SearchResult:
    return replace(result, score=round(result.score * share, 6))


def _result(found: FoundDocument, use: UnitUse | None) -> SearchResult:
    found = document_by_use(found, use)
    document = found.document
    return SearchResult(
        id=document.id,
        session="",
        score=found.score,
        messages=(),
        text=cut_at_word(mask(one_line(document.text)), _TEXT_CHARS),
        kind=document.kind,
        source=document.source or document.whole or document.id,
        why=found.why,
        feedback=describe(use),
    )
