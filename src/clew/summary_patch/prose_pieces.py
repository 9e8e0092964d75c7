"""Pieces of a unit that can be told alone: sentences with what they refer to, list items with what leads to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.text.prose import is_heading, is_item
from clew.text.sentences import sentences
from clew.units.report_units import announces, gives_reason
from clew.units.unit import GAP, REPORTERS, Unit, clip_middle

_MIN_CHARS, _MAX_CHARS, _MAX_LEAD_CHARS = 25, 320, 90
#: An item of fewer words says nothing without the line that leads to it.
_LEAST_WORDS = 7
#: A sentence that begins so is understood only with the one before it.
_REFERS_BACK = re.compile(
    r"\W*(?:this|that|these|those|it|they|its|he|she|so|but|and|which|then|both|also|however|therefore|thus|hence"
    r"|otherwise|instead|here|there|same|such|either|neither|or|if (?:it|that|this|so|there|not)|wait|let|yes|no"
    r"|found it|exactly"
    r"|the (?:former|latter|same|other|issue|problem))\b",
    re.IGNORECASE,
)
#: A way that is named by its letter alone is understood only beside the others.
_NAMED_WAY = re.compile(r"(?i)\boptions? [A-D1-9]\b(?!\s*[:(—–-])")
_MARKUP = re.compile(r"\*\*|^#{1,6}\s+|[✅✓✗❌⚠️🎉]+\s*|\s+$", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*\d{1,2}[.)]\s")
_BULLET = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s+")


def pieces_of(unit: Unit) -> list[Unit]:
    """Returns what can be told alone: sentences and list items of prose, all else as it is, if it is short."""
    if unit.speaker not in REPORTERS and not unit.heading:
        return [replace(unit, text=clip_middle(unit.text, _MAX_CHARS))]
    units = (replace(unit, lead=lead, text=text.strip()) for lead, text in _prose_pieces(unit.text))
    readable = (unit for unit in units if not unit.content.endswith(":") and not _NAMED_WAY.search(unit.content))
    return [piece for piece in readable if _MIN_CHARS <= len(piece.content) <= _MAX_CHARS]


def _prose_pieces(text: str) -> Iterator[tuple[str, str]]:
    """Sentences, each with the one it refers to; lists after the line that leads to them."""
    lead, items = "", list[str]()
    for line in [*_lines(text), ""]:
        if is_item(line):
            items.append(line)
            continue
        if line.strip() or not lead:  # a blank line may stand before or among the items
            yield from _list_pieces(lead, items)
            lead, items = "", []
        if is_heading(line) or line.rstrip().endswith(":"):
            lead = "" if _REFERS_BACK.match(line) else line.strip()
        elif line.strip():
            yield from (("", piece) for piece in _with_what_they_refer_to(sentences(line)))
    yield from _list_pieces(lead, items)


def _lines(text: str) -> Iterator[str]:
    """Lines of prose, without code and tables."""
    in_code = False
    for line in _MARKUP.sub("", text).split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code and not line.lstrip().startswith("|"):
            yield line


def _list_pieces(lead: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A list that is short as a whole; of a longer one, items with the line that leads to them, and a mark between."""
    items = [_BULLET.sub("", line).strip() for line in lines]
    has_lead = bool(lead) and len(lead) <= _MAX_LEAD_CHARS
    are_steps = all(map(_NUMBERED.match, lines)) and not any(map(gives_reason, items))
    whole = "; ".join(items)
    if has_lead and items and len(lead) + 1 + len(whole) <= _MAX_CHARS and not are_steps:
        yield lead, whole
        return
    for line, item in zip(lines, items, strict=True):
        if _NUMBERED.match(line) and not gives_reason(item):  # one step of several
            continue
        if _REFERS_BACK.match(item):
            continue
        if has_lead:
            yield lead, f"{GAP} {item}"
        elif len(item.split()) >= _LEAST_WORDS and gives_reason(item):
            yield "", item


def _with_what_they_refer_to(line_sentences: Sequence[str]) -> Iterator[str]:
    before = ""
    for sentence in line_sentences:
        if announces(sentence):
            continue
        if _REFERS_BACK.match(sentence):
            before = f"{before} {sentence}" if before else ""
            continue
        if before:
            yield before
        before = sentence
    if before:
        yield before
