from __future__ import annotations

from clew.knowledge.html_text import html_text


def test_a_page_becomes_markdown() -> None:
    page = """<html><head><title>T</title><style>p{}</style></head><body><nav>Home</nav>
    <h1>Guide</h1><p>Two   <b>words</b> &amp; more.</p><ul><li>one</li><li>two</li></ul>
    <pre>x = 1
    y = 2</pre><script>alert(1)</script></body></html>"""
    assert html_text(page) == "# Guide\n\nTwo words & more.\n\n- one\n- two\n\n```\nx = 1\n    y = 2\n```"


def test_broken_markup_is_read_as_far_as_it_goes() -> None:
    assert html_text("<p>one<p>two</div></b>") == "one\n\ntwo"
