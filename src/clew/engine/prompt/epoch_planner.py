"""The epoch planner:
chooses where the history is cut, what shrinks, and what the snapshot says of all that comes before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from clew.compaction.presets import PRESETS
from clew.domain import (
    ClippedMessage,
    CompactionRequest,
    Epoch,
    Message,
    Origin,
    Role,
    SectionReport,
    Text,
    Trigger,
)
from clew.engine.compactor.strategies import Strategies, StrategyResult
from clew.engine.epochs.message_clips import MessageClips, clip_messages
from clew.engine.epochs.message_renderer import MessageRenderer
from clew.engine.epochs.output_forms import forms_by_id, squeezed_forms, stale_forms, with_texts
from clew.engine.epochs.prompt_log import PromptLog
from clew.engine.epochs.prompt_view import PromptView
from clew.engine.epochs.turn import BuiltPrompt, Turn
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.prompt.builder import PromptBuilder, without_open_step
from clew.engine.prompt.injections import Injections
from clew.engine.prompt.least_prompt import LeastPrompt, clip_input, sizes_of
from clew.engine.prompt.snapshot_collector import SnapshotCollector, report_snapshot
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services
from clew.errors import BudgetExceeded
from clew.history.repair.rules import repair_history
from clew.history.user_requests import is_request
from clew.knowledge.layout import Layout
from clew.packing.cuts import cut_keeping, earliest_cut_that_fits, newest_step_start
from clew.packing.rooms import ASKED_SHARE, Room, rooms_to_try
from clew.packing.stale_reads import stale_reads
from clew.packing.told_steps import media_of, open_loop, step_text, tell_steps, thinks
from clew.rules.thinking_modes import MANUAL, may_be_manual
from clew.tokens.counts import count_message
from clew.tokens.models import model_info

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
#: Stands for the snapshot while messages are measured: what is sent after one has no sealed thinking.
_PLANNED = "…"
_FRAME = Message(role=Role.USER, parts=(Text(text=""),))


@dataclass(frozen=True, slots=True)
class _Plan:
    """An epoch with its snapshot, the turn with what it brings in, and the texts that the epoch shortens."""

    epoch: Epoch
    turn: Turn
    full_texts: tuple[str, ...]


class EpochPlanner:
    """Plans the epochs of one stream. It writes nothing."""

    def __init__(
        self,
        ledger: SessionLedger,
        reader: SessionReader,
        services: Services,
        *,
        builder: PromptBuilder,
        renderer: MessageRenderer,
        injections: Injections,
        log: PromptLog,
        collector: SnapshotCollector,
        strategies: Strategies,
        full_view: PromptView,
    ) -> None:
        self._ledger, self._reader, self._services = ledger, reader, services
        self._builder, self._renderer = builder, renderer
        self._injections, self._log, self._collector = injections, log, collector
        self._strategies, self._full_view = strategies, full_view
        self._target, self._budget = builder.target, builder.budget
        self._least = LeastPrompt(builder, renderer, collector, log=log, full_view=full_view, begin=self.begin)

    def plan_epoch(self, turn: Turn, request: CompactionRequest | None, *, number: int, record: bool) -> BuiltPrompt:
        """Returns the first prompt of a new epoch:
        everything if it fits and no target was asked for, else a snapshot and the newest steps.

        Raises BudgetExceeded, with the sizes needed, when even the least does not fit.
        """
        trigger = request.trigger if request else Trigger.FIRST
        self._builder.ask(turn)
        epoch = self.with_beginning(self._new_epoch(number, trigger), turn)
        try:
            return self._first_that_fits(epoch, turn, request, record=record)
        except BudgetExceeded:
            if request and not request.trigger.is_forced:  # nobody has to have it
                raise
        most, _ = self._limits(request, self.system_tokens(turn))
        least = self._least.build(epoch, turn, record=record)
        if least.tokens > most:
            raise BudgetExceeded(most, sizes_of(least))
        return self._with_clipped_input(epoch, turn, request, least, record=record) or least

    def plan_everything(self, turn: Turn, *, number: int) -> BuiltPrompt | None:
        """Returns the first prompt of an epoch that sends everything word for word; None if that does not fit."""
        self._builder.ask(turn)
        if not self._collector.may_fit(self._budget):
            return None
        epoch = self.with_beginning(self._new_epoch(number, Trigger.FIRST), turn)
        prompt = self.begin(epoch, turn, record=True)
        fits = prompt.tokens <= self._budget
        return replace(prompt, epoch=replace(prompt.epoch, tokens_after=prompt.tokens)) if fits else None

    def with_beginning(self, epoch: Epoch, turn: Turn) -> Epoch:
        """Returns an epoch with what holds for as long as it lasts, as it is now: system prompt, modules, templates,
        feedback.
        """
        own = replace(epoch, system=turn.composed, modules=turn.modules, layout=turn.layout.own)
        return replace(own, feedback=self._injections.feedback())

    def _first_that_fits(
        self, epoch: Epoch, turn: Turn, request: CompactionRequest | None, *, record: bool
    ) -> BuiltPrompt:
        system = self.system_tokens(turn)
        most, whole = self._limits(request, system)
        if self._collector.may_fit(whole):
            prompt = self.begin(epoch, turn, record=record)
            if prompt.tokens <= whole:
                return prompt
        failure = BudgetExceeded(most, {"system": system})
        for room in self._rooms(turn, system, request=request, grows=record):
            try:
                plan = self._plan(epoch, turn, room, request=request, system=system)
                prompt = self.begin(plan.epoch, plan.turn, record=record, complete=True)
            except BudgetExceeded as error:
                failure = error
                continue
            if prompt.tokens <= most:
                return replace(prompt, full_texts=plan.full_texts)
            failure = BudgetExceeded(most, {"pack": prompt.tokens})
        raise failure

    # ── a loop of calls that cannot go on as it is ───────────────────────────────────────────────────

    def begin(self, epoch: Epoch, turn: Turn, *, record: bool, complete: bool = False) -> BuiltPrompt:
        """Builds the first prompt of an epoch. A loop of calls that would go on without its thinking, where the request
        may be one with manual thinking, is told as text.
        """
        prompt = self._builder.build(epoch, turn, record=record, complete=complete)
        if not prompt.bare_loop or not self._tells_loop(turn):
            return prompt
        view = self._full_view.messages()
        told_from = next(place for place, message in view if message.number == prompt.bare_loop)
        return self._builder.build(replace(epoch, told_from=told_from), turn, record=record, complete=complete)

    def _tells_loop(self, turn: Turn) -> bool:
        """True where the session ends inside a loop of calls that thinking belongs to, or may have to."""
        if self._target != "anthropic" or not self.may_be_manual(turn):
            return False
        messages = [message for _, message in self._full_view.messages()]
        start = open_loop(messages)
        return start is not None and (turn.thinking == MANUAL or any(map(thinks, messages[start:])))

    def _told_tokens(self, message: Message) -> int:
        """The tokens of a message that is told as text; media are counted as they are."""
        text = Message(role=Role.USER, parts=(Text(text=step_text(message)), *media_of([message])))
        return count_message(text, self._renderer.tokenizer)

    def _tail_tokens(self, tail: Sequence[Message], turn: Turn) -> int:
        """The tokens of the tail of a new epoch, beside those of the input. Steps as text take less than calls."""
        start = open_loop(tail) if self._tells_loop(turn) else None
        if start is None:
            return self._renderer.total_tokens(tail)
        input = turn.input_messages if turn.answers_call else ()
        told = tell_steps([*tail[start:], *input])
        return self._renderer.total_tokens((*tail[:start], told)) - self._renderer.total_tokens(input)

    def may_be_manual(self, turn: Turn) -> bool:
        """Returns True where the request may be one with manual thinking: so says the turn, or the model that the
        session names, or the one that replied last. For others the strictest holds.
        """
        replied = self._builder.view.newest_model()
        names = (turn.model, self._reader.info.model, replied)
        model = next((name for name in names if model_info(name).family == "claude"), "")
        return may_be_manual(turn.thinking, model)

    def whole(self, turn: Turn) -> BuiltPrompt:
        """Returns every message word for word, whether or not they fit: counted, but not encoded. Of what a client has
        put a summary in place of, the summary."""
        kept_from = max(self._reader.usage().kept_from, 1)
        return self._builder.count_all(replace(self._new_epoch(0, Trigger.FIRST), tail_start=kept_from), turn)

    # ── the least, and inputs that are too large ─────────────────────────────────────────────────────

    def _with_clipped_input(
        self, epoch: Epoch, turn: Turn, request: CompactionRequest | None, least: BuiltPrompt, *, record: bool
    ) -> BuiltPrompt | None:
        """A prompt with as much of the input as there is room for; None where the input is not what is too large."""
        system = self.system_tokens(turn)
        most, _ = self._limits(request, system)
        size = self._renderer.total_tokens
        room = min(int(ASKED_SHARE * (most - system)), size(least.turn.input_messages) + most - least.tokens)
        if not turn.input_messages or size(turn.input_messages) <= room:
            return None
        try:
            return self._first_that_fits(epoch, clip_input(turn, room, self._renderer), request, record=record)
        except BudgetExceeded:
            return None

    # ── rooms ────────────────────────────────────────────────────────────────────────────────────────

    def system_tokens(self, turn: Turn) -> int:
        """Returns the tokens of the caller's system prompt and tools, as an epoch that started now would count them."""
        self._renderer.count_as(self._new_epoch(0, Trigger.FIRST))
        return self._builder.system_tokens(turn.system, turn.tools)

    def with_ratio(self, epoch: Epoch) -> Epoch:
        """Returns an epoch that was stored before epochs said how they count, with what the replies have shown."""
        model = self._renderer.model
        return epoch if epoch.model else replace(epoch, model=model, ratio=self._reader.calibrated_ratio(model))

    def _new_epoch(self, number: int, trigger: Trigger) -> Epoch:
        """An epoch that starts here, and counts by what the model's replies have shown so far."""
        model = self._renderer.model
        return Epoch(
            stream=self._builder.name,
            number=number,
            started_at=self._ledger.info.messages,
            trigger=trigger,
            model=model,
            ratio=self._reader.calibrated_ratio(model),
        )

    def _limits(self, request: CompactionRequest | None, system: int) -> tuple[int, int]:
        """The most that a prompt may take, and the most that is sent without a snapshot."""
        fill = self._services.config.packing.epoch_fill
        if request and request.cap:
            most = filled = min(system + request.tokens, self._budget)
        else:
            most, filled = self._budget, system + int((self._budget - system) * fill)
        return most, min(system + request.tokens, filled) if request and request.tokens else most

    def _rooms(self, turn: Turn, system: int, *, request: CompactionRequest | None, grows: bool) -> Iterator[Room]:
        """What is tried in turn, of what system prompt and input leave."""
        input = self._renderer.total_tokens(turn.input_messages)
        left, config = self._budget - system - input, self._services.config
        if request and request.cap:
            left, grows = min(left, request.tokens), False
        if left < 1:
            raise BudgetExceeded(self._budget, {"system": system, "input": input})
        return rooms_to_try(
            left,
            request,
            entitled=self._injections.allowance(turn, system=system, input=input, grows=grows),
            grows=grows,
            fill=config.packing.epoch_fill,
            verbatim=PRESETS[config.compaction.preset].verbatim,
            is_text=self._target == "text",
            uses_tools=self._reader.uses_tools(),
        )

    def _plan(self, epoch: Epoch, turn: Turn, room: Room, *, request: CompactionRequest | None, system: int) -> _Plan:
        view, lead = self._full_view.messages(), set(self._log.state().system)
        window = view[self._window_start(view, room.tail) :]
        pairs, _ = self._builder.render_messages(self._full_view, window, replace(epoch, snapshot=_PLANNED))
        if not turn.input:
            pairs = without_open_step(pairs)
        places = {message.id: place for place, message in pairs}
        newest = self._newest_size([message for _, message in pairs], turn, request)
        room = room.holding(newest).with_tail_beside(self._collector.live_tokens() - newest)
        shrunk = self._shrink([message for _, message in pairs], turn, room)
        cut = self._cut(shrunk.messages, turn, room, request.keep_recent if request else None)
        cut = self._clip_request(shrunk, cut, room, self._budget - system)
        messages, forms = shrunk.messages, shrunk.forms
        first = next((places[message.id] for message in messages[cut:] if message.id), epoch.started_at + 1)
        turn = self._injections.add_retrieved(turn, replace(epoch, tail_start=first), room.added)
        taken = self._tail_tokens(messages[cut:], turn) + self._renderer.total_tokens((*turn.injected, _FRAME))
        standing = self._standing_orders([pair for pair in view if pair[0] < first], room)
        left = room.tokens - taken - self._renderer.total_tokens(message for _, message in standing)
        older = self._strategies.choose(request, tail_start=first, room=left, count=self._renderer.tokenizer.count)
        epoch = replace(
            epoch,
            tail_start=first,
            kept=tuple(sorted((*older.kept, *((place, place) for place, _ in standing)))),
            forms=forms_by_id(forms),
            texts=shrunk.texts,
            clipped=tuple(shrunk.clipped),
            strategy=older.strategy,
            rung=older.rung,
        )
        kept = [m for place, m in view if place < first and m.number not in lead and epoch.sends(place)]
        taken += self._renderer.total_tokens(kept)
        before = [m for place, m in view if not epoch.sends(place) and m.number not in lead]
        sent = [*kept, *messages[cut:], *turn.input_messages]
        try:
            left = room.tokens - taken
            sections, text = self._snapshot(before, sent, room, layout=turn.layout, older=older, left=left)
        except BudgetExceeded as error:
            input = self._renderer.total_tokens(turn.input_messages)
            needed = {"system": system, "input": input, "messages": taken} | error.needed
            raise BudgetExceeded(self._budget, {name: size for name, size in needed.items() if size}) from None
        return _Plan(replace(epoch, snapshot=text, sections=sections), turn, tuple(forms))

    def _snapshot(
        self,
        before: Sequence[Message],
        sent: Sequence[Message],
        room: Room,
        *,
        layout: Layout,
        older: StrategyResult,
        left: int,
    ) -> tuple[tuple[SectionReport, ...], str]:
        count = self._renderer.tokenizer.count
        sources = self._collector.collect(older, critical_room=room.tokens, count=count, layout=layout)
        return report_snapshot(before, sources, left, sent=sent, count=count, target=self._target)

    def _standing_orders(self, before: Sequence[tuple[int, Message]], room: Room) -> list[tuple[int, Message]]:
        """System messages that came among the others: they hold on when those are no longer sent word for word, the
        newest first as far as there is room. A text is for whoever has a system prompt of their own.
        """
        prompt, left = set(self._log.state().system), int(_STANDING_SHARE * room.tokens)
        out: list[tuple[int, Message]] = []
        for place, message in reversed(before if self._target != "text" else ()):
            is_order = message.role is Role.SYSTEM and message.origin is Origin.SYSTEM and message.number not in prompt
            if not is_order or any(message.parts == other.parts for _, other in out):
                continue
            left -= self._renderer.tokens(message)
            if left < 0:
                break
            out.append((place, message))
        return out[::-1]

    def _newest_size(self, messages: Sequence[Message], turn: Turn, request: CompactionRequest | None) -> int:
        """What has to stay word for word: the newest step, or as many messages as were asked for."""
        newest = min(newest_step_start([*messages, *turn.input_messages]), len(messages))
        if request and request.keep_recent is not None:
            newest = min(newest, cut_keeping(messages, request.keep_recent))
        return sum(map(self._size(turn), messages[newest:]))

    def _size(self, turn: Turn) -> Callable[[Message], int]:
        """How the messages of a new epoch are counted: as text, if the loop under way is told."""
        return self._told_tokens if self._tells_loop(turn) else self._renderer.tokens

    def _window_start(self, view: Sequence[tuple[int, Message]], room: int) -> int:
        """Where what may be in the tail begins, at the latest: everything before it is too far back to fit."""
        total, at = 0, len(view)
        while at and total <= _SHRINKS * room:
            at -= 1
            total += self._renderer.estimate_tokens(view[at][1], self._full_view)
        while 0 < at < len(view) and (view[at][1].outputs or view[at - 1][1].calls):
            at -= 1
        return at

    def _shrink(self, history: Sequence[Message], turn: Turn, room: Room) -> MessageClips:
        """Messages with shorter outputs, and the shorter texts by those they stand for: stale reads first; then the
        newest step, if it is too large by itself. One that is larger than all of its room is clipped."""
        config, each = self._services.config.curation, self._size(turn)
        messages = _repair_messages(history, turn)
        if not room.tail:
            return MessageClips(messages)
        forms = stale_forms(messages, stale_reads(messages), config)
        messages = with_texts(messages, forms)
        newest = min(newest_step_start([*messages, *turn.input_messages]), len(messages))
        if sum(map(each, messages[newest:])) <= room.tail:
            return MessageClips(messages, forms=forms)
        more = squeezed_forms(messages[newest:], config, tokens=room.tail)
        squeezed, most = with_texts(messages, more), int(ASKED_SHARE * room.tokens)
        if not room.clips or sum(map(each, squeezed[newest:])) <= most:
            found = MessageClips(squeezed[newest:], forms=more)
        else:
            count = self._renderer.tokenizer.count
            found = clip_messages(messages[newest:], most, size=each, count=count)
        clipped = self._clipped_messages(messages[newest:], found.messages)
        together = [*messages[:newest], *found.messages]
        return replace(found, messages=together, forms=forms | found.forms, clipped=clipped)

    def _clip_request(self, shrunk: MessageClips, cut: int, room: Room, budget: int) -> int:
        """Where the tail begins: at the newest request, if it stands right before the cut because no room at all would
        hold it, and there is room for a part of it."""
        messages = shrunk.messages
        newest = next((at for at in reversed(range(len(messages))) if is_request(messages[at])), None)
        left = room.tail - self._renderer.total_tokens(messages[cut:])
        if newest is None or newest != cut - 1 or left < _LEAST_REQUEST:
            return cut
        if self._renderer.tokens(messages[newest]) <= ASKED_SHARE * budget:
            return cut
        count = self._renderer.tokenizer.count
        found = clip_messages([messages[newest]], left, size=self._renderer.tokens, count=count)
        if self._renderer.tokens(found.messages[0]) > left:
            return cut
        shrunk.clipped += self._clipped_messages([messages[newest]], found.messages)
        messages[newest] = found.messages[0]
        shrunk.texts.update(found.texts)
        return newest

    def _clipped_messages(self, whole: Sequence[Message], sent: Sequence[Message]) -> list[ClippedMessage]:
        """Messages of which less is sent, because they are larger than their room."""
        size, pairs = self._renderer.tokens, zip(whole, sent, strict=True)
        return [ClippedMessage(id=new.id, tokens=size(old), shown=size(new)) for old, new in pairs if new is not old]

    def _cut(self, messages: Sequence[Message], turn: Turn, room: Room, keep: int | None) -> int:
        """Where the tail begins: at the earliest step from which all fits, or at the newest, if need be in more than
        its share. With ``keep``, so many messages and the step they stand in, as far as they fit."""
        if not room.tail:
            step = min(newest_step_start([*messages, *turn.input_messages]), len(messages))
            return step if turn.answers_call else len(messages)
        if keep is not None:
            cut = cut_keeping(messages, keep)
            if self._renderer.total_tokens(messages[cut:]) <= max(ASKED_SHARE * room.tokens, room.tail):
                return cut
        size = self._size(turn)
        answered, input = [*messages, *turn.input_messages], sum(map(size, turn.input_messages))
        cut = earliest_cut_that_fits(answered, size, room.tail + input)
        newest = newest_step_start(answered)
        share = ASKED_SHARE if room.clips else _NEWEST_SHARE
        most = max(int(share * room.tokens), room.tail) + input
        if cut > newest and sum(map(size, answered[newest:])) <= most:
            cut = newest
        if cut > newest and (not room.is_last or turn.answers_call):
            raise BudgetExceeded(self._budget, {"messages": self._renderer.total_tokens(answered[newest:])})
        cut = min(cut, len(messages))
        usual = cut_keeping(messages, self._services.config.compaction.keep_recent)
        if usual < cut and self._renderer.total_tokens(messages[usual:]) <= _USUAL_SHARE * room.tokens:
            cut = usual
        while 0 < cut < len(messages) and messages[cut].id == messages[cut - 1].id:
            cut += 1  # a reply that was recorded with its outputs is several messages here
        return cut


def _repair_messages(history: Sequence[Message], turn: Turn) -> list[Message]:
    """The history with all rules holding; a call that the input answers is left for it."""
    input = turn.input_messages if turn.answers_call else ()
    found = repair_history((*history, *input))[0]
    return list(found[: len(found) - len(input)])
