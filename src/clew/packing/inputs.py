"""The input of a turn, and the messages that carry it to the model.

It is sent as it was given. A person's words are sent as theirs; what came with them (the text of a file, errors) as the
client's, so that nothing in it can pass for an instruction. A tool's response is sent as the output of its call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from clew.domain import Call, Media, Message, Origin, Output, Part, Role, Status, Text
from clew.domain.checks import check_text_or_none
from clew.errors import UsageError

#: Stands above feedback, so that a model does not take it for a new request. `text.injected_text` knows the line: it
#: is not among the person's words.
_FEEDBACK = "[Feedback on the work so far]"
_ERRORS = "Errors that came with this input:"


class InputKind(StrEnum):
    """Kind of an input: a person's query, a tool's response, or a person's feedback on a reply."""

    USER_QUERY = "user_query"
    TOOL_RESPONSE = "tool_response"
    USER_FEEDBACK = "user_feedback"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input. ``tool_id`` names the call that a tool response answers.

    Outputs of other calls of the same reply are recorded before.
    A tool response may be empty; a person's input holds text, attachments or errors.
    """

    kind: InputKind = InputKind.USER_QUERY
    text: str = ""
    tool_id: str = ""
    attachments: tuple[Part, ...] = ()
    errors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        is_tool = self.kind is InputKind.TOOL_RESPONSE
        if is_tool and not self.tool_id:
            raise UsageError("a tool_response needs tool_id: the id of the call that it answers")
        if self.tool_id and not is_tool:
            raise UsageError(f"tool_id goes with a tool_response, not with a {self.kind}; leave it out")
        if not is_tool and not self.attachments and not any(one.strip() for one in (self.text, *self.errors)):
            raise UsageError(f"the {self.kind} is empty; give text, attachments or errors, or None for no new input")

    def messages(self) -> tuple[Message, ...]:
        """Returns what is sent: one message, or two where a person's words come with texts that are not theirs."""
        if self.kind is InputKind.TOOL_RESPONSE:
            return (Message(role=Role.TOOL, origin=Origin.TOOL, parts=(self._output(),)),)
        texts = tuple(part for part in self.attachments if isinstance(part, Text))
        media = tuple(part for part in self.attachments if not isinstance(part, Text))
        own, beside = (*_texts(self._words()), *media), (*texts, *_texts(self._errors()))
        sent = ((own, Origin.PERSON), (beside, Origin.CLIENT))
        return tuple(Message(role=Role.USER, origin=origin, parts=parts) for parts, origin in sent if parts)

    def _output(self) -> Output:
        content = (*_texts(self.text), *self.attachments, *_texts("\n".join(self.errors)))
        return Output(call_id=self.tool_id, content=content, status=Status.FAILED if self.errors else Status.SUCCESS)

    def _words(self) -> str:
        if self.kind is not InputKind.USER_FEEDBACK:
            return self.text
        return f"{_FEEDBACK}\n{self.text}" if self.text.strip() else _FEEDBACK

    def _errors(self) -> str:
        errors = [error for error in self.errors if error.strip()]
        return "\n".join([_ERRORS, *errors]) if errors else ""


def input_of(
    query: str | None,
    kind: str = InputKind.USER_QUERY,
    *,
    tool_id: str | None = None,
    attachments: Iterable[Part] = (),
    errors: str | Iterable[str] = (),
) -> Input | None:
    """Returns the input that a caller gives; None when there is none. Raises UsageError for one that cannot be sent."""
    check_text_or_none(query, "what is packed", 'give its words: session.pack("…"), or None for no new input')
    known, parts = _kind(kind), tuple(attachments)
    said = (errors,) if isinstance(errors, str) else tuple(errors)
    if query is None and not parts and not said:
        if known is InputKind.USER_QUERY and not tool_id:
            return None
        hint = '; give "" for a tool that said nothing' if known is InputKind.TOOL_RESPONSE else ""
        raise UsageError(f"a {known} needs its text{hint}")
    if strange := next((part for part in parts if not isinstance(part, Text | Media)), None):
        raise UsageError(f"an attachment is a Text or Media part, not {type(strange).__name__}")
    return Input(kind=known, text=query or "", tool_id=tool_id or "", attachments=parts, errors=said)


def ensure_answers(input: Input, messages: Sequence[Message]) -> None:
    """Raises UsageError for a tool response to a call that is not open, or whose sibling calls are still open.

    It would be left out of the request as an orphan.
    """
    if input.kind is not InputKind.TOOL_RESPONSE:
        return
    found = open_calls(messages)
    if input.tool_id not in found:
        there = f"open are {', '.join(found)}" if found else "no call is open"
        raise UsageError(f"no open call {input.tool_id!r} for this tool_response; {there}")
    last = next(message for message in reversed(messages) if input.tool_id in {call.id for call in message.calls})
    others = [call.id for call in last.calls if call.id in found and call.id != input.tool_id]
    if others:
        raise UsageError(f"{', '.join(others)} of the same reply wait for outputs, too; record those first")


def open_calls(messages: Sequence[Message]) -> tuple[str, ...]:
    """Returns the ids of calls that wait for an output, in order. Tools that the provider runs are not among them."""
    waiting: dict[str, None] = {}
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, Call) and not part.server:
            waiting[part.id] = None
        elif isinstance(part, Output):
            waiting.pop(part.call_id, None)
    return tuple(waiting)


def is_same_input(message: Message, words: Sequence[Message]) -> bool:
    """Returns True when a recorded message says what an input said: the same words, or the output of the same call."""
    if not words:
        return False
    if words[0].outputs:
        return {output.call_id for output in words[0].outputs} == {output.call_id for output in message.outputs}
    texts = (words[0].text, words[0].text.removeprefix(_FEEDBACK), "\n".join(word.text for word in words))
    return message.role is Role.USER and message.text.split() in [text.split() for text in texts]


def _kind(kind: str) -> InputKind:
    try:
        return InputKind(kind)
    except ValueError:
        raise UsageError(f"unknown kind of input {kind!r}; there are {', '.join(InputKind)}") from None


def _texts(text: str) -> tuple[Text, ...]:
    """As a part, byte for byte; a blank text is none, since providers refuse it."""
    return (Text(text=text),) if text.strip() else ()
