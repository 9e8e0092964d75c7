"""Pages of answers."""

from __future__ import annotations

import pytest

from clew.errors import UsageError
from clew.mcp_server.pages import make_cursor, page, pieces, read_cursor


def test_a_page_holds_what_fits_and_at_least_one() -> None:
    assert page([3_000, 500, 300], 0, int).items == [3_000]
    assert page([3_000, 400, 300], 0, int).next == 2
    assert page([9_000, 1], 0, int).items == [9_000]
    assert page([1, 2], 1, int).next is None
    assert page([], 0, int).items == []
    with pytest.raises(UsageError, match="beyond the end"):
        page([1, 2], 2, int)


@pytest.mark.parametrize("text", ["", "a\n" * 9_000, "x" * 9_000, "日" * 5_000, "one line"])
def test_pieces_are_the_text_and_small(text: str) -> None:
    found = list(pieces(text, len))
    assert "".join(found) == text
    assert all(len(one) <= 4_000 for one in found)


def test_a_cursor_that_is_none_is_refused() -> None:
    assert read_cursor(make_cursor({"at": 3, "parts": [["x1", "full"]]})) == {"at": 3, "parts": [["x1", "full"]]}
    assert read_cursor(None) == {}
    for wrong in ("nonsense", "!", make_cursor({"at": -1}), make_cursor({"at": "1"}), "x" * 100_000):
        with pytest.raises(UsageError, match="no cursor"):
            read_cursor(wrong)
