"""Units of an earlier summary, a client's or ours: goal, requests, constraints and findings are carried on.

What it says of the state of the work is superseded by what came later, and counts less the more came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.domain import Message
from clew.units.terms import TermUse, terms_of
from clew.units.unit import Speaker, Unit, clip_lines

_BASE = 0.62
#: What sections are worth by words of their heading, the first that fits.
_WORTH = (
    (re.compile(r"primary request|intent|goal|objective|task overview", re.IGNORECASE), 2.2),
    (re.compile(r"user message|user request|all requests|instructions|constraints|preferences", re.IGNORECASE), 1.9),
    (re.compile(r"error|feedback|decision|important", re.IGNORECASE), 1.35),
    (re.compile(r"problem solving|discover|finding|learn", re.IGNORECASE), 1.2),
    (re.compile(r"key technical|concept", re.IGNORECASE), 0.6),
)
_OTHER = 1.0
#: Sections that later work supersedes.
_STATE = re.compile(r"pending|current work|current state|next step|progress|todo|status", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:not (?:yet|been)|in progress|still (?:fail|broken|need|open|miss)\w*|currently|to ?do|pending|haven't|hasn't"
    r"|needs? to be|remaining|next step|was about to|fails?|failing)\b",
    re.IGNORECASE,
)
#: Marks what may have changed since, when so many messages have come.
_THEN, _MANY_MESSAGES = "(then) ", 20
_LEAD = re.compile(r"\s*(?:[-*]\s+|\d{1,2}\.\s+)?")
_MAX_ITEM_CHARS = 700
_MAX_CODE_CHARS = 160

_SECTION = re.compile(r"\n(?=[ \t]{0,2}(?:\d{1,2}\.[ \t]+[A-Z*]|#{1,3}[ \t]+\S))")
_ITEM = re.compile(r"\n(?=[ \t]{0,4}(?:[-*][ \t]|\d{1,2}\.[ \t]))")
_CODE = re.compile(r"[ \t]*```.*?(?:```|\Z)\n?", re.DOTALL)
#: Words of the client around a summary.
_PREFACE = re.compile(r"\A.*?\bSummary:[ \t]*\n", re.DOTALL)
_ENDING = re.compile(
    r"\n(?:If you need specific details from before|Please continue the conversation from where"
    r"|Continue the conversation from where).*\Z",
    re.DOTALL,
)


def earlier_units(message: Message, newest: int, uses: TermUse) -> Iterator[Unit]:
    """Yields the items of an earlier summary, each with the heading it stands under."""
    position = 0
    for section in _SECTION.split("\n" + _ENDING.sub("", _PREFACE.sub("", message.text, count=1))):
        heading, items = _parts(section)
        for item in items:
            position += 1
            is_open = bool(_STATE.search(heading) or _OPEN.search(item))
            worth = _BASE * _worth(heading, age=newest - message.number, is_open=is_open)
            value = worth * (0.7 + 0.6 * uses.picked_up(terms_of(item), message.number))
            text = clip_lines(item, _MAX_ITEM_CHARS)
            if is_open and newest - message.number > _MANY_MESSAGES:
                text = _LEAD.sub(lambda lead: lead[0] + _THEN, text, count=1)
            yield Unit(
                number=message.number,
                speaker=Speaker.TOOL,
                text=text,
                value=value,
                position=position,
                heading=heading or "Earlier summary",
            )


def _parts(section: str) -> tuple[str, list[str]]:
    """A section's heading and its items; code is left out unless it is short."""
    plain = _CODE.sub(lambda code: code[0] if len(code[0]) <= _MAX_CODE_CHARS else "", section).strip("\n")
    heading, _, body = plain.partition("\n")
    if not body.strip():
        return "", [plain.strip()] if plain.strip() else []
    items = [re.sub(r"\n\s*\n+", "\n", item.rstrip()) for item in _ITEM.split("\n" + body.strip("\n")) if item.strip()]
    return heading.strip(), [item.strip("\n") for item in items]


def _worth(heading: str, *, age: int, is_open: bool) -> float:
    worth = next((worth for pattern, worth in _WORTH if pattern.search(heading)), _OTHER)
    return min(worth, max(0.3, 1.3 - age / 60)) if is_open else worth
