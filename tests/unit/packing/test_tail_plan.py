"""The tail of an epoch as a function of messages and limits."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace

import pytest

from clew.domain import Message, Origin, Role, Text
from clew.errors import BudgetExceeded
from clew.packing.rooms import Room
from clew.packing.tail_plan import MessageClips, TailHistory, TailLimits, TailPlan, plan_tail, standing_orders
from clew.tokens.tokenizers import tokenizer_for
from tests.builders import says, user

#: Each message takes as many tokens as its text has words.
WORDS = 10


class Counter:
    tokenizer = tokenizer_for("gpt-5")

    def tokens(self, message: Message) -> int:
        return len(message.text.split())


class Shortener:
    """Leaves outputs as they are, and clips messages to so many words."""

    def shorten_outputs(self, messages: Sequence[Message], calls: Container[str]) -> MessageClips:
        return MessageClips(list(messages))

    def squeeze(self, step: Sequence[Message], tokens: int) -> MessageClips:
        return MessageClips(list(step))

    def clip(self, messages: Sequence[Message], tokens: int, size: Callable[[Message], int]) -> MessageClips:
        texts = (" ".join(message.text.split()[:tokens]) for message in messages)
        return MessageClips([replace(one, parts=(Text(text=text),)) for one, text in zip(messages, texts, strict=True)])


def conversation(*sizes: int) -> list[tuple[int, Message]]:
    """Questions and answers in turn, each of so many words."""
    made = [(user if at % 2 == 0 else says)("word " * size) for at, size in enumerate(sizes)]
    return [(at, replace(message, id=f"m{at}")) for at, message in enumerate(made, start=1)]


def planned(pairs: list[tuple[int, Message]], room: Room, keep: int | None = None, usual: int = 0) -> TailPlan:
    history = TailHistory(
        pairs=pairs, started_at=len(pairs), input=(), answers_call=False, live_tokens=10_000, is_told=False
    )
    limits = TailLimits(room=room, budget=1_000, system=0, keep=keep, usual=usual)
    return plan_tail(history, limits, counter=Counter(), shortener=Shortener())


def test_the_tail_begins_at_the_earliest_step_from_which_all_fits() -> None:
    plan = planned(conversation(*[WORDS] * 8), Room(tokens=100, tail=4 * WORDS, added=0))
    assert (plan.first, plan.tokens, [message.id for message in plan.messages]) == (5, 40, ["m5", "m6", "m7", "m8"])


def test_as_many_messages_as_were_asked_for_stay_though_they_take_more_than_the_tail() -> None:
    room = Room(tokens=100, tail=2 * WORDS, added=0)
    assert planned(conversation(*[WORDS] * 8), room, keep=6).first == 3
    assert planned(conversation(*[WORDS] * 8), room, usual=3).first > 3


def test_a_newest_step_without_room_is_refused_or_left_to_the_snapshot_in_the_last_attempts() -> None:
    pairs = conversation(WORDS, WORDS, 400, 400)
    room = Room(tokens=100, tail=WORDS, added=0)
    with pytest.raises(BudgetExceeded):
        planned(pairs, room)
    assert planned(pairs, replace(room, is_last=True)).first == 5


def test_a_newest_message_larger_than_its_room_is_clipped() -> None:
    plan = planned(conversation(WORDS, WORDS, 900), Room(tokens=100, tail=50, added=0, clips=True))
    assert [(one.id, one.tokens, one.shown) for one in plan.shortened.clipped] == [("m3", 900, 80)]
    assert plan.tokens == 80


def test_orders_of_the_system_among_messages_stand_on_each_once() -> None:
    orders = [Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=(Text(text=text),)) for text in ("a b", "c d")]
    before = [(1, orders[0]), (2, orders[1]), (3, orders[0])]
    assert [place for place, _ in standing_orders(before, (), 100, Counter().tokens)] == [2, 3]
    assert [place for place, _ in standing_orders(before, (), 8, Counter().tokens)] == [3]
