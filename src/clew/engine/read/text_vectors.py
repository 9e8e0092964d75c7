"""Vectors of numbered texts, messages of a session or documents of a collection: made in the background, a batch at a
time, and kept under the embedder's name.

Nothing waits for them, and search goes by words until they are there. When the embedder changes, the vectors of the
one before serve on until all are made anew; then they go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Protocol

from clew.cancellation import Cancel
from clew.domain import SessionKey
from clew.engine.services import Services
from clew.errors import ModelError
from clew.ports import Embedder, Span, SpanEmbedder
from clew.retrieval.fusion import Nearness
from clew.retrieval.vector_rows import VectorRows
from clew.retrieval.vectors import DIGEST_BYTES, VectorSet, content_digest, to_row

#: Numbers of which as many share a batch, from one multiple to the next: their texts are embedded in one go. Other work
#: in the background gets its turn between two, and nobody who closes the engine waits for more.
BATCH = 16


def vectors_job(key: SessionKey) -> tuple[SessionKey, str]:
    """Returns what the job in the background is known by that makes the vectors of a session or a collection."""
    return key, "vectors"


@dataclass(frozen=True, slots=True)
class TextToEmbed:
    """A text as it is embedded: in passages, a vector each, none of a text that says nothing; or as a span of a longer
    one that it stands ``within``. ``content`` is what it is known by.
    """

    content: str
    passages: Sequence[str] = ()
    within: str = ""
    span: Span = (0, 0)


class NumberedTexts(Protocol):
    """Texts by number. ``may_grow`` of the newest may have changed since they were embedded."""

    may_grow: int

    @property
    def key(self) -> SessionKey:
        """The key that their vectors are kept under."""

    def last(self) -> int:
        """Returns the highest number."""

    def read(self, first: int, until: int, *, embedder: Embedder) -> Mapping[int, TextToEmbed]:
        """Returns the texts from one number to another, as that embedder takes them."""

    def present(self, numbers: Collection[int]) -> Collection[int]:
        """Returns those of the numbers whose texts are still there."""

    def for_other_thread(self) -> NumberedTexts:
        """Returns the same texts, for another thread."""


class TextVectors:
    """Makes, keeps and compares the vectors of numbered texts."""

    def __init__(self, texts: NumberedTexts, kept: VectorRows, services: Services) -> None:
        self._texts, self._kept, self._services = texts, kept, services

    def nearness(self, text: str) -> Nearness | None:
        """Returns how near texts are to another; None without vectors, or when the embedder fails, which is told."""
        compared = self._compare_text(text)
        return compared[1] if compared else None

    def _compare_text(self, text: str) -> tuple[str, Nearness | None] | None:
        """The embedder that a text was compared by, and how near the others are."""
        try:
            while embedder := self._in_use():
                had_vectors = embedder.name in self._kept.reach()
                vector = self._vector(embedder, text)
                compared = self._set(embedder.name, len(vector))
                if had_vectors and embedder.name not in self._kept.reach():
                    continue  # another one has taken over meanwhile
                with self._services.vectors.lock:
                    nearness = compared.nearness(vector)
                    return embedder.name, nearness and replace(nearness, made_of=(embedder.name, compared.stamp, text))
        except (ModelError, ImportError) as error:
            self._tell(error)
        return None

    def _vector(self, embedder: Embedder, text: str) -> Sequence[float]:
        """The vector of a query, which may have been asked before."""
        cache = self._services.caches.query_vectors
        return cache.get((embedder.name, text), lambda: tuple(embedder.embed([text])[0]))

    def schedule(self) -> None:
        """Has missing vectors made in the background, if there is an embedder."""
        if self._embedder() is None:
            return
        own = copy(self)
        own._texts = self._texts.for_other_thread()
        self._services.background.submit(vectors_job(self._texts.key), own._make_in_turns)

    def reach(self) -> int | None:
        """Returns up to which number the embedder of the settings has made vectors; None where there is none."""
        embedder = self._embedder()
        return None if embedder is None else self._kept.reach().get(embedder.name, 0)

    def make_missing(self, cancel: Cancel) -> bool:
        """Makes the vectors of the next few texts. Returns whether some are still missing."""
        embedder, last = self._embedder(), self._texts.last()
        if embedder is None or cancel.is_set:
            return False
        made = self._kept.reach().get(embedder.name, 0)
        first, until = max(1, made - self._texts.may_grow + 1), min((made + 1) // BATCH * BATCH + BATCH - 1, last)
        rows = self._rows(embedder, self._texts.read(first, until, embedder=embedder)) if first <= until else {}
        if rows or until > made:
            self._keep(embedder.name, rows, reach=until)
        if until < last:
            return True
        self._kept.drop_others(embedder.name)
        return False

    def _keep(self, embedder: str, rows: Mapping[int, bytes], *, reach: int) -> None:
        """Writes rows, of texts that nobody has removed meanwhile."""
        with self._kept.transaction():
            present = self._texts.present(rows.keys())
            self._kept.write(embedder, {number: rows[number] for number in present}, reach=reach)

    def _make_in_turns(self, cancel: Cancel) -> None:
        try:
            if self.make_missing(cancel):
                self._services.background.submit(vectors_job(self._texts.key), self._make_in_turns)
        except (ModelError, ImportError) as error:
            self._tell(error)

    def _rows(self, embedder: Embedder, texts: Mapping[int, TextToEmbed]) -> dict[int, bytes]:
        """Rows of texts that say anything, those aside that have theirs already. Equal texts are embedded once."""
        stored = self._kept.read(embedder.name, min(texts)) if texts else {}
        row_of = {row[:DIGEST_BYTES]: row for row in stored.values()}
        digests = {number: content_digest(text.content) for number, text in texts.items()}
        row_of |= self._kept.known_rows(embedder.name, set(digests.values()) - row_of.keys())
        row_of |= _embed_rows(
            embedder, {digest: texts[number] for number, digest in digests.items() if digest not in row_of}
        )
        return {
            number: row_of[digest]
            for number, digest in digests.items()
            if digest in row_of and stored.get(number) != row_of[digest]
        }

    # ── which embedder, and what is known of it ──────────────────────────────────────────────────────

    def _embedder(self) -> Embedder | None:
        try:
            return self._services.embedders.current()
        except ModelError as error:
            self._tell(error)
            return None

    def _in_use(self) -> Embedder | None:
        """The embedder of the settings, or the one before while that one's vectors reach further."""
        reach = self._kept.reach()
        if not reach:
            return None
        current = self._services.embedders.current()
        if current is None:
            return None
        before = max(reach, key=lambda name: reach[name])
        if reach.get(current.name, 0) >= reach[before]:
            return current
        return self._services.embedders.named(before) or (current if current.name in reach else None)

    def _set(self, name: str, size: int) -> VectorSet:
        """The vectors of all texts, with those that were made since the last search.

        Nothing is read from the store while the vectors are locked: whoever writes to it may wait for them.
        """
        edition, made = self._kept.edition(), self._kept.reach().get(name, 0)
        with self._services.vectors.lock:
            vectors = self._services.vectors.vector_set(self._texts.key, name, size=size, edition=edition)
            made_before = vectors.made
        rows = self._kept.read(name, max(0, made_before - self._texts.may_grow + 1))
        with self._services.vectors.lock:
            vectors.put(rows)
            vectors.made = max(vectors.made, made)
        return vectors

    def _tell(self, error: Exception) -> None:
        key = self._texts.key
        self._services.events.emit("search.degraded", session=key.id, reason=str(error))


def _embed_rows(embedder: Embedder, texts: Mapping[bytes, TextToEmbed]) -> dict[bytes, bytes]:
    """A row for each digest. All passages are asked for at once, and all spans of one text."""
    passages = {digest: text.passages for digest, text in texts.items() if text.passages}
    vectors = iter(
        embedder.embed([passage for several in passages.values() for passage in several]) if passages else ()
    )
    rows = {digest: to_row(digest, [next(vectors) for _ in several]) for digest, several in passages.items()}
    for within in dict.fromkeys(text.within for text in texts.values() if text.within):
        spans = {digest: text.span for digest, text in texts.items() if text.within == within}
        in_spans = embedder.embed_spans(within, list(spans.values())) if isinstance(embedder, SpanEmbedder) else ()
        rows |= {digest: to_row(digest, [vector]) for digest, vector in zip(spans, in_spans, strict=True)}
    return rows
