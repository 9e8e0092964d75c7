"""How an epoch begins: where the history is cut, what shrinks, and the snapshot of all that comes before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.curation import blob_id
from clew.domain import Epoch, Message, Order, Role, Shown, Text
from clew.engine.outgoing import Outgoing
from clew.engine.shaping import Shaper, squeezed_forms, stale_forms, with_forms
from clew.engine.strategies import Strategies
from clew.engine.tail import Tail
from clew.engine.turns import Turn
from clew.errors import BudgetExceeded
from clew.history.normalise import normalised, safe_cuts
from clew.packing.formats import FORMATS
from clew.packing.inputs import open_calls
from clew.packing.pack import TAIL_SHARE, first_whole, last_step, snapshot_for
from clew.packing.snapshot import Told
from clew.packing.stale import stale_reads

if TYPE_CHECKING:
    from clew.engine.session import Session

#: The last tries, when what is guaranteed leaves no room for messages, or a plan came out too large.
_NARROWER = (1.0, 0.9, 0.75)
#: Headings around input and messages are not counted beforehand: a plan that came out a little too large is made
#: again with a little less.
_NEARLY, _HEADINGS = 0.98, 24
#: A newest step that is larger than the tail's share may take this much of the room.
_NEWEST_SHARE = 0.8
#: The usual number of newest messages may take this much of it.
_USUAL_SHARE = 0.6
#: Shortened outputs let in more than what fits as it is, but not more than this.
_SHRINKS = 4
_FRAME = Message(role=Role.USER, parts=(Text(text=""),))


@dataclass(frozen=True, slots=True)
class Room:
    """Tokens for snapshot, messages and what is added; how many of them messages may take; how many may be added; what
    is told goes by ``whole``. There may be ``spare`` tokens for a newest step that is larger than its share."""

    tokens: int
    tail: int
    added: int
    whole: int
    spare: int = 0
    is_last: bool = False

    def holding(self, newest: int) -> Room:
        """With room for the newest step as it is, if there is enough to spare: the work goes on from there."""
        more = newest - self.tail
        return self if more <= 0 or more > self.spare else replace(self, tokens=self.tokens + more, tail=newest)


#: Messages of a view as an epoch shows them, with their places.
Messages = Callable[[Tail, Sequence[tuple[int, Message]], Epoch], list[tuple[int, Message]]]
#: Gives the turn with what it brings in: from messages before a number, within so many tokens.
Adding = Callable[[Turn, int, int], Turn]


class Beginning:
    def __init__(
        self, session: Session, outgoing: Outgoing, shaper: Shaper, messages: Messages, *, target: str, budget: int
    ) -> None:
        self._session, self._outgoing, self._shaper, self._messages = session, outgoing, shaper, messages
        self._target, self._budget = target, budget
        self._strategies = Strategies(session, outgoing)

    def rooms(self, line: str, turn: Turn, system: int, *, order: Order | None, grows: bool) -> Iterator[Room]:
        """What is tried in turn: what is wanted, then more, if it may be. An epoch that grows leaves room for that, if
        what is guaranteed fits then. A text has no tail."""
        input = self._shaper.sizes(turn.asked)
        room = self._budget - system - input
        if room < 1:
            raise BudgetExceeded(self._budget, {"system": system, "input": input})
        wanted = order.tokens if order else 0
        if order and order.cap:
            room, grows = min(room, wanted), False
        config = self._session.engine.config.packing
        entitled = self._outgoing.knowledge(line, turn, system=system, input=input, grows=grows)
        nearly = max(int(room * _NEARLY) - _HEADINGS, 0)
        filled = int(room * config.epoch_fill) if grows or (order and not order.cap) else room
        sizes = [wanted, filled] if 0 < wanted < filled else [filled] if grows else []
        share = TAIL_SHARE if self._target != "text" else 0.0

        def tried(tokens: int, added: int, share: float) -> Room:
            is_wanted = tokens == wanted
            whole, spare = (tokens, room - tokens) if is_wanted else (room, 0)
            return Room(
                tokens, int((tokens - added) * share), added, whole, spare, is_last=tokens > filled or share == 0
            )

        for tokens in sizes:
            yield tried(tokens, min(entitled, tokens // 2), share)
            yield tried(tokens, 0, share / 2)
        if order and not order.why.is_forced:  # nobody has to have it: the newest step is not cut for it
            return
        yield from (tried(tokens, min(entitled, tokens // 2), share) for tokens in (room, nearly))
        yield from (tried(int(room * part), 0, 0.0) for part in _NARROWER)

    def planned(
        self, epoch: Epoch, turn: Turn, room: Room, add: Adding, *, order: Order | None, system: int
    ) -> tuple[Epoch, Turn]:
        everything, lead = self._outgoing.everything(), set(self._outgoing.lead().system)
        view = everything.view()
        pairs = self._messages(everything, view[self._window(view, everything, room.tail) :], epoch)
        if not turn.input:
            pairs = without_open_step(pairs)
        places = {message.id: place for place, message in pairs}
        room = room.holding(self._newest_size([message for _, message in pairs], turn, order))
        messages, forms = self._shrunk([message for _, message in pairs], turn, room.tail)
        cut = self._cut(messages, turn, room, order.keep_recent if order else None)
        first = next((places[message.id] for message in messages[cut:] if message.id), epoch.at + 1)
        turn = add(turn, first, room.added)
        taken = self._shaper.sizes((*messages[cut:], *turn.added, _FRAME))
        count = self._shaper.tokenizer.count
        chosen = self._strategies.choose(order, cut=first, room=room.tokens - taken, count=count)
        epoch = replace(epoch, cut=first, kept=chosen.kept, forms=forms, strategy=chosen.strategy, rung=chosen.rung)
        older = [m for place, m in view if place < first and int(m.id[1:]) not in lead and epoch.sends(place)]
        taken += self._shaper.sizes(older)
        before = [m for place, m in view if not epoch.sends(place) and int(m.id[1:]) not in lead]
        try:
            told = self._outgoing.told(room.whole, self._target, cut=first)
            critical = self._outgoing.critical(room.tokens, self._shaper.tokenizer.count)
            told = replace(
                told, summary=chosen.summary, sources=chosen.sources, chunks=chosen.chunks, critical=critical
            )
            sections, text = self._snapshot(before, told, room.tokens - taken)
        except BudgetExceeded as error:
            needed = {"system": system, "input": self._shaper.sizes(turn.asked), "messages": taken} | error.needed
            raise BudgetExceeded(self._budget, {name: size for name, size in needed.items() if size}) from None
        return replace(epoch, snapshot=text, sections=sections), turn

    def _newest_size(self, messages: Sequence[Message], turn: Turn, order: Order | None) -> int:
        """What has to stay word for word: the newest step, or as many messages as were asked for."""
        newest = min(last_step([*messages, *turn.asked]), len(messages))
        if order and order.keep_recent is not None:
            newest = min(newest, _keeping(messages, order.keep_recent))
        return self._shaper.sizes(messages[newest:])

    def _window(self, view: Sequence[tuple[int, Message]], tail: Tail, room: int) -> int:
        """Where what may be in the tail begins, at the latest: everything before it is too far back to fit."""
        total, at = 0, len(view)
        while at and total <= _SHRINKS * room:
            at -= 1
            total += self._shaper.weight(view[at][1], tail)
        while 0 < at < len(view) and (view[at][1].outputs or view[at - 1][1].calls):
            at -= 1
        return at

    def _shrunk(self, history: Sequence[Message], turn: Turn, tail: int) -> tuple[list[Message], dict[str, str]]:
        """Stale reads shrink first; then the newest step, if it is too large by itself."""
        config = self._session.engine.config.curation
        messages = list(normalised(history)[0])
        if not tail:
            return messages, {}
        forms = self._kept(stale_forms(messages, stale_reads(messages), config))
        messages = [with_forms(message, forms.get) for message in messages]
        newest = min(last_step([*messages, *turn.asked]), len(messages))
        if self._shaper.sizes(messages[newest:]) <= tail:
            return messages, forms
        more = self._kept(squeezed_forms(messages[newest:], config, tokens=tail))
        return [with_forms(message, more.get) for message in messages], forms | more

    def _kept(self, forms: dict[str, str]) -> dict[str, str]:
        """By id of the whole, which is kept: no marker without a text that can be read."""
        rows = self._outgoing.rows()
        for text in forms:
            if rows.blob(blob_id(text)) is None:
                rows.put_blob(text)
        return {blob_id(text): form for text, form in forms.items()}

    def _cut(self, messages: Sequence[Message], turn: Turn, room: Room, keep: int | None) -> int:
        """Where the tail begins: at the earliest step from which all fits, or at the newest, if need be in more than
        its share. With ``keep``, so many messages and the step they stand in, as far as they fit."""
        if not room.tail:
            return len(messages)
        if keep is not None:
            cut = _keeping(messages, keep)
            if self._shaper.sizes(messages[cut:]) <= max(_NEWEST_SHARE * room.tokens, room.tail):
                return cut
        answered, input = [*messages, *turn.asked], self._shaper.sizes(turn.asked)
        cut = first_whole(answered, self._shaper.size, room.tail + input)
        newest = last_step(answered)
        if cut > newest and self._shaper.sizes(answered[newest:]) <= _NEWEST_SHARE * room.tokens + input:
            cut = newest
        if cut > newest and not room.is_last:
            raise BudgetExceeded(self._budget, {"messages": self._shaper.sizes(answered[newest:])})
        cut = min(cut, len(messages))
        usual = _keeping(messages, self._session.engine.config.compaction.keep_recent)
        if usual < cut and self._shaper.sizes(messages[usual:]) <= _USUAL_SHARE * room.tokens:
            cut = usual
        while 0 < cut < len(messages) and messages[cut].id == messages[cut - 1].id:
            cut += 1  # a reply that was recorded with its outputs is several messages here
        return cut

    def _snapshot(self, messages: Sequence[Message], told: Told, room: int) -> tuple[tuple[Shown, ...], str]:
        count, format = self._shaper.tokenizer.count, FORMATS[self._target]
        sections, text = snapshot_for(messages, told, room=room, count=count, target=self._target)
        shown = (
            Shown(name=one.name, layer=one.layer, tokens=count(format(one)), sources=one.sources)
            for one in sections
            if one.text
        )
        return tuple(shown), text


def _keeping(messages: Sequence[Message], keep: int) -> int:
    """Where so many messages begin, at the border of the step they stand in."""
    wanted = [at for at in safe_cuts(messages) if at <= len(messages) - keep]
    return wanted[-1] if wanted else 0


def without_open_step(pairs: list[tuple[int, Message]]) -> list[tuple[int, Message]]:
    """Without a last step whose outputs have not all come: it is sent when they have."""
    waiting = set(open_calls([message for _, message in pairs]))
    last = next((at for at in reversed(range(len(pairs))) if pairs[at][1].calls), None)
    if last is None or not waiting & {call.id for call in pairs[last][1].calls}:
        return pairs
    after = [message for _, message in pairs[last + 1 :]]
    return pairs if any(not message.outputs for message in after) else pairs[:last]
