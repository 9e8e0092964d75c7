"""Records that a tool created elsewhere (issues, pages, messages): the ids under which they are found again."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from clew.domain import Call
from clew.text.trim import cut_at_word

#: Names of tools that change something elsewhere, and of those that put something new there.
CREATES = re.compile(
    r"(?:^|[_-])(?:create|update|add|post|send|publish|merge|comment|close|assign|save|submit|deploy|delete)", re.I
)
_PUTS_NEW = re.compile(r"(?i)(?:^|_)(?:create|save|add|post|publish|submit|open)_")
#: Fields that name a record, the first that is there; and where it is found.
_NAMES, _LINKS = ("identifier", "key", "number", "id", "ts"), ("url", "html_url", "web_url", "link", "permalink")
_TITLES = ("title", "name", "summary", "subject")
_TITLE_CHARS = 80


class CreatedRecord(NamedTuple):
    """The id of a record, and the call that made it with what it is found by."""

    id: str
    text: str


def record_text(call: Call, answer: str) -> CreatedRecord | None:
    """Returns the record that a call created; None where the answer names none."""
    named = _record_names(answer) if _PUTS_NEW.search(call.name) else ()
    if not named:
        return None
    title = _first(call.arguments, _TITLES) if isinstance(call.arguments, dict) else ""
    shown = f' "{cut_at_word(title, _TITLE_CHARS)}"' if title else ""
    return CreatedRecord(named[0], f"{call.name.rpartition('__')[2]}{shown} → {', '.join(named)}")


def _record_names(text: str) -> tuple[str, ...]:
    """The id of a record and where it is found, as the answer of a service has them."""
    try:
        answer = json.loads(text)
    except ValueError:
        return ()
    fields: dict[str, Any] = answer if isinstance(answer, dict) else {}
    if not _first(fields, _NAMES):
        fields = next((field for field in fields.values() if isinstance(field, dict) and _first(field, _NAMES)), fields)
    if not (name := _first(fields, _NAMES)):
        return ()
    return tuple(part for part in (name, _first(fields, _LINKS)) if part)


def _first(fields: dict[str, Any], names: Sequence[str]) -> str:
    return next((str(fields[name]) for name in names if isinstance(fields.get(name), str | int)), "")
