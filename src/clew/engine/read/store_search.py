"""Search over all sessions of a user, or of all users, and over documents beside them.

Messages of sessions stand on one scale; what documents share of the query's words says how their results compare.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clew.domain import SessionInfo, SessionKey, UnitUse
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.one_scale import NearnessOf, OneScale
from clew.engine.read.search import SessionSearch, match_of
from clew.engine.read.search_result import Match, SearchResult
from clew.errors import UsageError
from clew.ports import Store
from clew.retrieval.document_index import JoinedDocuments
from clew.retrieval.documents import DocumentKind, FoundDocument, matches_filters
from clew.retrieval.feedback import describe, move_score
from clew.retrieval.words import query_words, words_of
from clew.text.dates import Span
from clew.text.secrets import mask
from clew.text.trim import cut_at_word, one_line

_OF_SESSIONS = (DocumentKind.SEGMENT, DocumentKind.MESSAGE, DocumentKind.BLOB)
_OF_DOCUMENTS = (DocumentKind.MODULE, DocumentKind.CHUNK)
#: Messages that are looked at for each result: several may stand in one segment, or say the same.
_LOOKED_AT = 5
_TEXT_CHARS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedStore:
    """What is searched: ``ledger`` and ``session`` give the ledger of a session, its words up to date, and its search;
    ``nearness`` is None where words alone count. ``documents`` are those beside sessions, and ``uses`` say how often
    replies used them, by id. ``now`` is what "yesterday" goes by.
    """

    store: Store
    infos: Sequence[SessionInfo]
    ledger: Callable[[SessionInfo], SessionLedger]
    session: Callable[[SessionInfo], SessionSearch]
    documents: JoinedDocuments
    nearness: NearnessOf | None = None
    uses: Callable[[], Mapping[str, UnitUse]] = dict
    now: float = 0.0


class StoreSearch:
    """One search. ``span`` are the times that messages have to be of."""

    def __init__(
        self, searched: SearchedStore, *, filters: Mapping[str, Any] | None = None, span: Span | None = None
    ) -> None:
        self._all, self._filters, self._span = searched, filters or {}, span
        self._infos = chosen_sessions(searched.infos, self._filters, since=span[0] if span else 0.0)
        self._by_key = {info.key: info for info in self._infos}
        self._opened: dict[SessionKey, SessionSearch] = {}

    def find(self, query: str, *, limit: int, kind: str | None = None) -> list[SearchResult]:
        """Returns what matches a query, best first: segments, modules and chunks, or what is of one kind."""
        if kind is not None and kind not in set(DocumentKind):
            raise UsageError(f"cannot search for {kind!r}; there are {', '.join(DocumentKind)}")
        results: list[SearchResult] = []
        with self._all.store.steady():
            if kind is None or kind in _OF_SESSIONS:
                results += self._in_sessions(query, limit, kind or DocumentKind.SEGMENT)
            if (kind is None or kind in _OF_DOCUMENTS) and self._span is None:
                results += self._in_documents(query, limit, _OF_DOCUMENTS if kind is None else (kind,))
        return _fold_alike(sorted(results, key=lambda result: -result.score))[:limit]

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────

    def _in_sessions(self, query: str, limit: int, kind: str) -> list[SearchResult]:
        if len(self._infos) == 1 and self._span is None:
            return self._all.session(self._infos[0]).results(query, limit=limit, kind=kind)
        scale = OneScale(
            self._all.store,
            {info.key: self._all.ledger(info) for info in self._infos},
            read=lambda key, number: self._session(key).text(number),
            uses=lambda key: self._session(key).uses,
            nearness=self._all.nearness,
            now=self._all.now,
            span=self._span,
        )
        matches: dict[SessionKey, list[Match]] = {}
        most = len(self._infos) * limit if kind == DocumentKind.BLOB else _LOOKED_AT * limit
        for hit in scale.rank(query)[:most]:
            matches.setdefault(hit.key, []).append(match_of(hit.ranked))
        return self._session_results(query, matches, limit=limit, kind=kind)

    def _session_results(
        self, query: str, matches: Mapping[SessionKey, Sequence[Match]], *, limit: int, kind: str
    ) -> list[SearchResult]:
        """Results of the sessions in the order of their best; no more sessions are read than results are wanted of."""
        results: list[SearchResult] = []
        for key, of_one in matches.items():
            better = sum(result.score >= of_one[0].score for result in results)
            if better < limit:
                results += self._session(key).results_of(query, of_one, limit=limit, kind=kind)
        return results

    def _session(self, key: SessionKey) -> SessionSearch:
        if key not in self._opened:
            self._opened[key] = self._all.session(self._by_key[key])
        return self._opened[key]

    # ── documents ────────────────────────────────────────────────────────────────────────────────────

    def _in_documents(self, query: str, limit: int, kinds: Collection[str]) -> list[SearchResult]:
        documents = self._all.documents.search(query, limit=limit, kinds=kinds, filters=self._filters)
        share = self._share(query, documents)
        uses = self._all.uses() if documents else {}
        return [_weigh_result(_result(document, uses.get(document.document.id)), share) for document in documents]

    def _share(self, query: str, documents: Sequence[FoundDocument]) -> float:
        """How much of the query's words the documents hold; all of it where one of them means the same."""
        if any(document.nearness is not None and document.nearness >= 1 for document in documents):
            return 1.0
        words = query_words(query)
        return len(self._all.documents.held_words(words)) / max(len(words), 1)


def chosen_sessions(
    infos: Sequence[SessionInfo], filters: Mapping[str, Any], *, since: float = 0.0
) -> list[SessionInfo]:
    """Returns the sessions that match filters and have grown since then. A folder is of a project that it lies in."""
    others = {name: wanted for name, wanted in filters.items() if name != "project"}
    projects = filters.get("project", "")
    named = [projects] if isinstance(projects, str) else list(projects)
    return [
        info
        for info in infos
        if info.updated >= since
        and matches_filters(_about(info), others)
        and any(info.is_of_project(str(project)) for project in named)
    ]


def _about(info: SessionInfo) -> dict[str, str]:
    return {"session": info.key.id, "client": info.client, "project": info.project, "cwd": info.cwd}


def _fold_alike(results: Sequence[SearchResult]) -> list[SearchResult]:
    """Results that show something of their own: of those that show the same words, the best, with the others' ids."""
    by_place: dict[tuple[str, frozenset[str]], SearchResult] = {}
    for result in results:
        shown = result.text.partition("] ")[2] if result.session else result.text
        place = result.kind, frozenset(words_of(shown))
        best = by_place.setdefault(place, result)
        if best is not result:
            by_place[place] = replace(
                best, alike=(*best.alike, f"{result.session}#{result.id}" if result.session else result.id)
            )
    return list(by_place.values())


def _weigh_result(result: SearchResult, share: float) -> SearchResult:
    return replace(result, score=round(result.score * share, 6))


def _result(match: FoundDocument, use: UnitUse | None) -> SearchResult:
    match = move_score(match, use)
    document = match.document
    return SearchResult(
        id=document.id,
        session="",
        score=match.score,
        messages=(),
        text=cut_at_word(mask(one_line(document.text)), _TEXT_CHARS),
        kind=document.kind,
        source=document.source or document.whole or document.id,
        why=match.why,
        feedback=describe(use),
    )
