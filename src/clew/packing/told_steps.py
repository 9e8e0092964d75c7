"""Steps told as text, for requests that cannot hold them as calls.

Manual thinking wants a turn that is under way to begin with its thinking, and that is bound to every byte before it.
Where those bytes change inside a loop of tool calls, neither the thinking nor the calls without it may be sent: the
steps are told in a message of the user instead, with what the tools gave back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from clew.codecs import jsonio
from clew.domain import Call, Media, Message, Origin, Output, Part, Reasoning, Role, Text
from clew.history.message_text import message_text
from clew.history.repair.rules import repair_history
from clew.packing.formats import without_section_marks
from clew.text.markers import neutralise_markers

_LEAD = "Steps of the work under way, told as text: their calls were made and are answered. Go on from where they end."
#: Characters that are told of one argument: the file that a call wrote may be larger than any window.
_MOST_ARGUMENT = 1_200
#: The line that says who speaks, as `message_text` writes it: nothing that a tool gave back may pass for one.
_HEAD_LINE = re.compile(r"^\[(?=(?:m\d+|-) (?:user|assistant|tool|system)\b)", re.MULTILINE)


def open_loop(messages: Sequence[Message]) -> int | None:
    """Returns the index of the reply that opens the loop of calls under way; None where the last reply calls no tool.
    Replies that follow each other are one reply.
    """
    length = len(newest_loop(reversed(messages)))
    return len(messages) - length if length else None


def newest_loop(newest_first: Iterable[Message]) -> list[Message]:
    """Returns the loop of calls under way, the newest message first, of messages that are given so. Those before it
    are not looked at.
    """
    found, length = list[Message](), 0
    for is_reply, group in groupby(newest_first, key=lambda message: message.role is Role.ASSISTANT):
        run = list(group)
        if is_reply and not any(map(calls_tool, run)):
            break
        found += run
        length = len(found) if is_reply else length
    return found[:length]


def calls_tool(message: Message) -> bool:
    """Returns True for a message with a call that the client answers."""
    return any(not call.server for call in message.calls)


def thinks(message: Message) -> bool:
    """Returns True for a message with thinking that is bound to what stood before it."""
    return any(part.is_bound for part in message.parts_of(Reasoning))


def without_bound_thinking(message: Message) -> Message:
    """Returns the message without thinking that is bound to what stood before it."""
    kept = tuple(part for part in message.parts if not (isinstance(part, Reasoning) and part.is_bound))
    return message if len(kept) == len(message.parts) else replace(message, parts=kept, wire=None)


def with_told_loop(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Returns the messages with the loop of calls under way told as text, unless it begins with thinking."""
    start = open_loop(messages)
    if start is None or starts_with_thinking(messages[start]):
        return tuple(messages)
    steps = [index for index in range(start, len(messages)) if messages[index].calls or messages[index].outputs]
    end = steps[-1] + 1
    return (*messages[:start], tell_steps(messages[start:end]), *messages[end:])


def starts_with_thinking(message: Message) -> bool:
    """Returns True for a message with bound thinking at its head."""
    head = message.parts[0] if message.parts else None
    return isinstance(head, Reasoning) and head.is_bound


def tell_steps(messages: Sequence[Message]) -> Message:
    """Returns one message of the user that tells steps, each call with its output, without the thinking. Images and
    other media of the outputs stand behind the text.
    """
    steps, _ = repair_history(messages)
    text = "\n\n".join(map(step_text, steps))
    body = without_section_marks(f"{_LEAD}\n\n{text}")
    parts = (Text(text=f"<clew-steps>\n{body}\n</clew-steps>"), *media_of(steps))
    return Message(role=Role.USER, origin=Origin.CLEW, parts=parts)


def step_text(message: Message) -> str:
    """Returns a message as it is told: without thinking, with no line in what it says that tells who speaks, and with
    long arguments clipped, which can be read whole by the message's id.
    """
    parts = tuple(_quote_part(part, message.id) for part in message.parts if not isinstance(part, Reasoning))
    return message_text(replace(message, parts=parts, wire=None))


def _quote_part(part: Part, id: str) -> Part:
    if isinstance(part, Output):
        return replace(part, content=tuple(_quote_part(one, id) for one in part.content), wire=None)
    if isinstance(part, Call) and id:
        return replace(part, arguments=_clip_arguments(part.arguments, id), wire=None)
    return Text(text=_HEAD_LINE.sub("(", part.text)) if isinstance(part, Text) else part


def _clip_arguments(value: Any, id: str) -> Any:
    """Arguments with the beginning and end of what is long in them."""
    if isinstance(value, dict):
        return {name: _clip_arguments(one, id) for name, one in value.items()}
    if isinstance(value, list) and len(jsonio.dumps(value)) > _MOST_ARGUMENT:
        value = jsonio.dumps(value).decode()
    if not isinstance(value, str) or len(value) <= _MOST_ARGUMENT:
        return value
    head, tail = value[: _MOST_ARGUMENT * 3 // 4], value[-_MOST_ARGUMENT // 4 :]
    left = f"[clew: {len(value) - len(head) - len(tail):,} of {len(value):,} characters left out here; whole: {id}]"
    return f"{neutralise_markers(head)}\n{left}\n{neutralise_markers(tail)}"


def media_of(messages: Sequence[Message]) -> Iterator[Media]:
    """Yields the media of messages and of the outputs in them."""
    for message in messages:
        for part in message.parts:
            inner = part.content if isinstance(part, Output) else (part,)
            yield from (one for one in inner if isinstance(one, Media))
