"""Lines: one target at one budget, and the epochs it lives through in a session.

Within an epoch what is sent only grows: the snapshot stands, messages follow in the form they were first sent in,
and an input stays as it was handed out. When it no longer fits, the next epoch begins, and the ledger says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.codecs import jsonio, registry
from clew.curation import blob_id
from clew.digests.stored import restored, stored
from clew.domain import Epoch, Json, Kind, Message, Repair, Role, Sent, Shown, Text, Tool
from clew.engine.outgoing import Outgoing, sent_json
from clew.engine.shaping import calls_by_id, chosen_form, shrunk, with_forms, without_seals
from clew.engine.tail import Tail
from clew.errors import BudgetExceeded
from clew.history.normalise import normalised
from clew.history.sending import SENT, epoch_row, sent_row
from clew.history.transcript import message_text
from clew.packing.breakpoints import with_breakpoints
from clew.packing.formats import FORMATS, Section
from clew.packing.inputs import Input, ensure_answers, open_calls
from clew.packing.pack import TAIL_SHARE, first_whole, headed, last_step, snapshot_for
from clew.packing.stale import stale_reads
from clew.ports import Tokenizer
from clew.rules import repair as repaired
from clew.tokens.counting import count_message

if TYPE_CHECKING:
    from clew.engine.session import Session

#: The last tries, when what is guaranteed leaves no room for messages, or a plan came out too large.
_NARROWER = (1.0, 0.9, 0.75)
_FRAME = Message(role=Role.USER, parts=(Text(text=""),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What is sent, and the epoch it belongs to. ``messages`` are those that follow the snapshot."""

    body: Json | str
    tokens: int
    epoch: Epoch
    messages: tuple[Message, ...]
    sections: tuple[Shown, ...]
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one pack is made of beside the history: the caller's part, what we add, and the input."""

    system: tuple[Message, ...]
    tools: tuple[Tool, ...]
    added: tuple[Message, ...]
    input: Input | None

    @property
    def messages(self) -> tuple[Message, ...]:
        return (*self.added, *(self.input.messages() if self.input else ()))


class Line:
    def __init__(self, session: Session, outgoing: Outgoing, *, target: str, budget: int, tokenizer: Tokenizer) -> None:
        self._session, self._outgoing = session, outgoing
        self.target, self.budget, self._tokenizer = target, budget, tokenizer
        self.name = f"{target}/{budget}"
        self._epoch: tuple[int, Epoch] | None = None
        self._tail, self._shown = Tail(session, 1), (0, 0)
        self._forget()

    def _forget(self) -> None:
        self._sizes: dict[int, tuple[Message, int]] = {}
        self._shapes: dict[int, tuple[Message, Message]] = {}

    # ── making ───────────────────────────────────────────────────────────────────────────────────────

    def made(self, turn: Turn, *, record: bool) -> Made:
        """The pack of one turn. With ``record`` an epoch that begins is written down, and so is the input."""
        if self.target == "text":  # nobody caches a text: it is laid out anew each time, in all of its room
            return self._begun(turn, number=0, record=False)
        epoch = self.current()
        made = self._within(epoch, turn, record=record) if epoch else None
        if made is None or made.tokens > self.budget:
            made = self._begun(turn, number=self._last_number() + 1, record=record)
            if record:
                self._outgoing.write(Kind.EPOCH, {"epoch": stored(made.epoch)})
        if record and turn.messages:
            self._hand_out(turn)
        return made

    def current(self) -> Epoch | None:
        """The epoch that goes on, as the ledger has it."""
        row = self._outgoing.rows().get(epoch_row(self.name))
        if not row or not row["seq"]:
            return None
        if self._epoch is None or self._epoch[0] != row["seq"]:
            self._epoch = (row["seq"], restored(Epoch, self._outgoing.about(row["seq"])["epoch"]))
        return self._epoch[1]

    def _last_number(self) -> int:
        row = self._outgoing.rows().get(epoch_row(self.name))
        return int(row["number"]) if row else 0

    def _within(self, epoch: Epoch, turn: Turn, *, record: bool) -> Made:
        """The epoch's snapshot, all that came since its cut, and the input."""
        if self._tail.first != epoch.cut or self._shown != (epoch.number, epoch.cut):
            self._tail, self._shown = Tail(self._session, epoch.cut), (epoch.number, epoch.cut)
            self._forget()
        shaped = self._shaped(self._tail, epoch)
        if turn.input:
            ensure_answers(turn.input, [message for _, message in shaped])
        elif record:
            shaped = _without_open_step(shaped)
        joins = bool(shaped) and shaped[0][0] <= epoch.at
        messages = tuple(message for _, message in self._as_sent(shaped))
        return self._encoded(epoch, messages, turn, joins=joins)

    def _encoded(self, epoch: Epoch, tail: Sequence[Message], turn: Turn, *, joins: bool) -> Made:
        sent = (*headed(tail, epoch.snapshot, joins=joins), *turn.messages)
        if self.target == "text":
            return self._as_text(epoch, tail, turn)
        sent, repairs = normalised(sent)
        request = registry.encoder(self.target).encode((*turn.system, *sent), tools=turn.tools)
        body, more = repaired(request.body, self.target)
        if self.target == "anthropic":
            body = with_breakpoints(body, snapshot=epoch.snapshot)
        tokens = self.extra(turn) + sum(map(self._size, sent))
        shown = (*epoch.sections, *_shown(tail, turn, self._size))
        return Made(
            body=body, tokens=tokens, epoch=epoch, messages=tuple(tail), sections=shown, repairs=(*repairs, *more)
        )

    def _as_text(self, epoch: Epoch, tail: Sequence[Message], turn: Turn) -> Made:
        """One text: the caller's part, the snapshot, then messages in order; it grows at its end only."""
        format, count = FORMATS["text"], self._tokenizer.count
        head = [format(Section("system", 0, message.text)) for message in turn.system]
        texts = [*head, *([epoch.snapshot] if epoch.snapshot else [])]
        recent = [*tail, *turn.messages]
        if recent:
            texts.append(format(Section("recent", 1, "\n\n".join(map(message_text, recent)))))
        body = "\n".join(texts)
        shown = (*epoch.sections, *_shown(tail, turn, lambda message: count(message_text(message))))
        return Made(body=body, tokens=count(body), epoch=epoch, messages=tuple(tail), sections=shown)

    # ── beginning an epoch ───────────────────────────────────────────────────────────────────────────

    def _begun(self, turn: Turn, *, number: int, record: bool) -> Made:
        """A new epoch: everything if it fits, else a snapshot and the newest steps."""
        epoch = Epoch(line=self.name, number=number, at=self._session.info.messages)
        everything = Tail(self._session, 1)
        made = self._within(epoch, turn, record=record)
        if made.tokens <= self.budget:
            return made
        for room, share in self._rooms(turn, record=record):
            try:
                planned = self._planned(epoch, everything, turn, room=room, tail=int(room * share), record=record)
                made = self._within(planned, turn, record=record)
            except BudgetExceeded as error:
                failure = error
                continue
            if made.tokens <= self.budget:
                return made
            failure = BudgetExceeded(self.budget, {"pack": made.tokens})
        raise failure

    def _rooms(self, turn: Turn, *, record: bool) -> list[tuple[int, float]]:
        """Tokens for snapshot and tail, and the tail's share, as they are tried in turn.

        An epoch that is to go on leaves room to grow into, if what is guaranteed fits then. A pack that comes out
        larger than planned (marks of the provider, repairs) is planned smaller.
        """
        system, input = self.extra(turn), sum(map(self._size, turn.messages))
        room = self.budget - system - input
        if room < 1:
            raise BudgetExceeded(self.budget, {"system": system, "input": input})
        fill = self._session.engine.config.packing.epoch_fill
        filled = int(self.budget * fill) - system - input
        first = [(filled, TAIL_SHARE)] if record and filled > 0 else []
        return [*first, (room, TAIL_SHARE), *((int(room * part), 0.0) for part in _NARROWER)]

    def _planned(self, epoch: Epoch, everything: Tail, turn: Turn, *, room: int, tail: int, record: bool) -> Epoch:
        """Where to cut, which outputs to shrink, and the snapshot of all that comes before."""
        pairs = self._shaped(everything, epoch)
        if record and not turn.input:
            pairs = _without_open_step(pairs)
        places = {message.id: place for place, message in pairs}
        messages = list(normalised(message for _, message in pairs)[0])
        forms = self._stale_forms(messages)
        messages = [with_forms(message, forms.get) for message in messages]
        cut, more = self._cut(messages, turn, tail) if self.target != "text" else (len(messages), {})
        messages = [with_forms(message, more.get) for message in messages]
        cut = _whole_message(messages, cut)
        first = places[messages[cut].id] if cut < len(messages) else epoch.at + 1
        kept = sum(map(self._size, messages[cut:])) + self._size(_FRAME)
        before = [message for place, message in everything.view() if place < first]
        try:
            sections, text = self._snapshot(before, room - kept)
        except BudgetExceeded as error:
            others = {"system": self.extra(turn), "input": sum(map(self._size, turn.messages)), "messages": kept}
            needed = {name: tokens for name, tokens in others.items() if tokens} | error.needed
            raise BudgetExceeded(self.budget, needed) from None
        return replace(epoch, cut=first, snapshot=text, sections=sections, forms=forms | more)

    def _snapshot(self, messages: Sequence[Message], room: int) -> tuple[tuple[Shown, ...], str]:
        lead, count, format = set(self._outgoing.lead().system), self._tokenizer.count, FORMATS[self.target]
        told = [message for message in messages if int(message.id[1:]) not in lead]
        sections, text = snapshot_for(
            told, self._outgoing.told(self.budget), room=room, count=count, target=self.target
        )
        shown = (
            Shown(name=one.name, layer=one.layer, tokens=count(format(one)), sources=one.sources)
            for one in sections
            if one.text
        )
        return tuple(shown), text

    def _cut(self, messages: Sequence[Message], turn: Turn, room: int) -> tuple[int, dict[str, str]]:
        """Where the tail begins. The newest step is in it, if need be with its outputs shortened."""
        answered = [*messages, *(turn.input.messages() if turn.input else ())]
        sizes = [self._size(message) for message in answered]
        cut = min(first_whole(answered, sizes, room + sum(sizes[len(messages) :])), len(messages))
        newest = min(last_step(answered), len(messages))
        if cut <= newest or newest == len(messages) or not room:
            return cut, {}
        forms = self._squeezed(messages[newest:], room)
        smaller = [with_forms(message, forms.get) for message in messages[newest:]]
        return (newest, forms) if sum(map(self._size, smaller)) <= room else (cut, {})

    def _squeezed(self, step: Sequence[Message], room: int) -> dict[str, str]:
        """Outputs of a step that is too large, each within its share of the room."""
        texts = [(output, output.text) for message in step for output in message.outputs]
        total = sum(len(text) for _, text in texts) or 1
        calls, config = calls_by_id(step), self._session.engine.config.curation
        forms: dict[str, str] = {}
        for output, text in texts:
            limit = int(2.2 * room * len(text) / total)
            if (form := shrunk(text, calls.get(output.call_id), config, limit_chars=max(limit, 80))) is not None:
                self._keep(text, form, forms)
        return forms

    def _stale_forms(self, messages: Sequence[Message]) -> dict[str, str]:
        stale, calls = stale_reads(messages), calls_by_id(messages)
        config = self._session.engine.config.curation
        forms: dict[str, str] = {}
        for output in (output for message in messages for output in message.outputs if output.call_id in stale):
            if config.enabled and (form := shrunk(output.text, calls.get(output.call_id), config)) is not None:
                self._keep(output.text, form, forms)
        return forms

    def _keep(self, text: str, form: str, forms: dict[str, str]) -> None:
        """No marker without a whole that can be read."""
        rows = self._outgoing.rows()
        if rows.blob(blob_id(text)) is None:
            rows.put_blob(text)
        forms[blob_id(text)] = form

    # ── the messages of an epoch ─────────────────────────────────────────────────────────────────────

    def _shaped(self, tail: Tail, epoch: Epoch) -> list[tuple[int, Message]]:
        """The tail as the epoch shows it, with places."""
        lead = set(self._outgoing.lead().system)
        edited = bool(epoch.snapshot)
        out: list[tuple[int, Message]] = []
        for place, message in tail.view():
            number = int(message.id[1:])
            if number in lead:
                continue
            shaped = self._shape(message, number, tail, epoch)
            edited = edited or (shaped is not message and number <= epoch.at)
            if edited and number <= epoch.at:
                shaped = self._once(shaped, without_seals)
            if shaped.parts:
                out.append((place, shaped))
        return out

    def _shape(self, message: Message, number: int, tail: Tail, epoch: Epoch) -> Message:
        forms = tail.forms(number)
        frozen = epoch.forms if number <= epoch.at else {}
        if not message.outputs or not (forms or frozen):
            return message

        def form_of(blob: str) -> str | None:
            return frozen.get(blob) or chosen_form(forms.get(blob), cut=epoch.cut, shrunk=epoch.forms)

        return self._once(message, lambda one: with_forms(one, form_of))

    def _once(self, message: Message, shape: Callable[[Message], Message]) -> Message:
        """The same object for the same message, so that it is counted once; forgotten when the next epoch begins."""
        known = self._shapes.get(id(message))
        if known is None or known[0] is not message:
            known = self._shapes[id(message)] = (message, shape(message))
        return known[1]

    def _as_sent(self, pairs: Sequence[tuple[int, Message]]) -> Iterable[tuple[int, Message]]:
        """Messages with the inputs that were handed out, where the session has gone on from them."""
        sent = self._sent(pairs[0][0] - 1) if pairs else []
        at = 0
        for one in sent:
            while at < len(pairs) and pairs[at][0] <= one.after:
                yield pairs[at]
                at += 1
            if at == len(pairs):
                return
            place, message = pairs[at]
            yield from ((place, added) for added in one.messages[: one.added])
            words = one.messages[one.added :]
            if words and _is_same_input(message, words[0]):
                yield place, replace(words[0], id=message.id)
                yield from ((place, extra) for extra in words[1:])
                at += 1
            else:
                yield from ((place, extra) for extra in words)
        yield from pairs[at:]

    def _sent(self, after: int) -> list[Sent]:
        rows = self._outgoing.rows()
        found = rows.scan(sent_row(self.name, max(after, 0)), f"{SENT}{self.name}/~")
        return [self._outgoing.sent(seq) for _, seq in found]

    def _hand_out(self, turn: Turn) -> None:
        """The input is recorded as it was sent, once for a place."""
        after = self._session.info.messages
        sent = Sent(line=self.name, after=after, messages=turn.messages, added=len(turn.added))
        known = self._outgoing.rows().get(sent_row(self.name, after))
        if known is None or self._outgoing.sent(known) != sent:
            self._outgoing.write(Kind.SENT, {"sent": sent_json(sent)})

    # ── sizes ────────────────────────────────────────────────────────────────────────────────────────

    def extra(self, turn: Turn) -> int:
        """What the caller's system prompt and tools take; they are sent byte for byte."""
        count = self._tokenizer.count
        tools = sum(count(jsonio.dumps([tool.name, tool.description, tool.schema]).decode()) for tool in turn.tools)
        return sum(map(self._size, turn.system)) + tools

    def _size(self, message: Message) -> int:
        known = self._sizes.get(id(message))
        if known is None or known[0] is not message:
            known = self._sizes[id(message)] = (message, count_message(message, self._tokenizer))
        return known[1]


def _without_open_step(pairs: list[tuple[int, Message]]) -> list[tuple[int, Message]]:
    """Without a last step whose outputs have not all come: it is sent when they have."""
    waiting = set(open_calls([message for _, message in pairs]))
    last = next((at for at in reversed(range(len(pairs))) if pairs[at][1].calls), None)
    if last is None or not waiting & {call.id for call in pairs[last][1].calls}:
        return pairs
    after = [message for _, message in pairs[last + 1 :]]
    return pairs if any(not message.outputs for message in after) else pairs[:last]


def _whole_message(messages: Sequence[Message], cut: int) -> int:
    """A reply that was recorded with its outputs is several messages here: a cut inside moves to its end."""
    while 0 < cut < len(messages) and messages[cut].id == messages[cut - 1].id:
        cut += 1
    return cut


def _is_same_input(message: Message, words: Message) -> bool:
    if words.outputs:
        return {one.call_id for one in words.outputs} == {one.call_id for one in message.outputs}
    return message.role is Role.USER and message.text.split() == words.text.split()


def _shown(tail: Sequence[Message], turn: Turn, size: object) -> tuple[Shown, ...]:
    assert callable(size)
    parts = (("messages", 1, tail), ("retrieved", 5, turn.added), ("input", 1, turn.messages[len(turn.added) :]))
    return tuple(
        Shown(
            name=name,
            layer=layer,
            tokens=sum(size(message) for message in messages),
            sources=tuple(message.id for message in messages if message.id),
        )
        for name, layer, messages in parts
        if messages
    )
