"""The report as one page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from clew.audit.page import report_page
from clew.audit.run import AuditOptions
from tests.audited_session import shop
from tests.unit.audit.test_run import audited

SECRET = "ghp_" + "a1B2c3D4e5" * 4


class Tags(HTMLParser):
    """Opens and closes what a browser would, and collects ids and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "br"}:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.add(value or "")
            elif name == "href":
                self.links.add((value or "").removeprefix("#"))
            elif name in {"src", "srcset", "action"}:
                self.fetched.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(folder: Path, *, said: str = "") -> str:
    lines = shop()
    lines.says(said or "Thanks.")
    _, report = audited(lines.write(folder / "s1.jsonl"), options=AuditOptions(what_if=True))
    return report_page(report)


def test_the_page_is_well_formed_and_fetches_nothing(tmp_path: Path) -> None:
    tags, text = Tags(), page(tmp_path)
    tags.feed(text)
    assert tags.open == []
    assert tags.fetched == []
    assert tags.links <= tags.ids
    assert not re.search(r"<script|@import|url\(|<link", text)


def test_secrets_are_masked_and_markup_is_text(tmp_path: Path) -> None:
    text = page(tmp_path, said=f"<script>alert(1)</script> my token is {SECRET}")
    assert SECRET not in text
    assert "<script>" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_the_messages_behind_a_finding_are_on_the_page(tmp_path: Path) -> None:
    text = page(tmp_path)
    for words in ("3 lines of basket.py", "known before", "m10", "shown again", "return sum(prices)"):
        assert words in text
