"""Services that every part of the engine may use, whichever session it works for."""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.config import Config
from clew.engine.background import Background
from clew.ports import Clock, Embedder, Embedders, Events, Models
from clew.retrieval.search_cache import Caches
from clew.retrieval.vectors import VectorCache
from clew.text.memo import remember
from clew.tokens.tokenizers import STORED_MEASURE, BpeTokenizer, tokenizer_for

#: Lines of stories and packs are counted again and again, longer texts once.
_SHORT_CHARS = 2_000


def _count(text: str) -> int:
    return tokenizer_for(STORED_MEASURE).count(text)


_count_short = remember(1 << 12)(_count)


class Tokenizers:
    """Counts tokens, in the encoding of stored counts or as a model does."""

    def count(self, text: str) -> int:
        """Returns the tokens of a text, in the encoding used for everything that is stored."""
        return _count_short(text) if len(text) <= _SHORT_CHARS else _count(text)

    def of_model(self, model: str, ratio: float = 0.0) -> BpeTokenizer:
        """Returns a tokenizer for the model:
        exact where its encoding is known, else an upper estimate, with the ``ratio`` that calibration gave, if any.
        """
        return tokenizer_for(model, ratio or None)


class NoEmbedders:
    """Search goes by words."""

    def current(self) -> Embedder | None:
        return None

    def named(self, name: str) -> Embedder | None:  # noqa: ARG002
        return None


@dataclass(frozen=True, slots=True)
class Services:
    """Settings and helpers that belong to no single session."""

    config: Config
    clock: Clock
    events: Events
    models: Models
    background: Background
    tokenizers: Tokenizers = field(default_factory=Tokenizers)
    embedders: Embedders = field(default_factory=NoEmbedders)
    vectors: VectorCache = field(default_factory=VectorCache)
    caches: Caches = field(default_factory=Caches)
