"""Sections of a document: what stands under a heading, with the headings that lead to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*")
_WIKI_HEADING = re.compile(r" {0,3}(={1,6}|=(?: =){1,5}) +([^\s=].*?) +\1\s*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
#: Longer lines are no headings.
_HEADING_CHARS = 200


@dataclass(frozen=True, slots=True)
class Section:
    """A run of text, from ``start`` to ``end``, under the headings that lead to it, its own included."""

    start: int
    end: int
    headings: tuple[str, ...] = ()


def document_sections(text: str, format: str) -> list[Section]:
    """Returns the sections of a document, in order; all of it is one where it has no headings."""
    if format != "markdown":
        return [Section(0, len(text))]
    sections: list[Section] = []
    start, path, body = 0, list[tuple[int, str]](), 0
    for position, end, level, title in _headings(text):
        if text[body:position].strip():
            sections.append(Section(start, position, tuple(name for _, name in path)))
            start = position
        path = [*((depth, name) for depth, name in path if depth < level), (level, title)]
        body = end
    if text[body:].strip() or not sections:
        sections.append(Section(start, len(text), tuple(name for _, name in path)))
    return sections


def _headings(text: str) -> Iterator[tuple[int, int, int, str]]:
    """The start and end of each heading, its level from 1, and its words; none within fenced code."""
    offset, fence, before = 0, "", ""
    for line in text.splitlines(keepends=True):
        end, plain = offset + len(line), line.rstrip()
        if fence:
            fence = "" if plain.strip().startswith(fence) and not plain.strip().strip(fence[0]) else fence
        elif opened := _FENCE.match(plain):
            fence = opened[1]
        elif match := _heading(plain):
            yield offset, end, match[1].count(match[1][0]), match[2]
        elif before.strip() and len(before) < _HEADING_CHARS and _is_underline(plain):
            yield offset - len(before), end, 1 if "=" in plain else 2, before.strip()
        before = line if not fence else ""
        offset = end


def _heading(line: str) -> re.Match[str] | None:
    if len(line) > _HEADING_CHARS:
        return None
    match = _HEADING.fullmatch(line) or _WIKI_HEADING.fullmatch(line)
    return match if match and match[2] else None


def _is_underline(line: str) -> bool:
    return len(line.strip()) > 2 and len(line) < _HEADING_CHARS and bool(_UNDERLINE.fullmatch(line))
