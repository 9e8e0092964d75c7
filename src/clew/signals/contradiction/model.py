"""How surely two statements clash, by weights that ``scripts/train_contradiction.py`` makes: a small sum for each way.

Pure Python and a few numbers: no model is asked, and the same pair gives the same score everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import exp

import orjson

_WEIGHTS = "weights.json"

Weights = Mapping[str, Mapping[str, float]]


@cache
def weights() -> Weights:
    """Weights of the features, for each way to clash."""
    loaded: Weights = orjson.loads(files("clew.signals.contradiction").joinpath(_WEIGHTS).read_bytes())
    return loaded


def sureness(way: str, features: Mapping[str, float], given: Weights | None = None) -> float:
    """0 to 1."""
    table = (given or weights()).get(way, {})
    total = sum(table.get(name, 0.0) * value for name, value in features.items())
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, total))))
