"""Vectors of one session's messages: made in the background, a batch at a time, and kept under the embedder's name.

Nothing waits for them, and search goes by words until they are there. When the embedder changes, the vectors of the
one before serve on until all are made anew; then they go.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.cancellation import Cancel
from clew.domain import Message
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services
from clew.errors import ModelError
from clew.ports import Embedder
from clew.retrieval.fusion import Nearness
from clew.retrieval.projection import without_label
from clew.retrieval.vectors import DIGEST_BYTES, VectorSet, content_digest, passages_of, to_row

#: Messages that are embedded in one go; other work in the background gets its turn between two.
_BATCH = 32
#: Newest embedded messages that may have grown since.
_MAY_HAVE_GROWN = 3


class SessionVectors:
    """Makes, keeps and compares the vectors of one session."""

    def __init__(self, ledger: SessionLedger, reader: SessionReader, services: Services) -> None:
        self._ledger, self._reader, self._services = ledger, reader, services
        self._kept = ledger.vector_rows()

    def nearness(self, text: str) -> Nearness | None:
        """Returns how near messages are to a text; None without vectors, or when the embedder fails, which is told."""
        try:
            embedder = self._in_use()
            if embedder is None:
                return None
            [vector] = embedder.embed([text])
            with self._services.vectors.lock:
                return self._set(embedder.name, len(vector)).nearness(vector)
        except (ModelError, ImportError) as error:
            self._services.events.emit("search.degraded", session=self._ledger.id, reason=str(error))
            return None

    def schedule(self) -> None:
        """Has missing vectors made in the background, if there is an embedder."""
        if self._embedder() is None:
            return
        own = self._ledger.for_other_thread()
        vectors = SessionVectors(own, SessionReader(own, self._services), self._services)
        self._services.background.submit((self._ledger.key, "vectors"), vectors._make_in_turns)

    def make_missing(self, cancel: Cancel) -> bool:
        """Makes the vectors of the next few messages. Returns whether some are still missing."""
        embedder, last = self._embedder(), self._ledger.info.messages
        if embedder is None or cancel.is_set:
            return False
        made = self._kept.reach().get(embedder.name, 0)
        first, until = max(1, made - _MAY_HAVE_GROWN + 1), min(made + _BATCH, last)
        rows = self._rows(embedder, self._reader.read_prompt_view(first, until, shared=True))
        self._kept.write(embedder.name, rows, reach=until)
        if until < last:
            return True
        self._kept.drop_others(embedder.name)
        return False

    def _make_in_turns(self, cancel: Cancel) -> None:
        try:
            if self.make_missing(cancel):
                self._services.background.submit((self._ledger.key, "vectors"), self._make_in_turns)
        except ModelError as error:
            self._services.events.emit("search.degraded", session=self._ledger.id, reason=str(error))

    def _rows(self, embedder: Embedder, messages: Sequence[Message]) -> dict[int, bytes]:
        """Rows of messages that say anything, those aside that have theirs already. Equal texts are embedded once."""
        texts = {message.number: without_label(message.text) for message in messages}
        kept = self._kept.read(embedder.name, min(texts, default=0))
        known = {row[:DIGEST_BYTES]: row for row in kept.values()}
        rows: dict[int, bytes] = {}
        for number, text in texts.items():
            digest, passages = content_digest(text), passages_of(text)
            if passages and digest not in known:
                known[digest] = to_row(digest, embedder.embed(passages))
            if passages and kept.get(number) != known[digest]:
                rows[number] = known[digest]
        return rows

    # ── which embedder, and what is known of it ──────────────────────────────────────────────────────

    def _embedder(self) -> Embedder | None:
        try:
            return self._services.embedders.current()
        except ModelError as error:
            self._services.events.emit("search.degraded", session=self._ledger.id, reason=str(error))
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
        """The vectors of the session, with those that were made since the last search."""
        found = self._services.vectors.of(self._ledger.key, name, size=size)
        start = max(0, found.last - _MAY_HAVE_GROWN)
        found.put(self._kept.read(name, start))
        return found
