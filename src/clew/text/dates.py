"""Times as people write them: "yesterday", "last Tuesday", "8 May 2023", "in March", "two weeks ago". All in UTC."""

from __future__ import annotations

import re
from calendar import day_name, month_name, monthrange
from datetime import UTC, datetime, timedelta

#: From one moment to another, in seconds since 1970; the end is left out.
Span = tuple[float, float]

_MONTHS = {name.lower(): number for number, name in enumerate(month_name) if name}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()}
_DAYS = {name.lower(): number for number, name in enumerate(day_name)}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = "|".join(_DAYS)

_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?,?(?: (\d{{4}}))?")
_MONTH_DAY = re.compile(rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b,?(?: (\d{{4}}))?")
_MONTH_YEAR = re.compile(rf"\b(?:in|during|of|last|since) ({_MONTH})\b,?(?: (\d{{4}}))?|\b({_MONTH})\b,? (\d{{4}})\b")
_WEEKDAY = re.compile(rf"\b(?:last|on|this|past) ({_DAY})\b")
_AGO = re.compile(r"\b(\d{1,3}|an?|one|two|three|four|five|six|seven) (day|week|month)s? ago\b")
_PERIOD = re.compile(r"\b(last|this|past) (week|month|year)\b")
_WEEK = 7
_DAYS_IN = {"day": 1, "week": _WEEK, "month": 30, "year": 365}


def time_span(text: str, now: float) -> Span | None:
    """The span that a text names, in seconds since 1970 with its end left out; None where it names none."""
    text, today = text.lower(), datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        return _date(text, today) or _relative(text, today) or _month(text, today)
    except (ValueError, OverflowError):  # 31 February
        return None


def _date(text: str, today: datetime) -> Span | None:
    if match := _ISO.search(text):
        return _days(datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC))
    if match := _DAY_MONTH.search(text):
        return _days(_day_of(today, int(match[1]), _MONTHS[match[2]], match[3]))
    if match := _MONTH_DAY.search(text):
        return _days(_day_of(today, int(match[2]), _MONTHS[match[1]], match[3]))
    return None


def _relative(text: str, today: datetime) -> Span | None:
    if re.search(r"\byesterday\b", text):
        return _days(today - timedelta(days=1))
    if re.search(r"\b(?:today|this morning|tonight)\b", text):
        return _days(today)
    if match := _WEEKDAY.search(text):
        return _days(today - timedelta(days=(today.weekday() - _DAYS[match[1]] - 1) % _WEEK + 1))
    if match := _AGO.search(text):
        count = _COUNTS.get(match[1]) or int(match[1])
        length = _DAYS_IN[match[2]]
        return _days(today - timedelta(days=count * length + length // 2), length)
    if match := _PERIOD.search(text):
        length = _DAYS_IN[match[2]]
        return _days(today - timedelta(days=length), length + (match[1] == "this"))
    return None


def _month(text: str, today: datetime) -> Span | None:
    match = _MONTH_YEAR.search(text)
    if match is None:
        return None
    month, year = _MONTHS[match[1] or match[3]], match[2] or match[4]
    start = _day_of(today, 1, month, year)
    return _days(start, monthrange(start.year, month)[1])


def _day_of(today: datetime, day: int, month: int, year: str | None) -> datetime:
    """Without a year, the last such day that is not in the future."""
    found = datetime(int(year) if year else today.year, month, day, tzinfo=UTC)
    return found if year or found <= today else found.replace(year=today.year - 1)


def _days(start: datetime, count: int = 1) -> Span:
    return start.timestamp(), (start + timedelta(days=count)).timestamp()
