"""Rules about the content of a message: server tools in whole pairs, no blank text, no reasoning on its own."""

from __future__ import annotations

from clew.domain import Call, Message, Output, Part, Reasoning, Repair, Text
from clew.history.repair.base import Messages, message_label, with_parts
from clew.text.plurals import pluralise

#: The repair that leaves out sealed thinking behind another repair.
REASONING_BOUND = "reasoning-bound"

# ── server tools ─────────────────────────────────────────────────────────────────────────────────────


def ensure_server_pairs(messages: Messages, repairs: list[Repair]) -> Messages:
    """Ensures that a server tool's call and output stand in one reply, or neither does.
    An unfinished last reply may wait.
    """
    out: list[Message] = []
    for index, message in enumerate(messages):
        lonely = _lonely_server_parts(message)
        if not lonely or (index == len(messages) - 1 and all(isinstance(part, Call) for part in lonely)):
            out.append(message)
            continue
        parts = tuple(part for part in message.parts if not any(part is other for other in lonely))
        repairs.append(
            Repair(
                "server-pairs",
                message_label(message),
                f"{pluralise(len(lonely), 'unpaired server tool block')} left out",
            )
        )
        if parts:
            out.append(with_parts(message, parts))
    return tuple(out)


def _lonely_server_parts(message: Message) -> list[Part]:
    asked: set[str] = set()
    answered: set[str] = set()
    lonely: list[Part] = []
    for part in message.parts:
        if isinstance(part, Call) and part.server:
            asked.add(part.id)
        elif isinstance(part, Output) and part.server:
            if part.call_id in asked:
                answered.add(part.call_id)
            else:
                lonely.append(part)
    return lonely + [p for p in message.parts if isinstance(p, Call) and p.server and p.id not in answered]


# ── nothing empty, no reasoning alone ────────────────────────────────────────────────────────────────


def without_empty_texts(messages: Messages, repairs: list[Repair]) -> Messages:
    """Removes blank texts, and messages that are empty."""
    out: list[Message] = []
    for message in messages:
        parts = tuple(part for part in message.parts if not (isinstance(part, Text) and not part.text.strip()))
        if len(parts) == len(message.parts) and parts:
            out.append(message)
            continue
        repairs.append(Repair("no-empty-text", message_label(message), "blank text left out"))
        if parts:
            out.append(with_parts(message, parts))
    return tuple(out)


def without_lone_reasoning(messages: Messages, repairs: list[Repair]) -> Messages:
    """Removes replies that hold nothing but reasoning, except at the very end."""
    out: list[Message] = []
    for message in messages:
        if message.parts and all(isinstance(part, Reasoning) for part in message.parts):
            repairs.append(
                Repair("no-lone-reasoning", message_label(message), "reasoning that led to nothing left out")
            )
        else:
            out.append(message)
    return tuple(out)


# ── reasoning bound to what came before ──────────────────────────────────────────────────────────────


def without_unbound_reasoning(
    given: Messages, history: Messages, repairs: list[Repair], sealed_after: int | None = None
) -> Messages:
    """Removes reasoning after the first change that is bound to every byte before it.

    Replies after number ``sealed_after`` keep theirs, as they were made from the changed history.
    """
    same = next((index for index, (a, b) in enumerate(zip(given, history, strict=False)) if a is not b), len(given))
    out = list(history[:same])
    for message in history[same:]:
        if sealed_after is not None and message.id and message.number > sealed_after:
            out.append(message)
            continue
        parts = tuple(part for part in message.parts if not (isinstance(part, Reasoning) and part.is_bound))
        if len(parts) != len(message.parts):
            repairs.append(Repair(REASONING_BOUND, message_label(message), "sealed reasoning after a repair left out"))
            message = with_parts(message, parts)
        if parts:
            out.append(message)
    return tuple(out)
