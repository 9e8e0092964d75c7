"""What a client told the agent in a message of its own: reports of subagents, checks that failed, procedures to follow.

None of it is anybody's order: a procedure is told as the text of a skill or command file, which it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from clew.domain import Message, Origin
from clew.text.memo import remember
from clew.text.tools.reports import failure_report
from clew.units.outline import outline
from clew.units.report_units import ProsePlace, subagent_units
from clew.units.terms import TermUse
from clew.units.unit import Speaker, Unit, nearness

_FAILED, _PROCEDURE, _PROCEDURE_CHARS = 1.0, 0.42, 1_200
_SKILL = re.compile(r"\s*Base directory for this skill: (\S+)\s*\n")
_NOTIFIES = "<task-notification>"
_RESULT = re.compile(r"<result>(.*?)(?:</result>|\Z)", re.DOTALL)
#: What a client writes in its own words around commands.
_MARKED = ("<", "[", "Caveat:")
_LEAST_CHARS = 300


class ClientText(NamedTuple):
    """Who speaks through a client, and what is said; ``name`` is that of a procedure."""

    speaker: Speaker
    text: str
    name: str = ""


def client_text(message: Message, *, command: str = "") -> ClientText | None:
    """Returns what a message of a client tells; None of all but reports, failures and procedures. ``command`` is what a
    person typed right before it: the text behind that is its file's."""
    return _client_text(message.text, command) if message.origin is Origin.CLIENT else None


@remember(1 << 9)
def _client_text(text: str, command: str) -> ClientText | None:
    if text.lstrip().startswith(_NOTIFIES):
        return ClientText(Speaker.SUBAGENT, match[1].strip()) if (match := _RESULT.search(text)) else None
    if skill := _SKILL.match(text):
        return ClientText(Speaker.PROCEDURE, text[skill.end() :].strip(), skill[1].rstrip("/").rpartition("/")[2])
    if report := failure_report(text):
        return ClientText(Speaker.CLIENT, report)
    if command and len(text) >= _LEAST_CHARS and not text.lstrip().startswith(_MARKED):
        return ClientText(Speaker.PROCEDURE, text.strip(), command)
    return None


def client_units(message: Message, place: ProsePlace, uses: TermUse, *, command: str = "") -> Iterator[Unit]:
    """Yields what a client told of checks that it ran and that failed, of subagents, and of procedures."""
    client = client_text(message, command=command)
    if client is None:
        return
    near = nearness(place.number, place.newest)
    if client.speaker is Speaker.SUBAGENT:
        yield from subagent_units(client.text, place, uses)
    elif client.speaker is Speaker.CLIENT:
        unit = Unit(number=place.number, speaker=client.speaker, text=f"failed: {client.text}", value=_FAILED * near)
        yield replace(unit, report=client.text)
    else:
        text = f"{client.name}: {outline(client.text, _PROCEDURE_CHARS)}"
        yield Unit(number=place.number, speaker=client.speaker, text=text, value=_PROCEDURE * near, command=client.name)
