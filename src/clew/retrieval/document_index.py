"""An index of documents beside sessions, such as registered knowledge: one collection of a user, kept in the store.

Words stand in the store's word index under the collection's key, documents in rows: ``id/`` and an id lead to a number,
``doc/`` and a number to the document, ``size/`` and a number of thousand to the sizes of so many documents. All of it
is derived: whoever registers documents keeps them, and puts them in again when the index was lost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from heapq import nlargest
from typing import Any

import orjson

from clew.domain import SessionKey
from clew.ports import WORDS, Postings, Store
from clew.retrieval.bm25 import own_scores, scores_with_neighbours
from clew.retrieval.documents import Document, DocumentKind, FoundDocument, matches_filters
from clew.retrieval.projection import SHARED, SIZES, figures_in
from clew.retrieval.words import query_words, words_of

_ID, _DOC, _NEXT = "id/", "doc/", "next"
#: The share of a part's relevance that the parts beside it are given: what belongs together stands together.
_NEIGHBOURS = (0.3, 0.15)
#: Most documents that are scored: those with the rarest words of the query.
_CANDIDATES = 1_000
_MAX_CHARS, _MAX_WORDS = 40_000, 2_000


def collection_key(tenant: str, user: str, name: str) -> SessionKey:
    """The key of a collection. No session has such an id, for theirs are made safe."""
    return SessionKey(tenant, user, f"#{name}")


class DocumentIndex:
    """The documents of one collection. Statistics are of this collection alone."""

    def __init__(self, store: Store, key: SessionKey) -> None:
        self._store, self._key = store, key

    def put(self, documents: Iterable[Document]) -> None:
        """Adds documents, in place of those with the same ids. Parts of one whole are given in order: neighbours lift
        each other, and no others.
        """
        with self._store.transaction():
            rows: dict[str, Any] = {}
            words: dict[int, list[str] | None] = {}
            following, before = self._value(_NEXT) or 1, None
            for document in documents:
                number = rows.get(_ID + document.id) or self._value(_ID + document.id)
                if number is None:
                    following += 0 if document.whole and document.whole == before else len(_NEIGHBOURS)
                    number, following = following, following + 1
                before = document.whole
                rows[_ID + document.id] = number
                rows[_row(number)] = asdict(document)
                words[number] = words_of(f"{document.title}\n{document.text[:_MAX_CHARS]}")[:_MAX_WORDS]
            self._write(rows | {_NEXT: following}, words)

    def remove(self, ids: Collection[str]) -> None:
        """Removes documents; unknown ids are passed over."""
        with self._store.transaction():
            found = {id: number for id in ids if (number := self._value(_ID + id)) is not None}
            rows: dict[str, Any] = dict.fromkeys([*(_ID + id for id in found), *map(_row, found.values())])
            self._write(rows, dict.fromkeys(found.values()))

    def clear(self) -> None:
        """Removes everything from the collection."""
        self._store.clear_rows(self._key, WORDS)

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
        """Returns documents that match the query, best first; of these kinds, or of all, that pass the filters."""
        postings = self._store.find_words(self._key, query_words(query), _CANDIDATES)
        found: list[FoundDocument] = []
        for number, score in self._ranked(postings) if postings else ():
            document = self._document(number)
            if document is not None and _passes(document, kinds, filters):
                found.append(FoundDocument(document, score))
            if len(found) == limit:
                break
        return found

    def _ranked(self, postings: Sequence[Postings]) -> list[tuple[int, float]]:
        """Numbers and scores, best first; of equals the newest."""
        sizes = self._sizes()
        shares = {sign * step: share for step, share in enumerate(_NEIGHBOURS, 1) for sign in (-1, 1)}
        scores = scores_with_neighbours(own_scores(postings, sizes), sizes, shares=shares, need=lambda _: 1.0)
        best = nlargest(_CANDIDATES, ((score, number) for number, score in scores.items()))
        return [(number, score) for score, number in best]

    def held_words(self, words: Sequence[str]) -> set[str]:
        """Returns those of the words that any document holds."""
        return {one.word for one in self._store.find_words(self._key, words, 1)}

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


def _row(number: int) -> str:
    return f"{_DOC}{number:09d}"


def _read(raw: bytes) -> Document:
    value = orjson.loads(raw)
    return Document(**value | {"kind": DocumentKind(value["kind"])})


def _passes(document: Document, kinds: Collection[str], filters: Mapping[str, Any] | None) -> bool:
    return (not kinds or document.kind in kinds) and matches_filters(document.metadata, filters or {})
