"""The tokenizer of a model: its own encoding, or o200k and a ratio that is rarely too small."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from clew.tokens import encodings
from clew.tokens.models import model_info

#: The name under which everything that is stored is counted; other models are derived from it.
STORED_MEASURE = "text"


def tokenizer_for(model: str, ratio: float | None = None) -> BpeTokenizer:
    """The tokenizer for a model's name, "text" or a name that nobody knows.

    ``ratio`` takes the place of the default one; where the encoding is the model's own it changes nothing.
    """
    info = model_info(model)
    return BpeTokenizer(model, encoding=info.encoding, ratio=info.ratio if info.exact else ratio or info.ratio)


class BpeTokenizer:
    """Counts by an encoding; with a ``ratio`` above 1 the count is an upper estimate.

    ``name`` is the model's name as it was asked for. Never changed after it is made.
    """

    __slots__ = ("encoding", "name", "ratio")

    def __init__(self, name: str, *, encoding: str = encodings.O200K, ratio: float = 1.0) -> None:
        self.name = name
        self.encoding = encoding
        self.ratio = ratio

    @property
    def label(self) -> str:
        """Says how it counts, for reports."""
        if self.ratio == 1.0:
            return f"by {self.encoding}"
        return f"upper estimate for {self.name}: {self.ratio:.3g} times {self.encoding}"

    def count(self, text: str) -> int:
        return self._scale(encodings.count(text, self.encoding))

    def count_by_lines(self, text: str) -> int:
        """As ``count``, quicker for a text of which most lines were counted before, in another one."""
        return self._scale(encodings.count_by_lines(text, self.encoding))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """As ``count`` for each, on two threads."""
        return [self._scale(tokens) for tokens in encodings.count_many(texts, self.encoding)]

    def _scale(self, tokens: int) -> int:
        return tokens if self.ratio == 1.0 else ceil(tokens * self.ratio)
