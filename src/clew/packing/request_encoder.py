"""The request encoder: encodes messages as a provider's valid request.
As a history grows, its beginning is encoded once.

What is encoded is remembered up to a border between steps, with the repairs that were needed there: those that concern
a message or a step alone come out the same whatever follows. The rest is encoded by itself and appended. Whatever
could reach across the border (an id used again, media that count together, a repair that looks at the whole) is
encoded whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clew.codecs import registry
from clew.domain import Json, Media, Message, Opaque, Output, Reasoning, Repair, Role, Text, Tool
from clew.packing.valid_request import encode_valid

#: This many messages may follow the remembered part before its border moves on.
_LOOSE_MESSAGES = 4
#: Stand before and after messages that are encoded by themselves, as their neighbours would; their items are removed
#: from the result.
_USER, _REPLY = (Message(role=role, parts=(Text(text="."),)) for role in (Role.USER, Role.ASSISTANT))
#: Repairs that depend on nothing but the message or the step that they are made in: of a history, and of providers.
_LOCAL_REPAIRS = frozenset(
    (
        *("outputs-apart", "server-pairs", "unique-ids", "no-orphans", "one-output", "call-answered", "outputs-follow"),
        *("no-empty-text", "no-lone-reasoning", "user-first"),
        *("A4", "A5", "A6", "A16", "O3", "R6", "G1", "G2", "G6"),
    )
)
_INDEX = re.compile(r"\[(\d+)\]")

Encoded = tuple[Json, tuple[Message, ...], tuple[Repair, ...]]


@dataclass(frozen=True, slots=True)
class _Settled:
    """Messages that were encoded: as they were given, as they are sent, and their items in the request.
    ``ids`` are those of their calls and outputs.
    """

    messages: tuple[Message, ...] = ()
    sent: tuple[Message, ...] = ()
    items: tuple[Any, ...] = ()
    repairs: tuple[Repair, ...] = ()
    ids: frozenset[str] = field(default_factory=frozenset)

    def with_next(self, other: _Settled) -> _Settled:
        """Returns these messages and those that follow, as one."""
        moved = tuple(_shift_repair(repair, len(self.items)) for repair in other.repairs)
        return _Settled(
            (*self.messages, *other.messages),
            (*self.sent, *other.sent),
            (*self.items, *other.items),
            (*self.repairs, *moved),
            self.ids | other.ids,
        )


class RequestEncoder:
    """Encodes for one provider. ``system`` comes before the messages."""

    def __init__(self, provider: str, *, loose_messages: int = _LOOSE_MESSAGES) -> None:
        self._provider, self._list = provider, registry.MESSAGE_LISTS[provider]
        self._loose_messages = loose_messages
        self._settled = _Settled()
        self._led: tuple[tuple[Sequence[Message], Sequence[Tool]], Json | None] | None = None
        self._sealed_after = 0

    def request(
        self, system: Sequence[Message], messages: Sequence[Message], tools: Sequence[Tool], *, sealed_after: int
    ) -> Encoded:
        """Returns the request, the messages as they stand in it, and the repairs that were needed."""
        self._sealed_after, messages = sealed_after, tuple(messages)
        encoded = self._append_to_settled(system, messages, tools)
        if encoded is None:
            self._settled = _Settled()
            self._settle(messages)
            return self._append_to_settled(system, messages, tools) or self._whole(system, messages, tools)
        self._settle(messages)
        return encoded

    def _whole(self, system: Sequence[Message], messages: Sequence[Message], tools: Sequence[Tool]) -> Encoded:
        request, sent, repairs = encode_valid(
            messages, self._provider, system=system, tools=tools, sealed_after=self._sealed_after
        )
        return request.body, sent, repairs

    def _append_to_settled(
        self, system: Sequence[Message], messages: tuple[Message, ...], tools: Sequence[Tool]
    ) -> Encoded | None:
        """What is remembered with the rest behind it; None where they have to be encoded together."""
        count = len(self._settled.messages)
        if not count or not _begins(messages, self._settled.messages):
            return None
        rest = self._encode_following(messages[count:])
        lead = self._lead(system, tools) if rest is not None else None
        if rest is None or lead is None:
            return None
        whole, ahead = self._settled.with_next(rest), len(lead[self._list])
        repairs = tuple(_shift_repair(repair, ahead) for repair in whole.repairs)
        return lead | {self._list: [*lead[self._list], *whole.items]}, whole.sent, repairs

    def _lead(self, system: Sequence[Message], tools: Sequence[Tool]) -> Json | None:
        """The request without messages: some providers want the system prompt beside them, some at their head."""
        if self._led is None or self._led[0] != (system, tools):
            body, _, repairs = self._whole(system, (_USER,), tools)
            self._led = ((system, tools), None if repairs else body | {self._list: body[self._list][:-1]})
        return self._led[1]

    def _settle(self, messages: tuple[Message, ...]) -> None:
        """Moves the border on, once enough has come behind it."""
        count = len(self._settled.messages)
        if len(messages) - count <= self._loose_messages:
            return
        border = next((at for at in reversed(range(count + 1, len(messages) - 1)) if _is_border(messages, at)), None)
        found = self._encode_following(messages[count:border], after=messages[border]) if border else None
        if found is not None:
            self._settled = self._settled.with_next(found)

    def _encode_following(self, messages: tuple[Message, ...], after: Message | None = None) -> _Settled | None:
        """Messages that follow what is remembered, encoded by themselves; with ``after``, as if it stood behind them.

        None where they cannot be: something in them reaches across a border, or the message at a border was repaired.
        """
        if self._reaches_back(messages):
            return None
        before = [_USER] if self._settled.messages and messages and messages[0].role is not Role.USER else []
        behind = [_USER if after.role is Role.USER else _REPLY] if after else []
        body, sent, repairs = self._whole((), (*before, *messages, *behind), ())
        items, inner = body[self._list], sent[len(before) : len(sent) - len(behind)]
        if any(repair.rule not in _LOCAL_REPAIRS for repair in repairs) or not self._borders_hold(sent, before, behind):
            return None
        if messages and self._settled.messages and (not inner or inner[0] is not messages[0]):
            return None
        if behind and (not inner or inner[-1] is not messages[-1]):
            return None
        moved = tuple(_shift_repair(repair, -len(before)) for repair in repairs)
        shown = tuple(items[len(before) : len(items) - len(behind)])
        return _Settled(messages, inner, shown, moved, _ids(messages) | _ids(inner))

    def _borders_hold(self, sent: Sequence[Message], before: list[Message], behind: list[Message]) -> bool:
        """True when what stands for the neighbours has come through as it was."""
        firsts = not before or (bool(sent) and sent[0] is before[0])
        return firsts and (not behind or (bool(sent) and sent[-1] is behind[0]))

    def _reaches_back(self, messages: Sequence[Message]) -> bool:
        """True for an id that was used before, for media and unknown blocks, and for thinking behind a repair."""
        if not _ids(messages).isdisjoint(self._settled.ids) or any(map(_is_special, messages)):
            return True
        is_changed = bool(self._settled.repairs)
        return is_changed and any(_is_sealed(message) and message.number <= self._sealed_after for message in messages)


def _begins(messages: Sequence[Message], beginning: Sequence[Message]) -> bool:
    return len(messages) >= len(beginning) and all(a is b for a, b in zip(messages, beginning, strict=False))


def _is_border(messages: Sequence[Message], at: int) -> bool:
    """Between a reply that is done and the next message of the user, or between two steps."""
    before, after = messages[at - 1], messages[at]
    if after.role is Role.ASSISTANT:
        return bool(before.outputs)
    return after.role is Role.USER and not after.outputs and before.role is Role.ASSISTANT and not before.calls


def _ids(messages: Sequence[Message]) -> frozenset[str]:
    """Of calls and of outputs: an output may come long after its call, and even before it."""
    found = {call.id for message in messages for call in message.calls}
    return frozenset(found | {output.call_id for message in messages for output in message.outputs})


def _is_sealed(message: Message) -> bool:
    return any(isinstance(part, Reasoning) and part.is_bound for part in message.parts)


def _shift_repair(repair: Repair, by: int) -> Repair:
    """A repair that names its place in the list of items, which begins elsewhere in the whole request."""
    return replace(repair, at=_INDEX.sub(lambda match: f"[{int(match[1]) + by}]", repair.at, count=1)) if by else repair


def _is_special(message: Message) -> bool:
    """True for what is judged together with the rest of a request: media, and blocks that nobody knows."""
    return message.role is Role.SYSTEM or any(isinstance(part, Media | Opaque) for part in _atoms(message))


def _atoms(message: Message) -> Iterator[object]:
    for part in message.parts:
        yield part
        if isinstance(part, Output):
            yield from part.content
