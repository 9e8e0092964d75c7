"""The loop of calls in which an epoch began, where it is told as text: what is sent in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clew.domain import Epoch, Message
from clew.engine.epochs.turn import Turn

Pairs = Sequence[tuple[int, Message]]


@dataclass(frozen=True, slots=True)
class ShownMessages:
    """Messages with their places as they are sent. ``has_input`` says that the turn's input is told with the steps."""

    pairs: Pairs
    has_input: bool = False

    def sent_turn(self, turn: Turn) -> Turn:
        """Returns what is sent of the turn behind these messages."""
        return replace(turn, input_messages=()) if self.has_input else turn


def tell_loop(pairs: Pairs, turn: Turn, epoch: Epoch, *, tell: Callable[[Sequence[Message]], Message]) -> ShownMessages:
    """Returns what is sent: the steps that the epoch tells as one message, with the input, if it answers them.

    What is told stays the same however the session grows: replies since the epoch started stand behind it.
    """
    first, last = _told_range(pairs, epoch)
    if first == last:
        return ShownMessages(pairs)
    input = turn.input_messages if turn.answers_call and last == len(pairs) else ()
    account = tell([*(message for _, message in pairs[first:last]), *input])
    shown = (*pairs[:first], (pairs[first][0], account), *pairs[last:])
    return ShownMessages(shown, has_input=bool(input))


def _told_range(pairs: Pairs, epoch: Epoch) -> tuple[int, int]:
    """From the reply that opened the loop to the last output of calls that were made when the epoch started."""
    if not epoch.told_from:
        return 0, 0
    first = next((index for index, (place, _) in enumerate(pairs) if place >= epoch.told_from), len(pairs))
    indexes = [index for index in range(first, len(pairs)) if pairs[index][0] <= epoch.started_at]
    steps = [index for index in indexes if pairs[index][1].calls or pairs[index][1].outputs]
    if not steps:
        return 0, 0
    calls = {call.id for index in steps for call in pairs[index][1].calls}
    last = steps[-1] + 1
    while last < len(pairs) and _answers(pairs[last][1], calls):
        last += 1
    return first, last


def _answers(message: Message, calls: set[str]) -> bool:
    return bool(message.outputs) and all(output.call_id in calls for output in message.outputs)
