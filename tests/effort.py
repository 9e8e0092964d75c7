"""How many cases a promise is tried on: a part of them by default, all with ``CLEW_TESTS=thorough``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

from hypothesis import HealthCheck, settings

V = TypeVar("V")

THOROUGH = os.environ.get("CLEW_TESTS") == "thorough"
_PART, _LEAST = 8, 6


def examples(most: int) -> int:
    """Returns how many examples a property is tried on, of those that a thorough run tries."""
    return most if THOROUGH else min(most, max(most // _PART, _LEAST))


def first(values: Iterable[V], count: int = 1) -> list[V]:
    """Returns all cases of a test that tries each at some cost, or so many of them unless the run is thorough."""
    return list(values if THOROUGH else islice(values, count))


def set_examples() -> None:
    """Sets how many examples properties are tried on that do not say. No machine is too slow for them."""
    settings.register_profile(
        "tests", max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("tests")
