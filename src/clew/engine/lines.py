"""Lines: one target at one budget, and the epochs it lives through in a session.

Within an epoch what is sent only grows: the snapshot stands, messages follow in the form they were first sent in,
and an input stays as it was handed out. When it no longer fits, the next epoch begins, and the ledger says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.codecs import jsonio
from clew.compaction.policy import LEAST_FREED
from clew.digests.stored import restored
from clew.domain import Epoch, Json, Kind, Message, Order, Origin, Role, Sent, Shown, Text, Tool, Why
from clew.engine.beginning import Beginning, without_open_step
from clew.engine.carrying import Carrying
from clew.engine.encoding import Encoding
from clew.engine.outgoing import Outgoing, sent_json
from clew.engine.retrieving import Limits, Retriever
from clew.engine.shaping import Shaper
from clew.engine.summarising import summarise_ahead
from clew.engine.tail import Tail
from clew.engine.turns import Made, Turn
from clew.errors import BudgetExceeded
from clew.history.sending import SENT, epoch_row, sent_row
from clew.history.transcript import message_text
from clew.packing.allocation import Budget
from clew.packing.breakpoints import with_breakpoints
from clew.packing.formats import FORMATS, Section
from clew.packing.inputs import ensure_answers, is_same
from clew.packing.pack import headed
from clew.ports import Cancel, Tokenizer

if TYPE_CHECKING:
    from clew.engine.session import Session

#: What the message around something brought in costs, at most.
_FRAME_TOKENS = 24


#: A compaction by hand was told when it was done; a first epoch, or one after something else changed, is none.
_TOLD_ALREADY = {Why.HAND, Why.OVERFLOW, Why.FIRST, Why.CHANGED}
#: An epoch that was made ready is made anew after so many messages, and used while it has grown by no more than this.
_STALE_MESSAGES, _GROWN = 6, 1.6


@dataclass(frozen=True, slots=True)
class _Ready:
    """The next epoch, laid out ahead (None while that goes on), when the session had ``at`` messages."""

    order: Order
    epoch: Epoch | None
    at: int
    version: int
    tokens: int = 0


class Line:
    def __init__(
        self,
        session: Session,
        outgoing: Outgoing,
        retriever: Retriever,
        *,
        target: str,
        budget: int,
        tokenizer: Tokenizer,
    ) -> None:
        self._session, self._outgoing, self._retriever = session, outgoing, retriever
        self.target, self.budget, self._shaper = target, budget, Shaper(tokenizer)
        self.name, self.tokenizer = f"{target}/{budget}", tokenizer
        self._beginning = Beginning(session, outgoing, self._shaper, self._messages, target=target, budget=budget)
        self._carrying = Carrying(session, outgoing, self._shaper, budget=budget)
        self._epoch: tuple[int, Epoch] | None = None
        self._head: Message | None = None
        self._encoding = Encoding(target) if target != "text" else None
        self._tail = Tail(session, 1)
        self._shown: Epoch | None = None
        self._last: tuple[int, int, tuple[Message, ...]] = (0, 0, ())
        self._ready: _Ready | None = None
        self._twin: Line | None = None
        self._is_told = self._is_busy = False
        self._brought: set[str] = set()
        self._system: tuple[Sequence[Message], Sequence[Tool], int] | None = None

    def made(self, turn: Turn, *, record: bool) -> Made:
        """The pack of one turn. With ``record`` an epoch that begins is written down, and so is the input."""
        if self.target == "text":  # nobody caches a text: it is laid out anew each time, in all of its room
            return self._begun(turn, None, number=0, record=False)
        row = self._row()
        made, order, before = self._going_on(turn, row, record=record)
        if made is None:
            if record and order and order.why is Why.EXCEEDED:
                self._emit("started", reason=str(order.why))
            made = self._begun(turn, order, number=_number(row) + 1, record=record)
            made = self._sized(made, before)
        if not record:
            return made
        if order is None or order.why is Why.FIRST:
            made = self._compacted(made, row)
        if made.epoch.number > _number(row):
            if not self._write(made.epoch, row):
                return self.made(turn, record=record)  # another process was faster: its epoch is ours
            self._tell_of(made.epoch)
        self._last = (made.epoch.number, self._session.info.version, made.settled)
        if made.turn.messages:
            self._hand_out(made.turn)
        return made

    def thought(self, turn: Turn, order: Order) -> Made:
        """The pack that would follow a compaction; nothing is written."""
        return self._begun(turn, order, number=_number(self._row()) + 1, record=False)

    def _going_on(self, turn: Turn, row: Json | None, *, record: bool) -> tuple[Made | None, Order | None, int]:
        """The pack of the epoch that goes on; if none does, what the next is to come to; and how large it was."""
        epoch = self.current()
        if epoch is None:
            order = self._outgoing.order(row)
            if order is None and row and row["is_short"]:
                order = self._carrying.order(Why.CHANGED, row)
            return None, order or (Order(why=Why.FIRST) if record else None), 0
        made = self._within(epoch, turn, record=record)
        if made.tokens > self.budget:
            return None, self._carrying.order(Why.EXCEEDED, row) if record else None, made.tokens
        if not self._goes_on(made):
            return None, self._carrying.order(Why.CHANGED, row), made.tokens
        return made, None, made.tokens

    def _sized(self, made: Made, before: int) -> Made:
        """With the epoch that says what it took away."""
        self._shown = replace(made.epoch, before=before, after=made.tokens)
        return replace(made, epoch=self._shown)

    def _compacted(self, made: Made, row: Json | None) -> Made:
        """The pack, or one of a new epoch, if it is time for that and it frees enough."""
        order = self._carrying.due(made, self._tail, row)
        if order is None:
            self._make_ready(row)
            return made
        if self._is_busy:  # whoever hears of a compaction asks for a pack in the middle of it
            return made
        self._is_busy = True
        try:
            smaller = self._smaller(made, order, _number(row) + 1)
        finally:
            self._is_busy = False
        if smaller is not None and smaller.tokens <= made.tokens * (1 - LEAST_FREED):
            return self._sized(smaller, made.tokens)
        self._carrying.failed(made)
        self._emit("failed", reason="it would free less than a tenth of the prompt")
        self._shown = None
        return made

    def _smaller(self, made: Made, order: Order, number: int) -> Made | None:
        self._emit("started", reason=str(order.why))
        turn = made.turn.bare
        try:
            ready = self._from_ready(order, turn, number)
            if ready is not None and ready.tokens <= made.tokens * (1 - LEAST_FREED):
                return ready
            return self._begun(turn, order, number=number, record=True)
        except BudgetExceeded:  # what is guaranteed does not fit into less
            return None

    # ── the next epoch, kept ready ───────────────────────────────────────────────────────────────────

    def noticed(self) -> None:
        """Something was recorded: if the next pack will compact, that is told, and made ready meanwhile."""
        why, is_near = self._carrying.expected()
        if why is not None and not self._is_told:
            self._is_told = True
            self._emit("due", reason=str(why))
        if why is not None or is_near:
            self._make_ready(self._row())

    def _make_ready(self, row: Json | None) -> None:
        """Lays the next epoch out in the background, now and then anew while the session goes on."""
        engine, here = self._session.engine, self._session.info.messages
        is_fresh = self._ready is not None and here - self._ready.at < _STALE_MESSAGES
        if is_fresh or not engine.config.compaction.background or not self._carrying.expected()[1]:
            return
        order = self._carrying.order(Why.PAYS, row, read_again=self._carrying.is_read_again)
        self._ready = _Ready(order, None, here, self._session.info.version)
        engine.background.soon((self._session.key, self.name), lambda cancel: self._lay_out(order, cancel))

    def _lay_out(self, order: Order, cancel: Cancel) -> None:
        """In the background, on a handle of its own: nothing here is shared with whoever packs."""
        twin = self._twin = self._twin or self._session.twin_line(self)
        info = twin._session.info
        summarise_ahead(twin._session, order, cancel)
        if twin._session.engine.store.session(info.key) is None:  # purged meanwhile
            return
        system, tools = twin._outgoing.system_and_tools()
        turn = Turn(system=system, tools=tools, budget=Budget(self.budget), input=None)
        try:
            made = twin._begun(turn, order, number=0, record=True)
        except BudgetExceeded:  # what is guaranteed does not fit into less: there is nothing to make ready
            return
        self._ready = _Ready(order, made.epoch, info.messages, info.version, made.tokens)

    def _from_ready(self, order: Order, turn: Turn, number: int) -> Made | None:
        """The pack of the epoch that was laid out before, if it still is what is wanted."""
        ready, self._ready = self._ready, None
        is_wanted = ready and (ready.order.strategy, ready.order.tokens) == (order.strategy, order.tokens)
        if ready is None or ready.epoch is None or not is_wanted or ready.version != self._session.info.version:
            return None
        epoch = replace(ready.epoch, number=number, at=self._session.info.messages, why=order.why)
        made = self._within(epoch, turn, record=True)
        wanted = order.tokens or self.budget * self._session.engine.config.packing.epoch_fill
        most = _GROWN * max(wanted + self.system_tokens(turn), ready.tokens)
        return made if made.tokens <= most else None

    def _tell_of(self, epoch: Epoch) -> None:
        self._is_told = False
        if epoch.snapshot:
            self._carrying.succeeded()
        if epoch.snapshot and epoch.why not in _TOLD_ALREADY:
            told = {"before": epoch.before, "after": epoch.after, "strategy": epoch.strategy, "rung": epoch.rung}
            self._emit("complete", reason=str(epoch.why), epoch=epoch.number, **told)

    def _emit(self, name: str, **data: object) -> None:
        self._session.engine.events.emit(f"compaction.{name}", session=self._session.id, line=self.name, **data)

    def _goes_on(self, made: Made) -> bool:
        """False when a late or second output, or a reply that grew, would change what was sent: an epoch ends there.

        Rewriting is another matter: what was taken back is no longer sent, and the epoch goes on from before it.
        """
        number, version, settled = self._last
        is_same_line = number == made.epoch.number and version == self._session.info.version
        return not is_same_line or made.settled[: len(settled)] == settled

    def current(self) -> Epoch | None:
        """The epoch that goes on, as the ledger has it."""
        row = self._row()
        if not row or not row["seq"]:
            return None
        if self._epoch is None or self._epoch[0] != row["seq"]:
            self._epoch = (row["seq"], restored(Epoch, self._outgoing.about(row["seq"])["epoch"]))
        return self._epoch[1]

    def _row(self) -> Json | None:
        """What is known of the line's epochs."""
        row: Json | None = self._outgoing.rows().get(epoch_row(self.name))
        return row

    def _write(self, epoch: Epoch, row: Json | None) -> bool:
        return self._outgoing.write_epoch(epoch, before=row["seq"] if row else 0)

    # ── an epoch that begins ─────────────────────────────────────────────────────────────────────────

    def _begun(self, turn: Turn, order: Order | None, *, number: int, record: bool) -> Made:
        """A new epoch: everything if it fits and nothing else was asked for, else a snapshot and the newest steps."""
        why = order.why if order else Why.FIRST
        epoch = Epoch(line=self.name, number=number, at=self._session.info.messages, why=why)
        system, config = self.system_tokens(turn), self._session.engine.config.packing
        most = min(system + order.tokens, self.budget) if order and order.cap else self.budget
        filled = most if order and order.cap else system + int((most - system) * config.epoch_fill)
        whole = min(system + order.tokens, filled) if order and order.tokens else most
        if self._outgoing.may_fit(whole):
            made = self._within(epoch, turn, record=record)
            if made.tokens <= whole:
                return made
        failure = BudgetExceeded(most, {"system": system})
        for room in self._beginning.rooms(epoch.line, turn, system, order=order, grows=record):
            try:
                planned, full = self._beginning.planned(epoch, turn, room, self._with_added, order=order, system=system)
                made = self._within(planned, full, record=record, complete=True)
            except BudgetExceeded as error:
                failure = error
                continue
            if made.tokens <= most:
                return made
            failure = BudgetExceeded(most, {"pack": made.tokens})
        raise failure

    # ── an epoch that goes on ────────────────────────────────────────────────────────────────────────

    def _within(self, epoch: Epoch, turn: Turn, *, record: bool, complete: bool = False) -> Made:
        """The epoch's snapshot, all that came since its cut, and the input, with what it brings in."""
        if self._shown != epoch:
            whole = self._outgoing.everything() if epoch.first <= 1 else None
            self._tail, self._shown = whole or Tail(self._session, epoch.first), epoch
            self._shaper.forget()
        view = [pair for pair in self._tail.view() if epoch.sends(pair[0])]
        shaped = self._messages(self._tail, view, epoch)
        if turn.input:
            ensure_answers(turn.input, [message for _, message in shaped])
        elif record:
            known, shaped = len(shaped), without_open_step(shaped)
            complete = complete or len(shaped) < known  # nothing may come between a call and its output
        joins = bool(shaped) and shaped[0][0] <= epoch.at
        tail = self._headed([message for _, message in shaped], epoch, joins=joins)
        if not complete:
            system, input = self.system_tokens(turn), self._shaper.sizes(turn.asked)
            left = self.budget - system - input - self._shaper.sizes(tail)
            most = self._outgoing.knowledge(self.name, turn, system=system, input=input, grows=record)
            turn = self._with_added(turn, epoch.cut, min(left, most))
            turn = self._with_pinned(turn, epoch, left - self._shaper.sizes(turn.added) - _FRAME_TOKENS)
        if self._encoding is None:
            return self._as_text(epoch, tail, turn)
        return self._encoded(self._encoding, epoch, tail, turn)

    def _headed(self, tail: Sequence[Message], epoch: Epoch, *, joins: bool) -> tuple[Message, ...]:
        """The tail with the snapshot at its head; the same first message while both stay the same."""
        made = headed(tail, epoch.snapshot, joins=joins)
        if self._head and made and self._head == made[0]:
            return (self._head, *made[1:])
        self._head = made[0] if made else None
        return made

    def _encoded(self, encoding: Encoding, epoch: Epoch, tail: Sequence[Message], turn: Turn) -> Made:
        body, sent, repairs = encoding.request(turn.system, (*tail, *turn.messages), turn.tools, sealed_after=epoch.at)
        if self.target == "anthropic":
            body = with_breakpoints(body, snapshot=epoch.snapshot)
        tokens = self.system_tokens(turn) + self._shaper.sizes(sent)
        shown = self._sections(epoch, tail, turn)
        settled = sent[: len(sent) - len(turn.messages)]
        return Made(
            body=body,
            tokens=tokens,
            epoch=epoch,
            turn=turn,
            tail=tuple(tail),
            settled=settled,
            sections=shown,
            repairs=repairs,
        )

    def _as_text(self, epoch: Epoch, tail: Sequence[Message], turn: Turn) -> Made:
        """One text: the snapshot, messages in order, what was brought in, and the input."""
        format = FORMATS["text"]
        texts: list[str] = []
        if epoch.snapshot:
            texts.append(epoch.snapshot)
            tail = tail[1:]
        if tail:
            texts.append(format(Section("recent", 1, "\n\n".join(map(message_text, tail)))))
        texts += [message.text for message in turn.added]
        if turn.asked:
            texts.append(format(Section("input", 1, "\n\n".join(message.text for message in turn.asked))))
        body = "\n".join(texts)
        tokens = self._shaper.tokenizer.count(body)
        shown = self._sections(epoch, tail, turn)
        return Made(body=body, tokens=tokens, epoch=epoch, turn=turn, tail=tuple(tail), sections=shown)

    def _sections(self, epoch: Epoch, tail: Sequence[Message], turn: Turn) -> tuple[Shown, ...]:
        ids = tuple(message.id for message in tail if message.id)
        told = sum(section.tokens for section in epoch.sections)
        found = (
            ("system", 0, self.system_tokens(turn), ()),
            ("messages", 1, self._shaper.sizes(tail) - (told if self.target != "text" else 0), ids),
            ("retrieved", 5, 0 if turn.shown else self._shaper.sizes(turn.added), ()),
            ("input", 1, self._shaper.sizes(turn.asked), ()),
        )
        shown = [Shown(name=n, layer=at, tokens=size, sources=ids) for n, at, size, ids in found if size > 0]
        return (*epoch.sections, *turn.shown, *shown)

    # ── what was handed out ──────────────────────────────────────────────────────────────────────────

    def _with_added(self, turn: Turn, cut: int, room: int) -> Turn:
        """The turn with what it brings in. Asked again at the same place, it brings the same."""
        known = self._outgoing.rows().get(sent_row(self.name, self._session.info.messages))
        if known is not None and turn.input:
            sent = self._outgoing.sent(known)
            if sent.words == turn.asked and self._shaper.sizes(sent.added) <= room:
                return replace(turn, added=sent.added, reminders=sent.reminders, pinned=sent.pinned)
        if room <= _FRAME_TOKENS:
            return turn
        quota = self._session.engine.config.packing.retrieval_quota
        limits = Limits(cut=cut, room=room - _FRAME_TOKENS, quota=quota)
        count = self._shaper.tokenizer.count
        section = self._retriever.section(turn.input, self._outgoing.asking(self.name), limits, count)
        if section:
            turn = self._bringing(turn, section)
        left = limits.room - self._shaper.sizes(turn.added)
        if turn.input and (due := self._outgoing.reminders(left, count)):
            turn = replace(self._bringing(turn, due[0]), reminders=due[1])
        return turn

    def _with_pinned(self, turn: Turn, epoch: Epoch, room: int) -> Turn:
        """The turn with critical items that neither stand in what is sent nor were brought in since the epoch began."""
        told = {id for section in epoch.sections if section.name == "critical" for id in section.sources}
        told |= {*self._brought, *turn.pinned}
        section = self._outgoing.pinned(epoch, told, room, self._shaper.tokenizer.count)
        return replace(self._bringing(turn, section), pinned=(*turn.pinned, *section.sources)) if section else turn

    def _bringing(self, turn: Turn, section: Section) -> Turn:
        text = FORMATS[self.target](section)
        message = Message(role=Role.USER, origin=Origin.CLEW, parts=(Text(text=text),))
        size = self._shaper.size(message)
        shown = Shown(name=section.name, layer=section.layer, tokens=size, sources=section.sources)
        return replace(turn, added=(*turn.added, message), shown=(*turn.shown, shown))

    def _messages(self, tail: Tail, view: Sequence[tuple[int, Message]], epoch: Epoch) -> list[tuple[int, Message]]:
        """Messages as the epoch shows them, with the inputs that were handed out, where the session went on."""
        pairs = self._shaper.shaped(view, tail, epoch, self._outgoing.lead())
        return list(self._as_sent(pairs, epoch))

    def _as_sent(self, pairs: Sequence[tuple[int, Message]], epoch: Epoch) -> Iterator[tuple[int, Message]]:
        """An input that was recorded since stays as it was handed out, until the epoch ends. Notes what it pinned."""
        self._brought.clear()
        ahead = deque(self._sent(max(pairs[0][0] - 1, epoch.at)) if pairs else ())
        waiting: list[Sent] = []
        said: tuple[Message, ...] = ()
        for place, message in pairs:
            while ahead and ahead[0].after < place:
                waiting.append(ahead.popleft())
            if waiting and not waiting[-1].words:
                self._brought.update(waiting[-1].pinned)
                yield from ((place, word) for word in waiting[-1].messages)
                waiting = []
            elif match := next((one for one in reversed(waiting) if is_same(message, one.words)), None):
                self._brought.update(match.pinned)
                yield from ((place, word) for word in match.messages)
                waiting, said = [], match.words[1:]
                continue
            elif message.role is Role.ASSISTANT:
                waiting = []
            if not is_same(message, said):
                yield place, message

    def _sent(self, after: int) -> list[Sent]:
        rows = self._outgoing.rows().scan(sent_row(self.name, max(after, 0)), f"{SENT}{self.name}/~")
        return [self._outgoing.sent(seq) for _, seq in rows]

    def _hand_out(self, turn: Turn) -> None:
        """The input is recorded as it was sent, once for a place."""
        after = self._session.info.messages
        sent = Sent(
            line=self.name,
            after=after,
            words=turn.asked,
            added=turn.added,
            reminders=turn.reminders,
            pinned=turn.pinned,
        )
        known = self._outgoing.rows().get(sent_row(self.name, after))
        if known is None or self._outgoing.sent(known) != sent:
            self._outgoing.write(Kind.SENT, {"sent": sent_json(sent)})

    def system_tokens(self, turn: Turn) -> int:
        """What the caller's system prompt and tools take; they are sent byte for byte."""
        return self.system_alone(turn.system, turn.tools)

    def system_alone(self, system: Sequence[Message], tools: Sequence[Tool]) -> int:
        """Counted once while they stay the same: they are large, and part of every pack."""
        if self._system is None or self._system[0] is not system or self._system[1] is not tools:
            count = self._shaper.tokenizer.count
            said = sum(count(jsonio.dumps([tool.name, tool.description, tool.schema]).decode()) for tool in tools)
            self._system = (system, tools, self._shaper.sizes(system) + said)
        return self._system[2]


def _number(row: Json | None) -> int:
    """Of the last epoch that began."""
    return int(row["number"]) if row else 0
