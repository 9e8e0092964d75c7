"""The request encoder: encodes messages as a provider's valid request.
As a history grows, its beginning is encoded once.

What is encoded is remembered up to a border between steps if nothing in it had to be repaired: then nothing in it
depends on what follows, and the rest is encoded by itself and appended. Whatever could reach across the border (an id
used again, media that count together, a repair) is encoded whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from clew.codecs import registry
from clew.domain import Json, Media, Message, Opaque, Output, Repair, Role, Text, Tool
from clew.engine.read.valid_request import encode_valid

#: This many messages may follow the remembered part before its border moves on.
_LOOSE_MESSAGES = 24
#: Put before messages that begin with a reply, which no provider accepts; its item is removed from the result.
_BEFORE = Message(role=Role.USER, parts=(Text(text="."),))


@dataclass(slots=True)
class _Settled:
    messages: tuple[Message, ...] = ()
    items: list[Any] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)


class RequestEncoder:
    """Encodes for one provider. ``system`` comes before the messages."""

    def __init__(self, provider: str) -> None:
        self._provider, self._list = provider, registry.MESSAGE_LISTS[provider]
        self._settled = _Settled()
        self._led: tuple[tuple[Sequence[Message], Sequence[Tool]], Json | None] | None = None
        self._sealed_after = 0

    def request(
        self, system: Sequence[Message], messages: Sequence[Message], tools: Sequence[Tool], *, sealed_after: int
    ) -> tuple[Json, tuple[Message, ...], tuple[Repair, ...]]:
        """Returns the request, the messages as they stand in it, and the repairs that were needed."""
        self._sealed_after, count = sealed_after, len(self._settled.messages)
        if count and _begins(messages, self._settled.messages):
            rest = tuple(messages[count:])
            if not _ids(rest) & self._settled.ids and not any(map(_is_special, rest)):
                items = self._items(rest)
                lead = self._lead(system, tools) if items is not None else None
                if items is not None and lead is not None:
                    body = lead | {self._list: [*lead[self._list], *self._settled.items, *items]}
                    self._settle(messages)
                    return body, tuple(messages), ()
        self._settled = _Settled()
        body, sent, repairs = self._whole(system, messages, tools)
        if not repairs:
            self._settle(messages)
        return body, sent, repairs

    def _whole(
        self, system: Sequence[Message], messages: Sequence[Message], tools: Sequence[Tool]
    ) -> tuple[Json, tuple[Message, ...], tuple[Repair, ...]]:
        request, sent, repairs = encode_valid(
            messages, self._provider, system=system, tools=tools, sealed_after=self._sealed_after
        )
        return request.body, sent, repairs

    def _items(self, rest: Sequence[Message]) -> list[Any] | None:
        """What the messages are in the request's list; None when they have to be mended."""
        before = [_BEFORE] if rest and rest[0].role is not Role.USER else []
        body, _, repairs = self._whole((), (*before, *rest), ())
        return None if repairs else body[self._list][len(before) :]

    def _lead(self, system: Sequence[Message], tools: Sequence[Tool]) -> Json | None:
        """The request without messages: some providers want the system prompt beside them, some at their head."""
        if self._led is None or self._led[0] != (system, tools):
            body, _, repairs = self._whole(system, (_BEFORE,), tools)
            self._led = ((system, tools), None if repairs else body | {self._list: body[self._list][:-1]})
        return self._led[1]

    def _settle(self, messages: Sequence[Message]) -> None:
        """Moves the border on, once enough has come behind it."""
        count = len(self._settled.messages)
        if len(messages) - count <= _LOOSE_MESSAGES:
            return
        border = next((at for at in reversed(range(count + 1, len(messages) - 1)) if _is_border(messages, at)), None)
        if border is None or any(_is_special(message) for message in messages[count:border]):
            return
        items = self._items(messages[count:border])
        if items is not None:
            ids = self._settled.ids | _ids(messages[count:border])
            self._settled = _Settled(tuple(messages[:border]), [*self._settled.items, *items], ids)


def _begins(messages: Sequence[Message], beginning: Sequence[Message]) -> bool:
    return len(messages) >= len(beginning) and all(a is b for a, b in zip(messages, beginning, strict=False))


def _is_border(messages: Sequence[Message], at: int) -> bool:
    """Between a reply that is done and the next message of the user, or between two steps."""
    before, after = messages[at - 1], messages[at]
    if after.role is Role.ASSISTANT:
        return before.role is Role.TOOL
    return after.role is Role.USER and not after.outputs and before.role is Role.ASSISTANT and not before.calls


def _ids(messages: Sequence[Message]) -> set[str]:
    return {call.id for message in messages for call in message.calls}


def _is_special(message: Message) -> bool:
    """True for what is judged together with the rest of a request: media, and blocks that nobody knows."""
    return message.role is Role.SYSTEM or any(isinstance(part, Media | Opaque) for part in _atoms(message))


def _atoms(message: Message) -> Iterator[object]:
    for part in message.parts:
        yield part
        if isinstance(part, Output):
            yield from part.content
