"""HTML as Markdown: headings, paragraphs, lists, code and tables; scripts, styles and navigation are left out."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SKIPPED = {"script", "style", "nav", "noscript", "template", "svg", "title"}
_BLOCKS = {
    *("p", "div", "section", "article", "main", "header", "footer", "aside", "ul", "ol", "table", "tr"),
    *("blockquote", "figure", "dl", "dt", "dd", "form", "br", "hr"),
}
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BLANKS = re.compile(r"[ \t\r\f\v]*\n[ \t\r\f\v]*\n\s*")
_SPACES = re.compile(r"\s+")


class _Markdown(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self._skipped = self._preformatted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in _SKIPPED:
            self._skipped += 1
        elif tag in _HEADINGS:
            self.out.append(f"\n\n{_HEADINGS[tag]} ")
        elif tag == "li":
            self.out.append("\n- ")
        elif tag == "pre":
            self._preformatted += 1
            self.out.append("\n\n```\n")
        elif tag in {"td", "th"}:
            self.out.append(" | ")
        elif tag in _BLOCKS:
            self.out.append("\n" if tag in {"br", "tr", "dt", "dd"} else "\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipped = max(self._skipped - 1, 0)
        elif tag == "pre":
            self._preformatted = max(self._preformatted - 1, 0)
            self.out.append("\n```\n\n")
        elif tag in _HEADINGS or tag in _BLOCKS:
            self.out.append("\n\n" if tag not in {"tr", "dt", "dd", "br"} else "")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.out.append(data if self._preformatted else _SPACES.sub(" ", data))


def html_text(page: str) -> str:
    """Returns what a page says, as Markdown."""
    parser = _Markdown()
    parser.feed(page)
    parser.close()
    return _BLANKS.sub("\n\n", "".join(parser.out)).strip()
