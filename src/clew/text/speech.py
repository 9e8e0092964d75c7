"""Lines of a recorded talk: when something was said and by whom, where a line itself begins with that.

Such are ``(1:56 pm on 8 May, 2023) Ana: …``, ``[2024-03-02 18:20] Ana: …`` and ``Ana: …``. Both say something about the
line, and are no part of what was said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.text.dates import time_span

#: A head ends before so many characters.
_HEAD_CHARS = 120
_WHEN = re.compile(r"\s*(?:\(([^()\n]{6,48})\)|\[([^\[\]\n]{6,48})\])\s*[-–:]?\s*")
_SPEAKER = re.compile(r"([A-Z][\w'’-]{0,24}(?: [A-Z][\w'’-]{0,24})?):\s")
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})(?::\d{2})?\s*([ap]\.?m\b)?", re.IGNORECASE)
#: Where a time without a year would be looked for; heads name their year.
_NOW = 4_102_444_800.0
_YEAR = re.compile(r"\b\d{4}\b")


@dataclass(frozen=True, slots=True)
class SpeechHead:
    """Who speaks and when, in seconds since 1970, empty and None where a line does not say; ``end`` is where what is
    said begins.
    """

    speaker: str = ""
    at: float | None = None
    end: int = 0


def speech_head(text: str) -> SpeechHead:
    """Returns what the head of a line says. A time stands before a speaker, or alone in brackets."""
    head = text[:_HEAD_CHARS]
    when = _WHEN.match(head)
    at = _moment(when[1] or when[2]) if when else None
    start = when.end() if when and at is not None else 0
    speaker = _SPEAKER.match(head, start)
    return SpeechHead(speaker[1] if speaker else "", at, speaker.end() if speaker else start)


def _moment(text: str) -> float | None:
    """The moment that a time names with its year; midnight where it names a day alone."""
    span = time_span(text, _NOW) if _YEAR.search(text) else None
    if span is None:
        return None
    clock = _CLOCK.search(text)
    if clock is None:
        return span[0]
    hours, minutes, half = int(clock[1]), int(clock[2]), (clock[3] or "").lower()
    hours = hours % 12 + 12 * half.startswith("p") if half else hours
    return span[0] + 3600 * hours + 60 * minutes
