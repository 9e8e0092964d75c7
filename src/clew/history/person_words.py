"""What people said in a message, and the form it came in. Whoever needs people's words reads them here.

Plain messages, words beside a tool's result, words given while refusing a call, answers to questions, and plans that
were approved. Only what a client itself wrote around a person's words is read: a tool's output that imitates it is not,
since its call is of another kind, or the client did not mark it as refused or answered. Tools of MCP servers can fail
with any words they like, so what stands in their outputs is nobody's word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from clew.domain import Call, Json, Message, Origin, Output, Role, Status
from clew.history.user_requests import request_words
from clew.text.tools.actions import ActionKind
from clew.text.tools.calls import call_actions
from clew.text.tools.names import is_of_server

#: How clients begin the output of a call that a person refused.
_REFUSED = (
    "The user doesn't want to ",
    "The user rejected permission",
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
)
#: A note that the client adds to a person's words.
_CLIENT_NOTE = "\n\nNote:"
_ANSWERED = re.compile(r"\s*(?:User has answered|The user answered|Your questions have been answered)")
_PAIR = re.compile(r'"((?:[^"\\]|\\.){1,2000}?)"="((?:[^"\\]|\\.){0,20000}?)"(?=[,.]|\s*$)')
#: What a client says after the last answer.
_GO_ON = '". You can now'
_APPROVED = re.compile(r"\s*(?:User has approved|The user has approved)")
#: Tools of Claude Code that ask a person. Tools of servers have other names there.
_ASKS, _PROPOSES = "AskUserQuestion", "ExitPlanMode"
_PLAN_HEADING = "## Approved Plan:"
#: How a client hands an approved plan to a fresh conversation, in the user's name.
_PLAN_HANDED_ON = "Implement the following plan:\n"
#: How clients tell that a person stopped the agent: Claude Code, and Codex.
_INTERRUPTED = re.compile(r"\s*(?:\[Request interrupted by user[^\]\n]*\]\s*\Z|<turn_aborted>\s*The user interrupted )")
#: So many calls without output are remembered, and so much of what each was about.
_MAX_WAITING, _MAX_ARGUMENT_CHARS = 64, 300


class StatementKind(StrEnum):
    """The form in which a person said something."""

    MESSAGE = "message"
    REFUSAL = "refusal"
    ANSWER = "answer"
    PLAN = "plan"


@dataclass(frozen=True, slots=True)
class PersonStatement:
    """Words of a person and the id of the message they stand in.

    ``about`` is the question that was answered; ``call`` the call that was refused or answered, or whose plan was
    approved. A refusal may have no words. The words of a plan are the agent's: the person approved them.
    """

    kind: StatementKind
    text: str
    source: str
    about: str = ""
    call: Call | None = None

    @property
    def is_message(self) -> bool:
        """True for words that are a message of their own, not part of a call's output."""
        return self.call is None


def person_statements(message: Message, calls: Mapping[str, Call]) -> Iterator[PersonStatement]:
    """Yields what people said in a message. ``calls`` are the calls before it, by id. What a model reports that
    somebody said, or answered, is the model's word.
    """
    if message.thread or message.origin is Origin.REPORTED:
        return
    outputs = message.outputs
    own = {call.id: call for call in message.calls} if outputs else {}
    for output in outputs:
        call = own.get(output.call_id) or calls.get(output.call_id)
        if call is not None and not _is_of_server(call):
            yield from _in_output(output, call, message.id)
    if words := request_words(message):
        kind = StatementKind.PLAN if words.startswith(_PLAN_HANDED_ON) else StatementKind.MESSAGE
        yield PersonStatement(kind, words, message.id)


def is_interruption(message: Message) -> bool:
    """Returns True for a client's notice that a person stopped the agent: an act without words."""
    is_notice = message.role is Role.USER and message.origin is Origin.CLIENT and not message.thread
    return is_notice and _INTERRUPTED.match(message.text) is not None


def next_statements(message: Message, waiting: dict[str, Json]) -> list[PersonStatement]:
    """Returns what people said in the next message of a session.

    ``waiting`` are the calls without output so far, as plain data that is kept between two messages. It is updated.
    """
    calls = {id: Call(id=id, **waiting[id]) for id in (output.call_id for output in message.outputs) if id in waiting}
    statements = list(person_statements(message, calls))
    waiting.update((call.id, _brief(call)) for call in message.calls if not _is_of_server(call))
    for output in message.outputs:
        waiting.pop(output.call_id, None)
    for id in list(waiting)[:-_MAX_WAITING]:
        del waiting[id]
    return statements


def _brief(call: Call) -> Json:
    """As much of a call as its output may have to be read with."""
    action = call_actions(call)[0]
    shortened = {"command": action.command[:_MAX_ARGUMENT_CHARS], "path": action.path[:_MAX_ARGUMENT_CHARS]}
    is_question = action.kind is ActionKind.ASK and isinstance(call.arguments, dict)
    arguments = call.arguments if is_question else {name: value for name, value in shortened.items() if value}
    return {"name": call.name, "arguments": arguments}


def _is_of_server(call: Call) -> bool:
    """True for a tool of an MCP server: its name says so, or the item that called it."""
    data = call.wire.data if call.wire else None
    return is_of_server(call.name) or (isinstance(data, dict) and bool(data.get("namespace")))


def _in_output(output: Output, call: Call, source: str) -> Iterator[PersonStatement]:
    text = output.text
    if output.status is Status.CANCELED and text.startswith(_REFUSED):
        words = (output.reason or "").split(_CLIENT_NOTE)[0].strip() if text.startswith(_REFUSED[0]) else ""
        yield PersonStatement(StatementKind.REFUSAL, words, source, call=call)
    elif output.status is Status.SUCCESS:
        for question, answer in _answers(output, call):
            yield PersonStatement(StatementKind.ANSWER, answer.strip(), source, about=question.strip(), call=call)
        if call.name == _PROPOSES and _APPROVED.match(text):
            yield PersonStatement(StatementKind.PLAN, _plan(text, call), source, call=call)


def _answers(output: Output, call: Call) -> list[tuple[str, str]]:
    """Pairs of a question and its answer. Where a client says beside the output what was answered, that is it."""
    if output.reason and call_actions(call)[0].kind is ActionKind.ASK:
        return [(next(iter(_questions(call)), ""), output.reason)]
    return _pairs(output.text, call) if call.name == _ASKS and _ANSWERED.match(output.text) else []


def _pairs(text: str, call: Call) -> list[tuple[str, str]]:
    """Questions are known from the call: whatever quotes they hold, no part of one is taken for an answer."""
    places = sorted((index, question) for question in _questions(call) if (index := text.find(f'"{question}"="')) >= 0)
    if not places:
        return [(question, answer) for question, answer in _PAIR.findall(text)]
    ends = [*(start for start, _ in places[1:]), text.rfind(_GO_ON) + 1 or len(text)]
    pieces = (
        (question, text[start + len(question) + 4 : end]) for (start, question), end in zip(places, ends, strict=True)
    )
    return [(question, piece[: piece.rfind('"')] if '"' in piece else piece) for question, piece in pieces]


def _questions(call: Call) -> list[str]:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    listed = arguments.get("questions") if isinstance(arguments.get("questions"), list) else [arguments]
    texts = (question.get("question") for question in listed or () if isinstance(question, dict))
    return [question for question in texts if isinstance(question, str) and question]


def _plan(text: str, call: Call) -> str:
    """The plan as the client repeats it, else as the call proposed it."""
    _, heading, plan = text.partition(_PLAN_HEADING)
    written = call.arguments.get("plan") if isinstance(call.arguments, dict) else None
    return plan.strip() if heading else written.strip() if isinstance(written, str) else ""
