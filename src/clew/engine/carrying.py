"""What a line carries along from call to call, and whether it is time to compact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.compaction.policy import LEAST_FREED, Carried, due, near
from clew.compaction.prices import Price, price_of
from clew.domain import Epoch, Json, Message, Order, Role, Strategy, Why
from clew.engine.outgoing import Outgoing
from clew.engine.shaping import Shaper
from clew.engine.tail import Tail
from clew.engine.turns import Made, Turn
from clew.engine.watching import Watching
from clew.history.requests import is_request
from clew.packing.inputs import InputKind
from clew.text.actions import actions

if TYPE_CHECKING:
    from clew.engine.session import Session

#: What an agent is expected to read again after a compaction, where nothing was seen of it yet.
_USUAL_REREAD = 1_500
#: After so many calls it has shown what it needed again.
_SETTLED_CALLS = 6
#: Among so many of the newest messages a to-do list that was just closed is looked for.
_NEWEST = 3
_DONE = {"done", "dropped"}
#: More than this share of what was freed, read again at once: too little was kept.
_READ_AGAIN_SHARE = 0.25
_WIDER = 2
#: Compactions that would free too little, before Clew stops trying; the last of them goes as far as it can.
_TRIES = 3
#: Of the usual target, an aggressive compaction leaves this share, and no less than so many tokens.
_AGGRESSIVE_SHARE, _LEAST_TOKENS = 0.4, 1_200
_MINUTE_SECONDS = 60.0


class Carrying:
    def __init__(self, session: Session, outgoing: Outgoing, shaper: Shaper, *, budget: int) -> None:
        self._session, self._outgoing, self._shaper, self._budget = session, outgoing, shaper, budget
        self._futile = self._failures = 0
        self._last: tuple[Carried, int] | None = None
        self.is_read_again = False
        self._is_told = False

    def due(self, made: Made, tail: Tail, row: Json | None) -> Order | None:
        """The compaction that this pack calls for, if any."""
        config = self._session.engine.config.compaction
        if not config.auto:
            return None
        carried = self.carried(made, tail)
        self._last = (carried, self._recorded())
        self.is_read_again = _is_read_again(carried, made.epoch)
        why = due(carried, config, self._price())
        if why is None or self._is_held(why, carried):
            return None
        if why is not Why.HARD and (self._failures >= _TRIES or _freed_little(row)):
            self._tell_stopped()
            return None
        return self.order(why, row, read_again=self.is_read_again)

    def expected(self) -> tuple[Why | None, bool]:
        """Going by what was recorded since the last pack: why the next one will compact, and whether that is near."""
        config = self._session.engine.config.compaction
        if self._last is None or not config.auto:
            return None, False
        carried, recorded = self._last
        grown = replace(carried, context=carried.context + self._recorded() - recorded, at_border=False, is_cold=False)
        return due(grown, config, self._price()), near(grown, config, self._price())

    def _recorded(self) -> int:
        return self._session.tokens()

    def order(self, why: Why, row: Json | None, *, read_again: bool = False) -> Order:
        """What a compaction is to come to. One after another that was followed by reading the same things again keeps
        more; one after two that freed little goes further."""
        config = self._session.engine.config.compaction
        if _freed_little(row) or self._failures == _TRIES - 1:
            return aggressive(Order(why=why, tokens=config.target_tokens))
        wanted = config.target_tokens if config.when == "balanced" else 0
        return Order(why=why, strategy=Strategy(config.strategy), tokens=wanted * (_WIDER if read_again else 1))

    def failed(self, made: Made) -> None:
        """A new epoch would free too little; not tried again before there is clearly more to free."""
        self._futile, self._failures = int(made.tokens * (1 + LEAST_FREED)), self._failures + 1

    def succeeded(self) -> None:
        self._futile = self._failures = 0
        self._is_told = False
        self._last = None

    def carried(self, made: Made, tail: Tail) -> Carried:
        config, epoch = self._session.engine.config.compaction, made.epoch
        context = self._shaper.sizes(made.tail) + self._shaper.sizes(made.turn.messages)
        system = made.tokens - context
        room = int((self._budget - system) * self._session.engine.config.packing.epoch_fill)
        next = max(min(config.target_tokens, context, room), 1)
        calls, excess = self._paid(made.tail, epoch, next)
        return Carried(
            limit=self._budget,
            system=system,
            context=context,
            next=next,
            reread=self._reread(made.tail, tail, epoch, calls),
            excess=excess,
            calls=self._session.replies(),
            at_border=_is_border(made.tail, made.turn),
            is_cold=self._is_cold(tail),
            has_drifted=config.on_drift
            and context > config.floor_tokens
            and Watching(self._session).has_lapsed(epoch.at),
        )

    def _paid(self, messages: Sequence[Message], epoch: Epoch, next: int) -> tuple[int, int]:
        """Calls of this epoch, and what was sent in them beyond what a new one would leave."""
        calls = excess = total = 0
        for message in messages:
            if message.role is Role.ASSISTANT and message.id and int(message.id[1:]) > epoch.at:
                calls += 1
                excess += max(total - next, 0)
            total += self._shaper.size(message)
        return calls, excess

    def _reread(self, messages: Sequence[Message], tail: Tail, epoch: Epoch, calls: int) -> int:
        """Outputs of this epoch that say again what an earlier one had said before the cut."""
        if not epoch.snapshot or calls < _SETTLED_CALLS:
            return _USUAL_REREAD
        found = 0
        for message in messages:
            number = int(message.id[1:]) if message.id else 0
            if number > epoch.at and any(_repeats(form, epoch.cut) for form in tail.forms(number).values()):
                found += self._shaper.size(message)
        return found

    def _is_held(self, why: Why, carried: Carried) -> bool:
        """True when it was taken back, or has just been found of no use, and nothing forces it."""
        is_undone = bool(self._outgoing.lead().undone)
        return why is not Why.HARD and (is_undone or carried.system + carried.context < self._futile)

    def _tell_stopped(self) -> None:
        """Says once why Clew no longer compacts by itself."""
        if not self._is_told:
            self._is_told = True
            reason = "it freed less than a tenth each time: what is sent is nearly all system prompt or newest messages"
            self._session.engine.events.emit("compaction.stopped", session=self._session.id, reason=reason)

    def _is_cold(self, tail: Tail) -> bool:
        """True when nothing was sent for so long that the provider has forgotten the prefix."""
        config = self._session.engine.config.compaction
        now = self._session.engine.clock.now()
        return now - min(tail.replied_at, now) > config.cache_minutes * _MINUTE_SECONDS

    def _price(self) -> Price:
        return price_of(self._session.info.model, self._session.engine.config.prices)


def aggressive(order: Order) -> Order:
    """Goes further than what the others come to."""
    tokens = max(int(order.tokens * _AGGRESSIVE_SHARE), _LEAST_TOKENS)
    return replace(order, strategy=Strategy.AGGRESSIVE, tokens=tokens)


def _freed_little(row: Json | None) -> bool:
    freed = row.get("freed", ()) if row else ()
    return len(freed) > 1 and all(share < LEAST_FREED for share in freed)


def _is_read_again(carried: Carried, epoch: Epoch) -> bool:
    return bool(epoch.snapshot) and carried.reread > _READ_AGAIN_SHARE * max(epoch.before - epoch.after, 1)


def _repeats(form: Json, cut: int) -> bool:
    like = form.get("like")
    return any(number < cut for number in form.get("same", ())) or bool(like and like[0] < cut)


def _is_border(messages: Sequence[Message], turn: Turn) -> bool:
    """Where a task ends by itself: a person asks for something, or the list of what was to do has been closed."""
    if turn.input:
        return turn.input.kind is not InputKind.TOOL_RESPONSE
    if messages and is_request(messages[-1]):
        return True
    calls = [call for message in messages[-_NEWEST:] for call in message.calls]
    lists = [action.todos for call in calls for action in actions(call) if action.todos and not action.partial]
    return bool(lists) and all(todo.status in _DONE for todo in lists[-1])
