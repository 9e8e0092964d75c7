"""Pages: the text without the markup."""

from __future__ import annotations

from clew.curation.reducers import pages


def test_a_page_is_read_without_its_markup() -> None:
    html = (
        "<!DOCTYPE html><html><head><title>Tides</title><style>p{}</style></head><body><nav>Home</nav><h1>Brest</h1>"
        "<script>track()</script><p>High water &amp; low water.</p><ul><li>04:10</li></ul></body></html>"
    )

    assert pages.reduce(html, 1_000) == "# Tides\n# Brest\nHigh water & low water.\n- 04:10"
