"""Python's search for cyclic garbage, left out while an import makes values by the hundred thousand."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Looks for no cyclic garbage inside: decoded records hold no cycles, and to look through them again and again
    takes a twentieth of an import."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
