"""What messages show: their text, whose it is, and lines as they compare, without numbers and margins."""

from __future__ import annotations

from collections.abc import Iterable

from clew.audit.recorded_session import strings_in
from clew.curation.envelopes import open_envelope
from clew.curation.line_numbers import parse_source
from clew.domain import Message, Origin, Output, Reasoning, Role
from clew.text.injected_text import without_reminders

_SPEAKERS = {
    Origin.PERSON: "user",
    Origin.MODEL: "agent",
    Origin.TOOL: "tool",
    Origin.REPORTED: "reported",
    Origin.CLIENT: "client",
    Origin.SUMMARY: "summary",
    Origin.SYSTEM: "system",
    Origin.CLEW: "client",
}
#: Lines shorter than this stand everywhere.
_TELLING_CHARS = 3


def speaker_of(message: Message) -> str:
    """Returns who speaks in a message, in one word."""
    who = "tool" if message.role is Role.TOOL else _SPEAKERS[message.origin]
    return f"subagent {who}" if message.thread else who


def message_text(message: Message) -> str:
    """Returns all that a message shows: its words, thinking, calls and outputs."""
    pieces = [part.text for part in message.parts_of(Reasoning)] + [message.text]
    pieces += [f"{call.name} " + "\n".join(strings_in(call.arguments)) for call in message.calls]
    pieces += [output.text for output in message.outputs]
    return "\n".join(piece for piece in pieces if piece.strip())


def shows(text: str, forms: Iterable[str]) -> bool:
    """Returns whether a text holds any of the forms, not as a piece of a longer word."""
    return any(form in text and _stands_alone(text, form) for form in forms)


def _stands_alone(text: str, form: str) -> bool:
    at = text.find(form)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(form) : at + len(form) + 1]
        if not (before.isalnum() and form[0].isalnum()) and not (after.isalnum() and form[-1].isalnum()):
            return True
        at = text.find(form, at + 1)
    return False


def plain_lines(text: str) -> list[str]:
    """Returns the lines of a text without numbers that a tool put before them, without margins and blank lines."""
    found = (line.strip() for line in parse_source(text.split("\n")).lines)
    return [line for line in found if len(line) >= _TELLING_CHARS]


def plain_text(text: str) -> str:
    """Returns the plain lines as one text, between line ends: one that holds another shows it line by line."""
    return "\n" + "\n".join(plain_lines(text)) + "\n"


def output_text(output: Output) -> str:
    """Returns what a tool gave back, without what the client wrote around it."""
    return without_reminders(open_envelope(output.text).body)
