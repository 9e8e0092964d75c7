"""An index of documents beside sessions, such as registered knowledge: one collection of a user, kept in the store.

Words stand in the store's word index under the collection's key, documents in rows: ``id/`` and an id lead to a number,
``doc/`` and a number to the document, ``size/`` and a number of thousand to the sizes of so many documents. A number is
given once, so that vectors made of a document are never taken for those of another. All of it is derived: whoever
registers documents keeps them, and puts them in again when the index was lost.

Several collections of documents that are searched as one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Protocol

import orjson

from clew.domain import SessionKey
from clew.ports import WORDS, Store
from clew.retrieval.document_order import NEIGHBOURS, CloseDocuments, order_documents
from clew.retrieval.documents import Document, DocumentKind, FoundDocument, matches_filters
from clew.retrieval.projection import SHARED, SIZES, figures_in
from clew.retrieval.vector_rows import RowsByContent, VectorRows
from clew.retrieval.vectors import content_digest
from clew.retrieval.words import query_words, words_of

_ID, _DOC, _NEXT = "id/", "doc/", "next"
#: Most documents that are scored: those with the rarest words of the query.
_CANDIDATES = 1_000
_MAX_CHARS, _MAX_WORDS = 40_000, 2_000


class DocumentVectors(Protocol):
    """Vectors of the documents of a collection."""

    def schedule(self) -> None:
        """Has missing vectors made in the background."""

    def close_to(self, query: str) -> CloseDocuments | None:
        """Returns which documents are near a query; None without vectors, or when the embedder fails."""


def collection_key(tenant: str, user: str, name: str) -> SessionKey:
    """The key of a collection. No session has such an id, for theirs are made safe."""
    return SessionKey(tenant, user, f"#{name}")


class DocumentIndex:
    """The documents of one collection. Statistics are of this collection alone.

    Without ``vectors`` it is searched by words.
    """

    def __init__(self, store: Store, key: SessionKey, *, vectors: DocumentVectors | None = None) -> None:
        self._store, self._key, self._vectors = store, key, vectors
        self._kept = VectorRows(store, key)

    def put(self, documents: Iterable[Document], *, instead_of: Collection[str] = ()) -> None:
        """Adds documents, in place of those with the same ids and of those that are named. Parts of one whole are given
        together and in order: neighbours lift each other, and no others. What has a vector keeps it while it is put in
        again with the same words.
        """
        new = {document.id: document for document in documents}
        with self._store.transaction():
            self._add(new.values(), self._remove({*new, *instead_of}))

    def put_all(self, documents: Iterable[Document]) -> None:
        """Puts documents in place of all that is there, as ``put`` does."""
        with self._store.transaction():
            self._add(list(documents), self._clear())

    def _add(self, documents: Iterable[Document], kept: RowsByContent) -> None:
        numbered = self._number_documents(documents)
        rows: dict[str, Any] = {_ID + document.id: number for number, document in numbered.items()}
        rows |= {_row(number): asdict(document) for number, document in numbered.items()}
        words = {number: _words(document) for number, document in numbered.items()}
        self._write(rows | {_NEXT: max(numbered, default=self.last()) + 1}, words)
        self._kept.put_back(
            kept, {number: content_digest(meaning_text(document)) for number, document in numbered.items()}
        )

    def _number_documents(self, documents: Iterable[Document]) -> dict[int, Document]:
        found: dict[int, Document] = {}
        last, before = self.last(), ""
        for document in documents:
            last += 1 if document.whole and document.whole == before else 1 + len(NEIGHBOURS)
            found[last], before = document, document.whole
        return found

    def remove(self, ids: Collection[str]) -> None:
        """Removes documents, and their vectors; unknown ids are passed over."""
        with self._store.transaction():
            self._remove(ids)

    def _remove(self, ids: Collection[str]) -> RowsByContent:
        """Removes documents. Returns their vectors by content."""
        found = {id: number for id in sorted(ids) if (number := self._value(_ID + id)) is not None}
        rows: dict[str, Any] = dict.fromkeys([*(_ID + id for id in found), *map(_row, found.values())])
        self._write(rows, dict.fromkeys(found.values()))
        return self._kept.take(found.values())

    def clear(self) -> None:
        """Removes everything from the collection."""
        with self._store.transaction():
            self._clear()

    def _clear(self) -> RowsByContent:
        """Removes everything, but no number is given again. Returns the vectors by content."""
        last = max(self.last(), *self._kept.reach().values(), 0)
        self._store.clear_rows(self._key, WORDS)
        self._write({_NEXT: last + 1}, {})
        return self._kept.take()

    def make_vectors(self) -> None:
        """Has missing vectors made in the background, if there is an embedder."""
        if self._vectors:
            self._vectors.schedule()

    def get(self, id: str) -> Document | None:
        """Returns a document by its id; None where there is none."""
        number = self._value(_ID + id)
        return None if number is None else self._document(number)

    def documents(self, *, kinds: Collection[str] = (), filters: Mapping[str, Any] | None = None) -> list[Document]:
        """Returns documents of these kinds, or of all, that pass the filters, in the order they were first put in."""
        rows = self._store.rows(self._key, WORDS, start=_DOC, stop=_DOC + "~")
        return [one for _, raw in rows if _passes(one := _read(raw), kinds, filters)]

    def search(
        self, query: str, *, limit: int = 10, kinds: Collection[str] = (), filters: Mapping[str, Any] | None = None
    ) -> list[FoundDocument]:
        """Returns documents that match the query by words, and by meaning where there are vectors, best first; of these
        kinds, or of all, that pass the filters.
        """
        self.make_vectors()
        words = query_words(query)
        postings = self._store.find_words(self._key, words, _CANDIDATES)
        close = self._vectors.close_to(query) if self._vectors and words else None
        documents: list[FoundDocument] = []
        for one in order_documents(words, postings, self._sizes(), close=close) if postings or close else ():
            document = self._document(one.number)
            if document is not None and _passes(document, kinds, filters):
                documents.append(FoundDocument(document, one.score, one.why, one.nearness))
            if len(documents) == limit:
                break
        return documents

    def documents_by_number(self, first: int, until: int) -> dict[int, Document]:
        """Returns documents by their numbers, from one to another."""
        rows = self._store.rows(self._key, WORDS, start=_row(first), stop=_row(until + 1))
        return {int(name.removeprefix(_DOC)): _read(raw) for name, raw in rows}

    def last(self) -> int:
        """Returns the highest number that a document was given; 0 without any."""
        return int(self._value(_NEXT) or 1) - 1

    def held_words(self, words: Sequence[str]) -> set[str]:
        """Returns those of the words that any document holds."""
        return {word.word for word in self._store.find_words(self._key, words, 1)}

    def _document(self, number: int) -> Document | None:
        raw = self._store.row(self._key, WORDS, _row(number))
        return _read(raw) if raw else None

    def _value(self, name: str) -> Any:
        raw = self._store.row(self._key, WORDS, name)
        return orjson.loads(raw) if raw else None

    def _sizes(self) -> list[int]:
        rows = self._store.rows(self._key, WORDS, start=SIZES, stop=SIZES + "~")
        return figures_in((name, orjson.loads(raw)) for name, raw in rows)

    def _write(self, rows: Mapping[str, Any], words: Mapping[int, Collection[str] | None]) -> None:
        written = dict(rows)
        for number, held in words.items():
            name, at = f"{SIZES}{number // SHARED:06d}", number % SHARED
            sizes = written.setdefault(name, self._value(name) or [])
            sizes += [0] * (at + 1 - len(sizes))
            sizes[at] = len(held or ())
        encoded = {name: None if value is None else orjson.dumps(value) for name, value in written.items()}
        self._store.put_rows(self._key, WORDS, encoded)
        self._store.put_words(self._key, words)


def meaning_text(document: Document) -> str:
    """What a document's vector is made of: its text after the headings that lead to it."""
    title = " › ".join(document.title.split("\n"))
    return f"{title}: {document.text}" if title else document.text


def _words(document: Document) -> list[str]:
    return words_of(f"{document.title}\n{document.text[:_MAX_CHARS]}")[:_MAX_WORDS]


def _row(number: int) -> str:
    return f"{_DOC}{number:09d}"


def _read(raw: bytes) -> Document:
    value = orjson.loads(raw)
    return Document(**value | {"kind": DocumentKind(value["kind"])})


def _passes(document: Document, kinds: Collection[str], filters: Mapping[str, Any] | None) -> bool:
    return (not kinds or document.kind in kinds) and matches_filters(document.metadata, filters or {})


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
        each = [collection.search(query, limit=limit, kinds=kinds, filters=filters) for collection in self._collections]
        if len([found for found in each if found]) < 2:
            return next((found for found in each if found), [])
        words = query_words(query)
        together: dict[str, FoundDocument] = {}
        for collection, found in zip(self._collections, each, strict=True):
            share = 1.0 if any((one.nearness or 0) >= 1 for one in found) else _share(collection, words)
            for one in found:
                together.setdefault(one.document.id, replace(one, score=one.score * share))
        return sorted(together.values(), key=lambda document: -document.score)[:limit]

    def held_words(self, words: Sequence[str]) -> set[str]:
        """Returns those of the words that any document holds."""
        return {word for collection in self._collections for word in collection.held_words(words)}

    def make_vectors(self) -> None:
        """Has missing vectors made in the background, if there is an embedder."""
        for collection in self._collections:
            collection.make_vectors()


def _share(collection: DocumentIndex, words: Sequence[str]) -> float:
    return len(collection.held_words(words)) / max(len(words), 1)
