"""Vectors of one session's messages."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from clew.domain import SessionKey
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.engine.read.text_vectors import TextToEmbed, TextVectors
from clew.engine.services import Services
from clew.ports import ContextEmbedder, Embedder
from clew.retrieval.projection import without_label
from clew.retrieval.vectors import passages_of


class SessionVectors(TextVectors):
    """Makes, keeps and compares the vectors of one session."""

    def __init__(self, ledger: SessionLedger, reader: SessionReader, services: Services) -> None:
        super().__init__(_Messages(ledger, reader, services), ledger.vector_rows(), services)


class _Messages:
    """What messages of the prompt view say, by their numbers."""

    may_grow = 3

    def __init__(self, ledger: SessionLedger, reader: SessionReader, services: Services) -> None:
        self._ledger, self._reader, self._services = ledger, reader, services

    @property
    def key(self) -> SessionKey:
        return self._ledger.key

    def last(self) -> int:
        return self._ledger.info.messages

    def read(self, first: int, until: int, *, embedder: Embedder) -> Mapping[int, TextToEmbed]:
        messages = self._reader.read_prompt_view(max(1, first - 1), until, shared=True)
        texts = {message.number: without_label(message.text) for message in messages}
        before = dict(zip(texts, ("", *texts.values()), strict=False))
        return {number: _to_embed(text, before[number], embedder) for number, text in texts.items() if number >= first}

    def present(self, numbers: Collection[int]) -> Collection[int]:
        return numbers

    def for_other_thread(self) -> _Messages:
        own = self._ledger.for_other_thread()
        return _Messages(own, SessionReader(own, self._services), self._services)


def _to_embed(text: str, before: str, embedder: Embedder) -> TextToEmbed:
    """A message in passages; one that fits into a single passage with what was said before it, where that is read."""
    passages = passages_of(text)
    if len(passages) == 1 and isinstance(embedder, ContextEmbedder):
        passages = [embedder.in_context(passages[0], before)]
        return TextToEmbed(passages[0], passages)
    return TextToEmbed(text, passages)
