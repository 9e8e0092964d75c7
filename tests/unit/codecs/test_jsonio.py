"""What is written as JSON takes the memory that it needs."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from clew.codecs import jsonio
from clew.engine.ledger.rows import row_bytes


@pytest.mark.parametrize("write", [jsonio.dumps, jsonio.dumps_exact, row_bytes])
@pytest.mark.parametrize("size", [10, 3_000])
def test_bytes_that_are_kept_hold_no_more_than_they_say(write: Callable[[Any], bytes], size: int) -> None:
    value = {"text": "x" * size}
    write(value)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        kept = [write(value) for _ in range(100)]
        held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert held < 100 * (len(kept[0]) + 200)
