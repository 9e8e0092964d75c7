"""Splits a growing text into our tags, line ends and the rest; the result does not depend on how the text arrives."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES = ("housekeeping", "request")
_STEMS = tuple(f"<{slash}clew-{name}" for slash in ("", "/") for name in _NAMES)
#: Attributes are never asked for; so much of them is still taken for a tag, and kept from the user.
_ATTRIBUTES = r"[ \t/][^<>\n]{0,64}"
_TAG = re.compile(rf"<(/?)clew-({'|'.join(_NAMES)})((?:{_ATTRIBUTES})?)>", re.IGNORECASE | re.ASCII)
_REST_OF_TAG = re.compile(_ATTRIBUTES)
_MAX_TAG_CHARS = max(map(len, _STEMS)) + 66
_PLAIN = re.compile(r"\n|[^<\n]+|<")

#: A beginning that nobody writes by chance; a shorter one (<, <cl) at the end of a reply is text.
SURE_BEGINNING = re.compile(r"</?clew-", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Tag:
    """An opening or closing tag of one of our elements, as it was written."""

    text: str
    name: str
    closes: bool = False
    attributes: str = ""

    @property
    def closes_itself(self) -> bool:
        return not self.closes and self.attributes.endswith("/")


Token = Tag | str


def split_tags(text: str) -> tuple[list[Token], str]:
    """The tokens of a text, and what is left at its end because it may be the beginning of a tag.

    A string token is a line end or holds none. Joined, tokens and rest are the text.
    """
    tokens: list[Token] = []
    at = 0
    while plain := _PLAIN.match(text, at):
        tag = _TAG.match(text, at) if plain[0] == "<" else None
        if tag is None and plain[0] == "<" and _may_become_tag(text, at):
            break
        tokens.append(_tag(tag) if tag else plain[0])
        at = tag.end() if tag else plain.end()
    return tokens, text[at:]


def has_tag(text: str) -> bool:
    return _TAG.search(text) is not None


def _tag(match: re.Match[str]) -> Tag:
    return Tag(match[0], match[2].lower(), closes=bool(match[1]), attributes=match[3].strip())


def _may_become_tag(text: str, at: int) -> bool:
    return len(text) - at < _MAX_TAG_CHARS and any(_begins(text[at:], stem) for stem in _STEMS)


def _begins(end: str, stem: str) -> bool:
    """White space may follow a beginning: a reply that was cut off there may have been given a line end."""
    head, rest = end.rstrip()[: len(stem)], end[len(stem) :]
    is_stem = head.isascii() and stem.startswith(head.lower())
    return is_stem and (not rest.strip() or _REST_OF_TAG.fullmatch(rest) is not None)
