"""Prices of models by name, in one table that the user's settings override.

Prices are in dollars per million tokens, as the providers publish them (November 2026). The policy uses only the
ratios: what reading a token from the cache and writing one there cost, compared to sending it. The first row whose
pattern is found in the name applies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class Price(NamedTuple):
    """Prices of a million tokens: sent without cache, read from the cache, written to the cache, and answered."""

    input: float
    cache_read: float
    cache_write: float
    output: float

    @property
    def read_ratio(self) -> float:
        """Cost of reading from the cache, as a share of the cost of sending."""
        return self.cache_read / self.input if self.input else 0.0

    @property
    def write_ratio(self) -> float:
        """Cost of writing to the cache, as a share of the cost of sending."""
        return self.cache_write / self.input if self.input else 0.0


#: For users who pay by subscription: each token counts the same, however it is sent.
PER_TOKEN = Price(1.0, 1.0, 1.0, 1.0)


def _anthropic(input: float, output: float) -> Price:
    """A tenth to read, a quarter more to write for five minutes."""
    return Price(input, input * 0.1, input * 1.25, output)


def _openai(input: float, output: float, read: float = 0.1) -> Price:
    """Writing costs what sending does."""
    return Price(input, input * read, input, output)


_TABLE = (
    (r"claude.*haiku-?3|claude-3.*haiku", _anthropic(0.8, 4.0)),
    (r"haiku", _anthropic(1.0, 5.0)),
    (r"opus-4$|opus-4-(1|20)|claude-3-opus", _anthropic(15.0, 75.0)),
    (r"opus", _anthropic(5.0, 25.0)),
    (r"claude|sonnet", _anthropic(3.0, 15.0)),
    (r"gpt-5.*nano", _openai(0.05, 0.4)),
    (r"gpt-5.*mini", _openai(0.25, 2.0)),
    (r"gpt-5|codex", _openai(1.25, 10.0)),
    (r"gpt-4\.1-nano", _openai(0.1, 0.4, 0.25)),
    (r"gpt-4\.1-mini", _openai(0.4, 1.6, 0.25)),
    (r"gpt-4\.1|\bo3\b", _openai(2.0, 8.0, 0.25)),
    (r"gpt-4o-mini", _openai(0.15, 0.6, 0.5)),
    (r"gpt-4o", _openai(2.5, 10.0, 0.5)),
    (r"\bo4-mini", _openai(1.1, 4.4, 0.25)),
    (r"gemini.*lite", _openai(0.1, 0.4)),
    (r"gemini.*flash", _openai(0.3, 2.5)),
    (r"gemini", _openai(1.25, 10.0)),
    (r"deepseek", _openai(0.28, 0.42)),
    # Anything else: the ratios that cost most to be wrong about, so that compacting too often is not what happens.
    (r"", _anthropic(3.0, 15.0)),
)


def price_of(model: str, own: Mapping[str, Mapping[str, float]]) -> Price:
    """Returns the price of a model. Names in ``own``, the user's table, apply to all models that begin with them."""
    plain = model.lower()
    usual = next(price for pattern, price in _TABLE if re.search(pattern, plain))
    given = max((name for name in own if plain.startswith(name.lower())), key=len, default=None)
    return usual._replace(**own[given]) if given is not None else usual
