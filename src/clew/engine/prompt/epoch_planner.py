"""The epoch planner:
chooses where the history is cut, what shrinks, and what the snapshot says of all that comes before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter

from clew.compaction.presets import PRESETS
from clew.curation.output_forms import forms_by_id
from clew.domain import CompactionRequest, Epoch, Message, Output, Reasoning, Role, Strategy, Text, Trigger
from clew.domain.ids import message_id
from clew.engine.epochs.message_clips import MessageShortener, clip_input, clip_messages
from clew.engine.epochs.message_renderer import MessageRenderer
from clew.engine.epochs.prompt_view import PromptView
from clew.engine.epochs.turn import BuiltPrompt, Turn
from clew.engine.prompt.builder import PromptBuilder
from clew.engine.prompt.injections import Injections
from clew.engine.prompt.snapshot_collector import SnapshotCollector, SnapshotRequest
from clew.engine.prompt.strategies import Strategies, StrategyResult
from clew.engine.session_core import SessionCore
from clew.errors import BudgetExceeded
from clew.packing.rooms import ASKED_SHARE, Room, rooms_to_try
from clew.packing.tail_plan import (
    TailHistory,
    TailLimits,
    TailPlan,
    plan_tail,
    standing_orders,
    window_start,
    without_open_step,
)
from clew.packing.told_steps import newest_loop, thinks
from clew.rules.thinking_modes import MANUAL, may_be_manual
from clew.tokens.models import model_info

#: Tokens of an input that is clipped as far as it may be.
_LEAST_INPUT = 100
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
        core: SessionCore,
        *,
        builder: PromptBuilder,
        renderer: MessageRenderer,
        injections: Injections,
        collector: SnapshotCollector,
        strategies: Strategies,
        full_view: PromptView,
    ) -> None:
        self._ledger, self._reader, self._services, self._log = core.ledger, core.reader, core.services, core.log
        self._builder, self._renderer = builder, renderer
        self._injections, self._collector = injections, collector
        self._strategies, self._full_view = strategies, full_view
        self._target, self._budget = builder.target, builder.budget
        self._shortener = MessageShortener(core.services.config.curation, renderer)

    def plan_epoch(self, turn: Turn, request: CompactionRequest | None, *, number: int, record: bool) -> BuiltPrompt:
        """Returns the first prompt of a new epoch:
        everything if it fits and no target was asked for, else a snapshot and the newest steps.

        Raises BudgetExceeded, with the sizes needed, when even the least does not fit.
        """
        trigger = request.trigger if request else Trigger.FIRST
        self._builder.choose_model(turn)
        epoch = self.with_beginning(self._new_epoch(number, trigger), turn)
        try:
            return self._first_that_fits(epoch, turn, request, record=record)
        except BudgetExceeded:
            if request and not request.trigger.is_forced:  # nobody has to have it
                raise
        most, _ = self._limits(request, self.system_tokens(turn))
        least = self._least_prompt(epoch, turn, record=record)
        if least.tokens > most:
            raise BudgetExceeded(most, _section_sizes(least))
        return self._with_clipped_input(epoch, turn, request, least, record=record) or least

    def plan_everything(self, turn: Turn, *, number: int) -> BuiltPrompt | None:
        """Returns the first prompt of an epoch that sends everything word for word; None if that does not fit."""
        self._builder.choose_model(turn)
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
        newest_first = (message for _, message in reversed(self._full_view.messages()) if _says_something(message))
        loop = newest_loop(newest_first)
        return bool(loop) and (turn.thinking == MANUAL or any(map(thinks, loop)))

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
        tail = self._plan_tail(epoch, turn, room, request=request, system=system)
        view, lead = self._full_view.messages(), self._log.state().system
        cut = bisect_left(view, tail.first, key=itemgetter(0))
        size, count, room = self._renderer.total_tokens, self._renderer.tokenizer.count_by_lines, tail.room
        turn = self._injections.add_retrieved(turn, replace(epoch, tail_start=tail.first), room.added)
        before = view[:cut] if self._target != "text" else []
        standing = standing_orders(before, lead, room.tokens, self._renderer.tokens)
        taken = tail.tokens + size((*turn.injected, _FRAME))
        left = room.tokens - taken - size(message for _, message in standing)
        older = self._strategies.choose(request, tail_start=tail.first, room=left, count=count)
        epoch = replace(
            epoch,
            tail_start=tail.first,
            kept=tuple(sorted((*older.kept, *((place, place) for place, _ in standing)))),
            forms=forms_by_id(tail.shortened.forms),
            texts=tail.shortened.texts,
            clipped=tuple(tail.shortened.clipped),
            strategy=older.strategy,
            rung=older.rung,
        )
        prompt = set(map(message_id, lead))
        still_sent = [m for place, m in view[:cut] if epoch.sends(place) and m.id not in prompt] if epoch.kept else []
        behind = [m for _, m in view[cut:] if m.id not in prompt]
        taken += size(still_sent)
        asked = SnapshotRequest(
            before=self._told_before(cut, without={*prompt, *(m.id for m in still_sent)}),
            sent=[*still_sent, *behind, *turn.input_messages],
            sent_pieces=len(still_sent) + len(tail.messages) + len(turn.input_messages),
            older=older,
            layout=turn.layout,
            critical_room=room.tokens,
            room=room.tokens - taken,
        )
        try:
            sections, text = self._collector.render(asked, count=count, target=self._target)
        except BudgetExceeded as error:
            needed = {"system": system, "input": size(turn.input_messages), "messages": taken} | error.needed
            raise BudgetExceeded(self._budget, {name: size for name, size in needed.items() if size}) from None
        return _Plan(replace(epoch, snapshot=text, sections=sections), turn, tuple(tail.shortened.forms))

    def _told_before(self, cut: int, *, without: Container[str]) -> list[Message]:
        """What a snapshot tells of: the messages before one, as their users see them."""
        return [message for message in self._full_view.told_messages()[:cut] if message.id not in without]

    def _plan_tail(
        self, epoch: Epoch, turn: Turn, room: Room, *, request: CompactionRequest | None, system: int
    ) -> TailPlan:
        view = self._full_view.messages()
        start = window_start(view, room.tail, lambda message: self._renderer.estimate_tokens(message, self._full_view))
        shown = replace(epoch, snapshot=_PLANNED)
        pairs, _ = self._builder.render_messages(self._full_view, view[start:], shown)
        history = TailHistory(
            pairs=pairs if turn.input else without_open_step(pairs),
            started_at=epoch.started_at,
            input=turn.input_messages,
            answers_call=turn.answers_call,
            live_tokens=self._collector.live_tokens(),
            is_told=self._tells_loop(turn),
        )
        limits = TailLimits(
            room=room,
            budget=self._budget,
            system=system,
            keep=request.keep_recent if request else None,
            usual=self._services.config.compaction.keep_recent,
        )
        return plan_tail(history, limits, counter=self._renderer, shortener=self._shortener)

    # ── the least that can be sent, which says how large a budget has to be ──────────────────────────

    def _least_prompt(self, epoch: Epoch, turn: Turn, *, record: bool) -> BuiltPrompt:
        """A prompt with what is guaranteed at its least, or with everything, if that is less."""
        turn = clip_input(turn, _LEAST_INPUT, self._renderer)
        least = self._least_snapshot(epoch, turn, record=record)
        if not self._collector.may_fit(least.tokens):
            return least
        everything = self.begin(epoch, turn, record=record, complete=True)
        return min(least, everything, key=lambda prompt: prompt.tokens)

    def _least_snapshot(self, epoch: Epoch, turn: Turn, *, record: bool) -> BuiltPrompt:
        """A snapshot at its least, without messages behind it but those of the call that the input answers."""
        first, forms = self._newest_step(epoch) if turn.answers_call else (epoch.started_at + 1, {})
        cut = bisect_left(self._full_view.messages(), first, key=itemgetter(0))
        before = self._told_before(cut, without=set(map(message_id, self._log.state().system)))
        asked = SnapshotRequest(before=before, older=StrategyResult(strategy=Strategy.AUTO), layout=turn.layout)
        sections, text = self._collector.render(asked, count=self._renderer.tokenizer.count, target=self._target)
        epoch = replace(epoch, tail_start=first, forms=forms_by_id(forms), snapshot=text, sections=sections)
        return replace(self.begin(epoch, turn, record=record, complete=True), full_texts=tuple(forms))

    def _newest_step(self, epoch: Epoch) -> tuple[int, dict[str, str]]:
        """Where the step of the newest calls begins, and the least that can stand for its outputs."""
        view = self._full_view.messages()
        start = next((start for start in reversed(range(len(view))) if view[start][1].calls), len(view))
        pairs, _ = self._builder.render_messages(self._full_view, view[start:], epoch)
        step, count = [message for _, message in pairs], self._renderer.tokenizer.count
        forms = clip_messages(step, 0, size=self._renderer.tokens, count=count).forms
        return pairs[0][0] if pairs else epoch.started_at + 1, forms


def _section_sizes(prompt: BuiltPrompt) -> dict[str, int]:
    """What each part of a prompt takes, and what stands around them: together, what the prompt takes."""
    tokens = {section.name: section.tokens for section in prompt.sections}
    rest = prompt.tokens - sum(tokens.values())
    if rest >= 0:
        return tokens | {"frame": rest} if rest else tokens
    largest = max(tokens, key=lambda name: tokens[name])
    return tokens | {largest: tokens[largest] + rest}


def _says_something(message: Message) -> bool:
    """False for a message of blank texts or of thinking alone, which is sent nowhere; and for a reply of outputs, which
    are sent in the user's name.
    """
    silent = (Reasoning, Output) if message.role is Role.ASSISTANT else Reasoning
    return any(part.text.strip() if isinstance(part, Text) else not isinstance(part, silent) for part in message.parts)
