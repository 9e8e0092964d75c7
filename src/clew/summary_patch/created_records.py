"""Records that a tool created elsewhere (issues, pages, messages): the ids under which they are found again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from clew.domain import Call, Message, Status
from clew.text.trim import cut_at_word
from clew.units.already_said import SaidText
from clew.units.unit import Section, Unit, nearness

_CREATES = re.compile(r"(?i)(?:^|_)(?:create|save|add|post|publish|submit|open)_")
#: Fields that name a record, the first that is there; and where it is found.
_NAMES, _LINKS = ("identifier", "key", "number", "id", "ts"), ("url", "html_url", "web_url", "link", "permalink")
_TITLES = ("title", "name", "summary", "subject")
_MAX_READ_CHARS, _TITLE_CHARS = 200_000, 80
_VALUE = 2.0


def created_records(messages: Sequence[Message], summary: SaidText) -> Iterator[Unit]:
    """Yields records that tools created and whose id the summary does not tell."""
    calls = {call.id: (message, call) for message in messages for call in message.calls if _CREATES.search(call.name)}
    newest = max((message.number for message in messages), default=0)
    for output in (output for message in messages for output in message.outputs if output.call_id in calls):
        message, call = calls[output.call_id]
        named = _record_names(output.text[:_MAX_READ_CHARS]) if output.status is Status.SUCCESS else ()
        if named and not summary.has(named[0]):
            text = f"{message.id} agent called {call.name.rpartition('__')[2]}{_title(call)} → {', '.join(named)}"
            value = _VALUE * nearness(message.number, newest)
            yield Unit(section=Section.STATE, number=message.number, text=text, value=value)


def _record_names(text: str) -> tuple[str, ...]:
    """The id of a record and where it is found, as the answer of a service has them."""
    try:
        answer = json.loads(text)
    except ValueError:
        return ()
    fields: dict[str, Any] = answer if isinstance(answer, dict) else {}
    if not _first(fields, _NAMES):
        fields = next((one for one in fields.values() if isinstance(one, dict) and _first(one, _NAMES)), fields)
    found = (_first(fields, _NAMES), _first(fields, _LINKS))
    return tuple(one for one in found if one)


def _first(fields: dict[str, Any], names: Sequence[str]) -> str:
    return next((str(fields[name]) for name in names if isinstance(fields.get(name), str | int)), "")


def _title(call: Call) -> str:
    title = _first(call.arguments, _TITLES) if isinstance(call.arguments, dict) else ""
    return f' "{cut_at_word(title, _TITLE_CHARS)}"' if title else ""
