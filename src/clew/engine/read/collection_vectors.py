"""Vectors of the documents of a collection: one each, of its text after the headings that lead to it; or, where the
embedder can, of its place in the text around it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import groupby

from clew.cancellation import Cancel
from clew.domain import SessionKey
from clew.engine.read.text_vectors import BATCH, TextToEmbed, TextVectors
from clew.engine.services import Services
from clew.ports import Embedder, Span, SpanEmbedder, Store
from clew.retrieval.document_index import DocumentIndex, meaning_text
from clew.retrieval.document_order import CloseDocuments
from clew.retrieval.documents import Document
from clew.retrieval.vector_rows import VectorRows, measure_scale


def open_collection(store: Store, key: SessionKey, services: Services) -> DocumentIndex:
    """Returns an index of documents that is searched by words, and by meaning where there is an embedder."""
    return DocumentIndex(store, key, vectors=CollectionVectors(store, key, services))


class CollectionVectors(TextVectors):
    """Makes, keeps and compares the vectors of one collection."""

    def __init__(self, store: Store, key: SessionKey, services: Services) -> None:
        super().__init__(_Documents(DocumentIndex(store, key), key), VectorRows(store, key), services)

    def schedule(self) -> None:
        """Has missing vectors made in the background, if any are missing and there is an embedder."""
        embedder, last = self._embedder(), self._texts.last()
        if embedder and last and self._kept.reach() != {embedder.name: last}:
            super().schedule()

    def close_to(self, query: str) -> CloseDocuments | None:
        """Returns which documents are near a query; None without vectors, or when the embedder fails, which is told."""
        compared = self._compare_text(query)
        scale = self._kept.scale(compared[0]) if compared else None
        if compared and scale is None:  # another embedder may have taken over meanwhile
            compared = self._compare_text(query)
            scale = self._kept.scale(compared[0]) if compared else None
        return CloseDocuments(compared[1], scale) if compared and compared[1] and scale else None

    def make_missing(self, cancel: Cancel) -> bool:
        """Makes the vectors of the next few documents; before the first, measures what nearness means."""
        embedder = self._embedder()
        if embedder and not cancel.is_set and self._texts.last() and self._kept.scale(embedder.name) is None:
            self._kept.write_scale(embedder.name, measure_scale(embedder))
        return super().make_missing(cancel)


class _Documents:
    """What vectors of documents are made of, by their numbers."""

    may_grow = 0

    def __init__(self, index: DocumentIndex, key: SessionKey) -> None:
        self._index, self.key = index, key

    def last(self) -> int:
        return self._index.last()

    def read(self, first: int, until: int, *, embedder: Embedder) -> Mapping[int, TextToEmbed]:
        if isinstance(embedder, SpanEmbedder):
            return {number: text for number, text in self._spans(first, until) if first <= number <= until}
        texts = {
            number: meaning_text(document) for number, document in self._index.documents_by_number(first, until).items()
        }
        return {number: TextToEmbed(text, [text] if text.strip() else []) for number, text in texts.items()}

    def _spans(self, first: int, until: int) -> Iterator[tuple[int, TextToEmbed]]:
        """Documents with the text that they stand in: the parts of one whole whose numbers share a batch."""
        documents = self._index.documents_by_number(first // BATCH * BATCH, until // BATCH * BATCH + BATCH - 1)
        for _, group in groupby(
            documents.items(), key=lambda numbered: (numbered[1].whole or numbered[1].id, numbered[0] // BATCH)
        ):
            yield from _in_context(dict(group))

    def present(self, numbers: Collection[int]) -> Collection[int]:
        return self._index.documents_by_number(min(numbers), max(numbers)).keys() & set(numbers) if numbers else ()

    def for_other_thread(self) -> _Documents:
        return self


def _in_context(group: Mapping[int, Document]) -> Iterator[tuple[int, TextToEmbed]]:
    """Neighbouring documents as spans of one text, which begins with the name of the whole; one that has no text stands
    for its title.
    """
    within = next(iter(group.values())).title.partition("\n")[0]
    spans: dict[int, Span] = {}
    for number, document in group.items():
        start = len(within) + 1 if document.text.strip() else 0
        within = f"{within}\n{document.text}".strip()
        spans[number] = (start, len(within))
    for number, span in spans.items():
        yield number, TextToEmbed(f"{span[0]}-{span[1]} of {within}", within=within, span=span)
