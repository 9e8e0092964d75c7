"""Prices of models by name, in one table that the user's settings override.

Prices are in dollars per million tokens, as the providers publish them (November 2026). What a session cost is said
only of models whose price is known by their whole name. Compacting needs no more than ratios: what reading a token from
the cache and writing one there cost, compared to sending it; those of the family serve where a price is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from clew.config import PRICES
from clew.domain import Usage

_MILLION = 1_000_000


class Price(NamedTuple):
    """Prices of a million tokens: sent without cache, read from the cache, written to the cache, and answered.

    A prompt of more than ``long_from`` tokens, 0 for none, costs so many times as much, and so does its answer.
    """

    input: float
    cache_read: float
    cache_write: float
    output: float
    long_from: float = 0.0
    long_input: float = 1.0
    long_output: float = 1.0

    @property
    def read_ratio(self) -> float:
        """Cost of reading from the cache, as a share of the cost of sending."""
        return self.cache_read / self.input if self.input else 0.0

    @property
    def write_ratio(self) -> float:
        """Cost of writing to the cache, as a share of the cost of sending."""
        return self.cache_write / self.input if self.input else 0.0

    @property
    def hour_write(self) -> float:
        """Price of writing to a cache that lasts an hour, which is Anthropic's alone."""
        return 2 * self.input

    def cost(self, usage: Usage) -> float:
        """Returns what one request cost, in dollars, by the counts of its provider."""
        fresh = max(usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens, 0)
        brief = max(usage.cache_write_tokens - usage.cache_write_1h_tokens, 0)
        sent = fresh * self.input + usage.cache_read_tokens * self.cache_read
        sent += brief * self.cache_write + usage.cache_write_1h_tokens * self.hour_write
        answered = usage.output_tokens * self.output
        if self.long_from and usage.input_tokens > self.long_from:
            sent, answered = sent * self.long_input, answered * self.long_output
        return (sent + answered) / _MILLION


#: For users who pay by subscription: each token counts the same, however it is sent.
PER_TOKEN = Price(1.0, 1.0, 1.0, 1.0)


def _anthropic(input: float, output: float, read: float = 0.1) -> Price:
    """A tenth to read, a quarter more to write for five minutes."""
    return Price(input, input * read, input * 1.25, output)


def _openai(input: float, output: float, read: float = 0.1) -> Price:
    """Writing costs what sending does."""
    return Price(input, input * read, input, output)


def _long(price: Price, above: float) -> Price:
    """Twice as much for long prompts, and half as much again for their answers."""
    return price._replace(long_from=above, long_input=2.0, long_output=1.5)


#: Prices by whole names. ``V`` is a dot or dash between the digits of a version.
_KNOWN = (
    (r"claude-(fable|mythos)-5V2", _anthropic(8.0, 40.0, 0.025)),
    (r"claude-(fable|mythos)-5V1", _anthropic(10.0, 50.0, 0.025)),
    (r"claude-(fable|mythos)-5", _anthropic(10.0, 50.0)),
    (r"claude-opus-5V5", _anthropic(4.0, 20.0, 0.05)),
    (r"claude-opus-(4V[5678]|5)", _anthropic(5.0, 25.0)),
    (r"claude-opus-4(V[01])?|claude-(3|4)-opus", _anthropic(15.0, 75.0)),
    (r"claude-sonnet-5V5", _anthropic(2.0, 10.0, 0.05)),
    (r"claude-sonnet-5", _anthropic(2.0, 10.0)),
    (r"claude-sonnet-4V5", _long(_anthropic(3.0, 15.0), 200_000)),
    (r"claude-sonnet-4(V[06])?|claude-(3|4|3V[57])-sonnet", _anthropic(3.0, 15.0)),
    (r"claude-haiku-5V5", _anthropic(0.1, 0.5)._replace(long_from=100_000, long_input=5.0, long_output=5.0)),
    (r"claude-haiku-4V5", _anthropic(1.0, 5.0)),
    (r"claude-3V5-haiku", _anthropic(0.8, 4.0)),
    (r"gpt-6V1-sol", _long(_anthropic(2.0, 10.0, 0.05), 272_000)),
    (r"gpt-6V1-terra", _long(_anthropic(1.0, 5.0, 0.05), 272_000)),
    (r"gpt-6-astra", _long(_anthropic(10.0, 50.0), 272_000)),
    (r"gpt-6-sol", _long(_anthropic(2.0, 10.0), 272_000)),
    (r"gpt-6-luna", _long(_anthropic(0.1, 0.5), 272_000)),
    (r"gpt-5V6-sol", _long(_anthropic(4.0, 20.0), 272_000)),
    (r"gpt-5V6-terra", _long(_anthropic(2.0, 12.0), 272_000)),
    (r"gpt-5V6-luna", _long(_anthropic(0.2, 1.2), 272_000)),
    (r"gpt-5V5", _long(_openai(5.0, 30.0), 272_000)),
    (r"gpt-5V4", _long(_openai(2.5, 15.0), 272_000)),
    (r"gpt-5V4-mini", _openai(0.75, 4.5)),
    (r"gpt-5V4-nano", _openai(0.2, 1.25)),
    (r"gpt-5V[23](-codex)?", _openai(1.75, 14.0)),
    (r"gpt-5(-codex)?|gpt-5V1(-codex(-max)?)?", _openai(1.25, 10.0)),
    (r"gpt-5-mini|gpt-5V1-codex-mini", _openai(0.25, 2.0)),
    (r"gpt-5-nano", _openai(0.05, 0.4)),
    (r"gpt-4V1-nano", _openai(0.1, 0.4, 0.25)),
    (r"gpt-4V1-mini", _openai(0.4, 1.6, 0.25)),
    (r"gpt-4V1|o3", _openai(2.0, 8.0, 0.25)),
    (r"gpt-4o-mini", _openai(0.15, 0.6, 0.5)),
    (r"gpt-4o", _openai(2.5, 10.0, 0.5)),
    (r"o4-mini", _openai(1.1, 4.4, 0.25)),
    (r"o3-mini", _openai(1.1, 4.4, 0.5)),
    (r"gemini-4-argon", _openai(2.0, 10.0, 0.05)),
    (r"gemini-3V[678]-flash", _openai(0.75, 3.75)),
    (r"gemini-3V5-flash-lite", _openai(0.3, 2.5)),
    (r"gemini-3V5-flash", _openai(1.5, 9.0)),
    (r"gemini-3V1-flash-lite", _openai(0.25, 1.5)),
    (r"gemini-3-flash", _openai(0.5, 3.0)),
    (r"gemini-3(V1)?-pro", _long(_openai(2.0, 12.0), 200_000)),
    (r"gemini-2V5-pro", _long(_openai(1.25, 10.0), 200_000)),
    (r"gemini-2V5-flash-lite", _openai(0.1, 0.4)),
    (r"gemini-2V5-flash", _openai(0.3, 2.5)),
)
#: What hosts and clients put around a name, and what a provider puts behind it: a date, a preview, a large window.
_AROUND = re.compile(r"^(.*/)?([a-z]{2,6}\.)?(anthropic\.)?")
_BEHIND = re.compile(r"(\[1m\]|-v\d(:\d)?|[-@]20\d{2}(-?\d{2}-?\d{2})?|-latest|-preview(-\d{2}-\d{2,4})?|:[a-z]+)+$")
#: Ratios of families. The first row whose pattern is found in the name applies.
_FAMILIES = (
    (r"claude|sonnet|opus|haiku", _anthropic(3.0, 15.0)),
    (r"gpt-4|\bo[13]\b|\bo4-mini", _openai(2.0, 8.0, 0.25)),
    (r"gpt-|codex|gemini|deepseek", _openai(1.25, 10.0)),
    # Anything else: the ratios that cost most to be wrong about, so that compacting too often is not what happens.
    (r"", _anthropic(3.0, 15.0)),
)


def known_price(model: str, own: Mapping[str, Mapping[str, float]]) -> Price | None:
    """Returns the price of a model, None where neither the table nor ``own``, the user's, tells it whole."""
    given = _own_price(model, own)
    usual = _list_price(model)
    if usual is None:
        return Price(**given) if set(PRICES) <= given.keys() else None
    return usual._replace(**given)


def price_of(model: str, own: Mapping[str, Mapping[str, float]]) -> Price:
    """Returns the price of a model, or one with the ratios of its family. Names in ``own``, the user's table, apply to
    all models that begin with them.
    """
    plain = model.lower()
    usual = _list_price(model) or next(price for pattern, price in _FAMILIES if re.search(pattern, plain))
    return usual._replace(**_own_price(model, own))


def _list_price(model: str) -> Price | None:
    plain = _BEHIND.sub("", _AROUND.sub("", model.lower()))
    return next((price for pattern, price in _COMPILED if pattern.fullmatch(plain)), None)


def _own_price(model: str, own: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    plain = model.lower()
    name = max((name for name in own if plain.startswith(name.lower())), key=len, default=None)
    return dict(own[name]) if name is not None else {}


_COMPILED = tuple((re.compile(pattern.replace("V", "[.-]")), price) for pattern, price in _KNOWN)
