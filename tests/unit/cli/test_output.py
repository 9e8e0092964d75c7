from __future__ import annotations

import pytest

from clew.cli.output import size


@pytest.mark.parametrize(
    ("tokens", "read"),
    [(0, "0"), (9_999, "9999"), (10_000, "10.0k"), (180_000, "180.0k"), (999_960, "1.0M"), (1_250_000, "1.2M")],
)
def test_sizes_are_read_alike_everywhere(tokens: int, read: str) -> None:
    assert size(tokens) == read
