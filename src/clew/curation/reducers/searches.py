"""Matches of a search, grouped by file with their line numbers; the path is said once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from clew.curation.line_fit import fit_lines
from clew.curation.lines import FILLER, PLAIN, STRONG, USEFUL, VITAL, WeightedLine, clip

_MATCH = re.compile(r"((?:[A-Za-z]:|[\w./@~^-]{1,80}:)?[^\s:][^:\n]{0,300}?):(\d{1,7}):(?:\d{1,6}:)?(.*)", re.DOTALL)
_AROUND = re.compile(r"([^\s:][^\n]{0,300}?)-(\d{1,7})-(.*)", re.DOTALL)
_BARE = re.compile(r"([\w@~./\\-]{1,300}\.\w{1,10}|[\w@~.-]{1,60}/[\w@~./\\-]{1,300}):(\s*\D.*)", re.DOTALL)
#: Under a heading: "12:text", "12-text", "  Line 12: text", "L12: text".
_UNDER = re.compile(r"\s{0,4}(?:Line |L)?(\d{1,7})([:-])\s?(.*)", re.DOTALL)
_HEADING = re.compile(r"(?:File: |## )?([\w@~./\\ -]{1,300}\.\w{1,10}|[\w@~.-]{1,60}/[\w@~./\\-]{1,300}):?")
#: Longer matches are shown by their beginning and end.
_MAX_MATCH = 220


class Hit(NamedTuple):
    """A line of a file; it ``is_match`` or only stands beside one. ``number`` is empty where none was given."""

    path: str
    number: str
    text: str
    is_match: bool


def reduce(text: str, limit: int) -> str | None:
    """Files in order, each with the number of its matches and as many of them as there is room for."""
    hits = parse_hits(text.split("\n"))
    files: dict[str, list[Hit]] = {}
    for hit in hits:
        files.setdefault(hit.path, []).append(hit)
    if not any(files):
        return None
    lines: list[WeightedLine] = []
    for path, inside in files.items():
        lines += _file_lines(path, inside)
    return fit_lines(lines, limit)


def share_of_hits(lines: Sequence[str]) -> float:
    """How much of a text reads as "path:12:text"."""
    filled = [line for line in lines if line and line != "--"]
    return sum(1 for line in filled if _is_hit(line[:400])) / len(filled) if filled else 0.0


def _is_hit(line: str) -> bool:
    """A time of day has two colons as well, but no letters before them."""
    match = _MATCH.match(line)
    return match is not None and any(char in "./" or char.isalpha() for char in match[1])


def parse_hits(lines: Sequence[str]) -> list[Hit]:
    """Every line as a hit; one that fits no form belongs to no path, or goes on with the heading above."""
    out: list[Hit] = []
    heading = ""
    for line in lines:
        if not line or line == "--":
            continue
        heading, hit = _parse_hit(line, heading)
        if hit is not None:
            out.append(hit)
    return _under_one_name(out)


def _parse_hit(line: str, heading: str) -> tuple[str, Hit | None]:
    if heading and (match := _UNDER.fullmatch(line)):
        return heading, Hit(heading, match[1], match[3], match[2] == ":")
    if match := _MATCH.fullmatch(line):
        return "", Hit(match[1], match[2], match[3], True)
    if match := _HEADING.fullmatch(line):
        return match[1], None
    if match := _AROUND.fullmatch(line):
        return "", Hit(match[1], match[2], match[3], False)
    if match := _BARE.fullmatch(line):
        return "", Hit(match[1], "", match[2], True)
    return heading, Hit(heading, "", line, False)


def _under_one_name(hits: list[Hit]) -> list[Hit]:
    """Some tools write a path in full on one line and in short on the next; the short one stands for both."""
    short: dict[str, list[str]] = {}
    for path in dict.fromkeys(hit.path for hit in hits):
        if not path.startswith("/"):
            short.setdefault(path.rsplit("/", 1)[-1], []).append(path)
    names: dict[str, str] = {}
    for path in dict.fromkeys(hit.path for hit in hits):
        near = short.get(path.rsplit("/", 1)[-1], ())
        names[path] = next((name for name in near if path.endswith("/" + name)), path)
    if all(path == name for path, name in names.items()):
        return hits
    return [hit._replace(path=names[hit.path]) for hit in hits]


def _file_lines(path: str, inside: Sequence[Hit]) -> list[WeightedLine]:
    matches = sum(hit.is_match for hit in inside)
    if not path:
        return [WeightedLine(clip(hit.text, _MAX_MATCH), PLAIN) for hit in inside]
    count = f" ({matches} matches)" if matches > 1 else ""
    out = [WeightedLine(f"{path}{count}", VITAL)]
    for hit in inside:
        sign = ":" if hit.is_match else "-"
        shown = clip(hit.text.strip(), _MAX_MATCH)
        if shown or hit.is_match:
            out.append(WeightedLine(f" {hit.number}{sign} {shown}" if hit.number else f" {shown}", _weight(hit), path))
    return out


def _weight(hit: Hit) -> int:
    """Where a thing is defined says more than where it is used."""
    if not hit.is_match:
        return FILLER
    return STRONG if _DEFINES.match(hit.text[:200]) else USEFUL


_DEFINES = re.compile(
    r"\s{0,40}(?:export |public |private |protected |static |async |pub(?:\([a-z]{1,10}\))? |default |abstract ){0,4}"
    r"(?:def|class|func|fn|function|type|interface|struct|enum|trait|impl|const|var|let|module|namespace)\s"
)
