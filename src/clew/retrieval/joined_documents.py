"""Several collections of documents that are searched as one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clew.retrieval.document_index import DocumentIndex
from clew.retrieval.documents import FoundDocument
from clew.retrieval.words import query_words


class JoinedDocuments:
    """Documents of several collections; of two with the same id, that of the collection which is named first.

    Each collection is ranked by its own statistics, so that none moves another's order; what it holds of the query's
    words says how its scores compare with those of the others.
    """

    def __init__(self, *collections: DocumentIndex) -> None:
        self._collections = collections

    def search(
        self, query: str, *, limit: int = 10, kinds: Collection[str] = (), filters: Mapping[str, Any] | None = None
    ) -> list[FoundDocument]:
        """Returns documents that match the query, best first, as ``DocumentIndex.search`` does."""
        each = [one.search(query, limit=limit, kinds=kinds, filters=filters) for one in self._collections]
        if len([found for found in each if found]) < 2:
            return next((found for found in each if found), [])
        words = query_words(query)
        together: dict[str, FoundDocument] = {}
        for collection, found in zip(self._collections, each, strict=True):
            share = 1.0 if any((one.nearness or 0) >= 1 for one in found) else _share(collection, words)
            for one in found:
                together.setdefault(one.document.id, replace(one, score=one.score * share))
        return sorted(together.values(), key=lambda one: -one.score)[:limit]

    def held_words(self, words: Sequence[str]) -> set[str]:
        """Returns those of the words that any document holds."""
        return {word for one in self._collections for word in one.held_words(words)}

    def make_vectors(self) -> None:
        """Has missing vectors made in the background, if there is an embedder."""
        for one in self._collections:
            one.make_vectors()


def _share(collection: DocumentIndex, words: Sequence[str]) -> float:
    return len(collection.held_words(words)) / max(len(words), 1)
