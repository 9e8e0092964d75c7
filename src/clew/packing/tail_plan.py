"""Plans the tail of an epoch: which of the newest messages follow the snapshot word for word, and which of their texts
are shortened for it. It reads and writes nothing; what shortens texts, and what counts them, is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from clew.domain import ClippedMessage, Message, Origin, Role, Text
from clew.errors import BudgetExceeded
from clew.history.repair.rules import repair_history, safe_cuts
from clew.history.user_requests import is_request
from clew.packing.cuts import cut_keeping, earliest_cut_that_fits, newest_step_start
from clew.packing.inputs import open_calls
from clew.packing.rooms import ASKED_SHARE, Room
from clew.packing.stale_reads import stale_reads
from clew.packing.told_steps import media_of, open_loop, step_text, tell_steps
from clew.ports import Tokenizer
from clew.tokens.counts import count_message

#: Messages with their places.
Pairs = Sequence[tuple[int, Message]]
#: Share of the room that a newest step larger than the tail may take.
_NEWEST_SHARE = 0.4
#: Of a request that was answered no less is worth sending.
_LEAST_REQUEST = 200
#: Share of the room for system messages from before the tail.
_STANDING_SHARE = 0.25
#: Share of the room that the usual number of newest messages may take.
_USUAL_SHARE = 0.35
#: Messages of up to this many times the tail are considered, because shortened outputs may make them fit.
_SHRINKS = 4


@dataclass(slots=True)
class MessageClips:
    """Messages that were made to fit.

    ``texts`` has what stands for texts and media, by message and by the id of the whole; ``forms`` what stands for
    the texts of outputs, by the whole. ``wholes`` can be read by no message's id yet and have to be stored.
    ``clipped`` says how much is shown of which message.
    """

    messages: list[Message]
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)
    wholes: list[str] = field(default_factory=list)
    clipped: list[ClippedMessage] = field(default_factory=list)


class Shortener(Protocol):
    """Makes messages shorter."""

    def shorten_outputs(self, messages: Sequence[Message], calls: Container[str]) -> MessageClips:
        """Gives the outputs of these calls their shorter forms."""
        ...

    def squeeze(self, step: Sequence[Message], tokens: int) -> MessageClips:
        """Gives all outputs of a step forms that take about so many tokens."""
        ...

    def clip(self, messages: Sequence[Message], tokens: int, size: Callable[[Message], int]) -> MessageClips:
        """Leaves media out, and the middle of long texts."""
        ...


class MessageCounter(Protocol):
    """Counts messages as the model does."""

    @property
    def tokenizer(self) -> Tokenizer: ...

    def tokens(self, message: Message) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TailHistory:
    """The newest messages as an epoch that began after message ``started_at`` would show them, and the input behind
    them. ``live_tokens`` are those of everything that was not rolled back; ``is_told`` says that the loop of calls
    under way is told as text.
    """

    pairs: Pairs
    started_at: int
    input: tuple[Message, ...]
    answers_call: bool
    live_tokens: int
    is_told: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TailLimits:
    """What the tail may take: a room, of a ``budget`` that holds the ``system`` prompt too. ``keep`` is how many of the
    newest messages were asked for; ``usual`` are kept where they take little.
    """

    room: Room
    budget: int
    system: int
    keep: int | None
    usual: int


@dataclass(frozen=True, slots=True)
class TailPlan:
    """Messages from place ``first`` on, as they are sent, what they take beside the input, and the room that is theirs
    and the snapshot's.
    """

    messages: list[Message]
    first: int
    tokens: int
    room: Room
    shortened: MessageClips


def plan_tail(history: TailHistory, limits: TailLimits, *, counter: MessageCounter, shortener: Shortener) -> TailPlan:
    """Returns the tail of a new epoch. Raises BudgetExceeded if the newest step does not fit."""
    return _Planner(history, limits, counter, shortener).plan()


class _Planner:
    """Plans one tail. ``size`` is how its messages are counted: as text, if the loop under way is told. ``cuts`` are
    where they may be cut, the input behind them: shorter outputs change nothing about that.
    """

    def __init__(self, history: TailHistory, limits: TailLimits, counter: MessageCounter, shortener: Shortener) -> None:
        self._history, self._limits, self._counter, self._shortener = history, limits, counter, shortener
        self._size = partial(_told_tokens, counter.tokenizer) if history.is_told else counter.tokens
        self._room = limits.room
        self._cuts: Sequence[int] = ()

    def plan(self) -> TailPlan:
        messages = [message for _, message in self._history.pairs]
        self._cuts = self._safe_cuts(messages)
        newest = self._newest_size(messages)
        self._room = self._room.holding(newest).with_tail_beside(self._history.live_tokens - newest)
        repaired = self._repair_messages(messages)
        self._cuts = self._cuts if repaired == messages else self._safe_cuts(repaired)
        shrunk = self._shrink(repaired)
        tail = shrunk.messages[self._with_request(shrunk, self._cut(shrunk.messages)) :]
        places = {message.id: place for place, message in self._history.pairs}
        first = next((places[message.id] for message in tail if message.id), self._history.started_at + 1)
        return TailPlan(tail, first, self._tail_tokens(tail), self._room, shrunk)

    def _total(self, messages: Sequence[Message]) -> int:
        return sum(map(self._counter.tokens, messages))

    def _safe_cuts(self, messages: Sequence[Message]) -> list[int]:
        return safe_cuts([*messages, *self._history.input])

    def _newest_step(self, messages: Sequence[Message]) -> int:
        return min(newest_step_start(self._cuts, len(messages) + len(self._history.input)), len(messages))

    def _cut_keeping(self, messages: Sequence[Message], keep: int) -> int:
        """Where so many of the newest messages begin, whatever the input answers."""
        cuts = safe_cuts(messages) if self._history.input else self._cuts
        return cut_keeping(cuts, len(messages), keep)

    def _newest_size(self, messages: Sequence[Message]) -> int:
        """What has to stay word for word: the newest step, or as many messages as were asked for."""
        newest = self._newest_step(messages)
        if self._limits.keep is not None:
            newest = min(newest, self._cut_keeping(messages, self._limits.keep))
        return sum(map(self._size, messages[newest:]))

    def _tail_tokens(self, tail: Sequence[Message]) -> int:
        """The tokens of the tail beside those of the input. Steps as text take less than calls."""
        start = open_loop(tail) if self._history.is_told else None
        if start is None:
            return self._total(tail)
        input = self._history.input if self._history.answers_call else ()
        message = tell_steps([*tail[start:], *input])
        return self._total((*tail[:start], message)) - self._total(input)

    def _shrink(self, messages: list[Message]) -> MessageClips:
        """Messages with shorter outputs, and the shorter texts by those they stand for: stale reads first; then the
        newest step, if it is too large by itself. One that is larger than all of its room is clipped."""
        room = self._room
        if not room.tail:
            return MessageClips(messages)
        fresh = self._shortener.shorten_outputs(messages, stale_reads(messages))
        newest = self._newest_step(fresh.messages)
        step = fresh.messages[newest:]
        if sum(map(self._size, step)) <= room.tail:
            return fresh
        found, most = self._shortener.squeeze(step, room.tail), int(ASKED_SHARE * room.tokens)
        if room.clips and sum(map(self._size, found.messages)) > most:
            found = self._shortener.clip(step, most, self._size)
        together = [*fresh.messages[:newest], *found.messages]
        clipped = self._clipped(step, found.messages)
        return replace(found, messages=together, forms=fresh.forms | found.forms, clipped=clipped)

    def _repair_messages(self, history: Sequence[Message]) -> list[Message]:
        """The history with all rules holding; a call that the input answers is left for it."""
        input = self._history.input if self._history.answers_call else ()
        found = repair_history((*history, *input))[0]
        return list(found[: len(found) - len(input)])

    def _cut(self, messages: Sequence[Message]) -> int:
        """Where the tail begins: at the earliest step from which all fits, or at the newest, if need be in more than
        its share. As many messages as were asked for, and the step they stand in, as far as they fit."""
        room, history, keep = self._room, self._history, self._limits.keep
        if not room.tail:
            return self._newest_step(messages) if history.answers_call else len(messages)
        if keep is not None:
            cut = self._cut_keeping(messages, keep)
            if self._total(messages[cut:]) <= max(ASKED_SHARE * room.tokens, room.tail):
                return cut
        answered, input = [*messages, *history.input], sum(map(self._size, history.input))
        cut = earliest_cut_that_fits(answered, self._cuts, self._size, room.tail + input)
        newest = newest_step_start(self._cuts, len(answered))
        share = ASKED_SHARE if room.clips else _NEWEST_SHARE
        most = max(int(share * room.tokens), room.tail) + input
        if cut > newest and sum(map(self._size, answered[newest:])) <= most:
            cut = newest
        if cut > newest and (not room.is_last or history.answers_call):
            raise BudgetExceeded(self._limits.budget, {"messages": self._total(answered[newest:])})
        cut = min(cut, len(messages))
        usual = self._cut_keeping(messages, self._limits.usual)
        if usual < cut and self._total(messages[usual:]) <= _USUAL_SHARE * room.tokens:
            cut = usual
        while 0 < cut < len(messages) and messages[cut].id == messages[cut - 1].id:
            cut += 1  # a reply that was recorded with its outputs is several messages here
        return cut

    def _with_request(self, shrunk: MessageClips, cut: int) -> int:
        """Where the tail begins: at the newest request, if it stands right before the cut because no room at all would
        hold it, and there is room for a part of it."""
        messages, size = shrunk.messages, self._counter.tokens
        newest = next((at for at in reversed(range(len(messages))) if is_request(messages[at])), None)
        left = self._room.tail - self._total(messages[cut:])
        if newest is None or newest != cut - 1 or left < _LEAST_REQUEST:
            return cut
        if size(messages[newest]) <= ASKED_SHARE * (self._limits.budget - self._limits.system):
            return cut
        found = self._shortener.clip([messages[newest]], left, size)
        if size(found.messages[0]) > left:
            return cut
        shrunk.clipped += self._clipped([messages[newest]], found.messages)
        messages[newest] = found.messages[0]
        shrunk.texts.update(found.texts)
        return newest

    def _clipped(self, whole: Sequence[Message], sent: Sequence[Message]) -> list[ClippedMessage]:
        """Messages of which less is sent, because they are larger than their room."""
        size, pairs = self._counter.tokens, zip(whole, sent, strict=True)
        return [ClippedMessage(id=new.id, tokens=size(old), shown=size(new)) for old, new in pairs if new is not old]


def _told_tokens(tokenizer: Tokenizer, message: Message) -> int:
    """The tokens of a message that is told as text; media are counted as they are."""
    text = Message(role=Role.USER, parts=(Text(text=step_text(message)), *media_of([message])))
    return count_message(text, tokenizer)


def window_start(messages: Pairs, tail: int, estimate: Callable[[Message], int]) -> int:
    """Returns where what may be in the tail begins, at the latest: everything before it is too far back to fit."""
    total, at = 0, len(messages)
    while at and total <= _SHRINKS * tail:
        at -= 1
        total += estimate(messages[at][1])
    while 0 < at < len(messages) and (messages[at][1].outputs or messages[at - 1][1].calls):
        at -= 1
    return at


def standing_orders(
    before: Pairs, prompt: Collection[int], tokens: int, size: Callable[[Message], int]
) -> list[tuple[int, Message]]:
    """Returns system messages that came among the others: they hold on when those are no longer sent word for word, the
    newest first as far as a share of the tokens allows. Those of the system ``prompt`` are sent anyway.
    """
    left = int(_STANDING_SHARE * tokens)
    out: list[tuple[int, Message]] = []
    for place, message in reversed(before):
        is_order = message.role is Role.SYSTEM and message.origin is Origin.SYSTEM and message.number not in prompt
        if not is_order or any(message.parts == other.parts for _, other in out):
            continue
        left -= size(message)
        if left < 0:
            break
        out.append((place, message))
    return out[::-1]


def without_open_step(pairs: list[tuple[int, Message]]) -> list[tuple[int, Message]]:
    """Returns the messages without a last step whose outputs have not all come; it is sent when they have."""
    waiting = set(open_calls([message for _, message in pairs]))
    last = next((at for at in reversed(range(len(pairs))) if pairs[at][1].calls), None)
    if last is None or not waiting & {call.id for call in pairs[last][1].calls}:
        return pairs
    after = [message for _, message in pairs[last + 1 :]]
    return pairs if any(not message.outputs for message in after) else pairs[:last]
