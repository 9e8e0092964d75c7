"""Web pages: the text without the markup, then what says most of it."""

from __future__ import annotations

import re
from html import unescape

from clew.curation.reducers import prose
from clew.text.vocabulary import words

#: Elements whose content nobody reads.
_UNREAD = ("script", "style", "noscript", "svg", "template", "iframe", "nav", "footer", "head")
_ENDS = {name: re.compile(f"</{name}", re.IGNORECASE) for name in _UNREAD}
_BLOCK = words(
    "p div section article main header li ul ol table tr br hr pre blockquote h1 h2 h3 h4 h5 h6 dt dd figure form"
)
_NAME = re.compile(r"/?([A-Za-z][A-Za-z0-9]{0,30})")
_START = re.compile(r"\s{0,100}(?:<!--[^\n]{0,200}-->\s{0,20})?<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,300})", re.IGNORECASE)
#: Blanks between words, and lines left blank by what was taken out.
_BLANKS = re.compile(r"[ \t\u00a0]{2,}")


def is_html(text: str) -> bool:
    """True when the text begins as a page does."""
    return _START.match(text[:1000]) is not None


def reduce(text: str, limit: int) -> str:
    """What the page says, reduced as prose."""
    return prose.reduce(as_text(text) if is_html(text) else text, limit)


def as_text(html: str) -> str:
    """What a reader of the page sees, headings and list items marked; one pass, whatever the markup."""
    title = _TITLE.search(html[:20_000])
    out, start, unclosed = [f"# {title[1].strip()}\n" if title else ""], 0, set[str]()
    while (opening := html.find("<", start)) >= 0:
        out.append(html[start:opening])
        closing = html.find(">", opening)
        if closing < 0:
            start = opening
            break
        name = _tag_name(html, opening)
        start = closing + 1
        if name in _UNREAD and name not in unclosed and html[opening + 1] != "/":
            start = _end_of_element(html, name, start, unclosed)
        elif name in _BLOCK:
            out.append(_mark_block(name, is_end=html[opening + 1] == "/"))
    out.append(html[start:])
    lines = (_BLANKS.sub(" ", line).strip() for line in unescape("".join(out)).split("\n"))
    return "\n".join(line for line in lines if line not in {"", "-", "#"})


def _tag_name(html: str, opening: int) -> str:
    match = _NAME.match(html, opening + 1)
    return match[1].lower() if match else ""


def _end_of_element(html: str, name: str, start: int, unclosed: set[str]) -> int:
    """Behind the element's end. One that is never closed is remembered, so that nobody looks for it twice."""
    end = _ENDS[name].search(html, start)
    closing = html.find(">", end.end()) if end else -1
    if closing < 0:
        unclosed.add(name)
        return start
    return closing + 1


def _mark_block(name: str, *, is_end: bool) -> str:
    if is_end:
        return "\n"
    if name[0] == "h" and name[1:].isdigit():
        return f"\n{'#' * int(name[1:])} "
    return "\n- " if name == "li" else "\n"
