"""Times as users type them after --since and --until."""

from __future__ import annotations

import re
from time import time

from clew.codecs.fields import parse_timestamp
from clew.errors import UsageError
from clew.text.dates import Span, time_span

#: "90m", "12h", "7d", "2w": so long ago.
_AGO = re.compile(r"(\d{1,5})\s*([mhdw])")
_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def since_time(text: str) -> float | None:
    """Returns when a time begins, in seconds since 1970; None for none. Raises UsageError for what is no time."""
    return _span("--since", text)[0] if text else None


def until_time(text: str) -> float | None:
    """Returns when a time ends: a day with its last moment."""
    return _span("--until", text)[1] if text else None


def _span(option: str, text: str) -> Span:
    now, said = time(), text.strip().lower()
    if match := _AGO.fullmatch(said):
        moment = now - int(match[1]) * _SECONDS[match[2]]
        return moment, moment
    if (at := parse_timestamp(text.strip())) is not None and ":" in said:
        return at, at
    if span := time_span(said, now):
        return span
    raise UsageError(
        f"{option} {text}: give a day (2026-05-08), a time (2026-05-08T14:00), 7d, 12h, or yesterday; all UTC"
    )
