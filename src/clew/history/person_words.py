"""What people said, in every form that clients give it.

Plain messages, words beside a tool's result, words given while refusing a call, answers to questions, and plans that
were approved. Only what a client itself wrote around a person's words is read: a tool's output that imitates it is not,
since its call is of another kind, or the client did not mark it as refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from clew.domain import Call, Message, Origin, Output, Role, Status, Text
from clew.text.injected_text import person_words_of
from clew.text.tools.actions import ActionKind
from clew.text.tools.arguments import plain_name
from clew.text.tools.calls import call_actions

_REFUSED = "The user doesn't want to "
_ANSWERED = re.compile(r"\s*(?:User has answered|The user answered|Your questions have been answered)")
_PAIR = re.compile(r'"((?:[^"\\]|\\.){1,2000}?)"="((?:[^"\\]|\\.){0,20000}?)"(?=[,.]|\s*$)')
_APPROVED = re.compile(r"\s*(?:User has approved|The user has approved)")
_PLAN_HEADING = "## Approved Plan:"
#: A note that the client adds to a person's words.
_CLIENT_NOTE = "\n\nNote:"


class StatementKind(StrEnum):
    """How a person came to say something."""

    MESSAGE = "message"
    REFUSAL = "refusal"
    ANSWER = "answer"
    PLAN = "plan"


@dataclass(frozen=True, slots=True)
class PersonStatement:
    """Words of a person and the id of the message they stand in.

    ``about`` is the question that was answered; ``call`` the call that was refused or whose plan was approved.
    A refusal may have no words.
    """

    kind: StatementKind
    text: str
    source: str
    about: str = ""
    call: Call | None = None


def person_statements(message: Message, calls: Mapping[str, Call]) -> Iterator[PersonStatement]:
    """Yields what people said in a message. ``calls`` are the calls before it, by id."""
    if message.thread or message.role is Role.ASSISTANT:
        return
    for output in message.outputs:
        yield from _in_output(output, calls.get(output.call_id), message.id)
    if message.role is Role.USER and message.origin in {Origin.PERSON, Origin.TOOL}:
        words = person_words_of(part for part in message.parts if isinstance(part, Text))
        if words:
            yield PersonStatement(StatementKind.MESSAGE, words, message.id)


def _in_output(output: Output, call: Call | None, source: str) -> Iterator[PersonStatement]:
    text = output.text
    if output.status is Status.CANCELED and text.startswith(_REFUSED):
        words = (output.reason or "").split(_CLIENT_NOTE)[0].strip()
        yield PersonStatement(StatementKind.REFUSAL, words, source, call=call)
    elif call is None or call_actions(call)[0].kind is not ActionKind.ASK:
        return
    elif _ANSWERED.match(text):
        for question, answer in _PAIR.findall(text):
            yield PersonStatement(StatementKind.ANSWER, answer.strip(), source, about=question.strip(), call=call)
    elif _APPROVED.match(text) and plain_name(call.name) == "exitplanmode":
        yield PersonStatement(StatementKind.PLAN, _plan(text, call), source, call=call)


def _plan(text: str, call: Call) -> str:
    """The plan as the client repeats it, else as the call proposed it."""
    _, heading, plan = text.partition(_PLAN_HEADING)
    given = call.arguments.get("plan") if isinstance(call.arguments, dict) else None
    return plan.strip() if heading else given.strip() if isinstance(given, str) else ""
