"""Which tokenizer a model gets: its own encoding, or o200k and a ratio that is rarely too small."""

from __future__ import annotations

from clew.tokens.bpe import BpeTokenizer
from clew.tokens.models import model_info

#: The name under which everything that is stored is counted; other models are derived from it.
STORED_MEASURE = "text"


def tokenizer_for(model: str, ratio: float | None = None) -> BpeTokenizer:
    """The tokenizer for a model's name, "text" or a name that nobody knows.

    ``ratio`` takes the place of the default one; where the encoding is the model's own it changes nothing.
    """
    info = model_info(model)
    return BpeTokenizer(model, encoding=info.encoding, ratio=info.ratio if info.exact else ratio or info.ratio)
