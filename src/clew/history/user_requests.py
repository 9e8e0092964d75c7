"""Requests: the messages of a person that begin an exchange, and those that a model reports of one."""

from __future__ import annotations

from clew.domain import Message, Origin, Role

_HEADLINE_CHARS = 72
#: Whose messages begin an exchange. What a model reports orders a conversation, but binds nobody.
_ASKING = frozenset({Origin.PERSON, Origin.REPORTED})


def request_words(message: Message) -> str:
    """Returns the person's own words if the message is a request, or stands beside a tool's result; else nothing.
    Words that a model reports are told by the message's origin.

    Tool results, injected reminders, wrappers, echoes of commands, summaries and subagents' prompts are no requests.
    """
    if message.role is not Role.USER or message.origin not in _ASKING or message.thread:
        return ""
    from clew.text.injected_text import person_words_of  # here, as only new messages need its patterns

    return person_words_of(message.parts)


def headline(words: str) -> str:
    """Returns the beginning of a text on one line, cut between words."""
    line = " ".join(words[: 4 * _HEADLINE_CHARS].split())
    return line if len(line) <= _HEADLINE_CHARS else line[: _HEADLINE_CHARS - 1].rsplit(" ", 1)[0] + "…"


def is_request(message: Message) -> bool:
    """Returns True for a message of a person that begins an exchange: their own words, or a picture without any."""
    return bool(request_words(message)) or _is_picture(message)


def _is_picture(message: Message) -> bool:
    """A person may send a picture without a word."""
    return (
        message.role is Role.USER
        and message.origin in _ASKING
        and not message.thread
        and not _typed_text(message)
        and not message.outputs
        and bool(message.parts)
    )


def _typed_text(message: Message) -> str:
    if not message.text.strip():
        return ""
    from clew.text.injected_text import without_picture_marks

    return without_picture_marks(message.text)
