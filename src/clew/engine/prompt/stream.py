"""The prompt stream: the prompts for one target at one budget, and the epochs they go through.

Within an epoch prompts only grow: the snapshot stands, messages keep the form they were first sent in, and an input
stays as it was sent. When the prompt no longer fits, or compacting pays, the next epoch starts and is written to the
ledger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from clew.compaction.policy import frees_enough
from clew.domain import CompactionRequest, Epoch, Message, SentInput, Trigger
from clew.engine.epochs.message_clips import clip_wholes
from clew.engine.epochs.turn import BuiltPrompt, PromptSizes, Turn
from clew.engine.knowledge.chooser import KnowledgeChooser
from clew.engine.prompt.builder import PromptBuilder
from clew.engine.prompt.epoch_planner import EpochPlanner
from clew.engine.prompt.prepared_epoch import EpochPreparer, PreparedEpoch
from clew.engine.prompt.system_prompt import SystemPrompt
from clew.engine.prompt.trigger import CompactionTrigger
from clew.engine.session_core import SessionCore
from clew.errors import BudgetExceeded
from clew.history.prompt_state import StreamEpochs
from clew.knowledge.layout import Layout, kept_layout

#: A prepared epoch is used while its conversation has grown by no more than this.
_MOST_GROWTH = 1.25


@dataclass(slots=True)
class StreamState:
    """What a stream remembers between turns.

    ``settled`` are the messages that its last prompt began with, in ``epoch`` and ``version``. ``has_announced`` says
    that ``compaction.due`` was emitted, ``is_compacting`` that a compaction is under way, ``starts_epoch`` that the
    last prompt that was written starts an epoch. ``left_out`` are the critical items of which ``critical.full`` was
    emitted.
    """

    epoch: int = 0
    version: int = 0
    settled: tuple[Message, ...] = ()
    has_announced: bool = False
    is_compacting: bool = False
    starts_epoch: bool = False
    left_out: tuple[str, ...] = ()

    def is_continued_by(self, prompt: BuiltPrompt, version: int) -> bool:
        """Returns False when a late or second output, or a reply that grew, would change what was sent.
        The epoch ends then.

        After a rewrite of the session it returns True: the epoch goes on from before what was taken back.
        """
        is_same = self.epoch == prompt.epoch.number and self.version == version
        return not is_same or prompt.settled[: len(self.settled)] == self.settled


class PromptStream:
    """Builds the prompts of one stream and writes to the ledger what is sent."""

    def __init__(
        self,
        core: SessionCore,
        *,
        builder: PromptBuilder,
        planner: EpochPlanner,
        trigger: CompactionTrigger,
        preparer: EpochPreparer,
        system: SystemPrompt,
        knowledge: KnowledgeChooser,
        layout: Callable[[], Layout],
    ) -> None:
        self._ledger, self._services, self._log = core.ledger, core.services, core.log
        self._builder, self._planner, self._trigger, self._preparer = builder, planner, trigger, preparer
        self._system, self._knowledge, self._layout = system, knowledge, layout
        self.target, self.budget, self.name = builder.target, builder.budget, builder.name
        self._state = StreamState()
        self._epoch: tuple[int, Epoch] | None = None

    def build(self, turn: Turn, *, record: bool) -> BuiltPrompt:
        """Builds the prompt of one turn, for ``write`` to write down if it is to be sent.

        With ``record`` it compacts first if that is due. Raises BudgetExceeded when even the least does not fit.
        """
        turn = self._as_clipped_before(turn)
        if self.target == "text":  # nobody caches a text: it is laid out anew each time, in all of its room
            return self._planner.plan_epoch(turn.with_layout(self._layout()), None, number=0, record=False)
        epochs = self._log.epochs(self.name)
        prompt, request, before = self._continue(turn, epochs, record=record)
        if prompt is None:
            turn, number = self._starting(turn, record=record), _number(epochs) + 1
            if request and request.trigger is Trigger.FIRST:
                prompt = self._planner.plan_everything(turn, number=number)
                if prompt is None:
                    request, before = self._trigger.request(Trigger.EXCEEDED, epochs), self._planner.whole(turn).tokens
            if prompt is None:
                prompt = self._start_epoch(turn, request, number=number, before=before, record=record)
        is_due = record and (request is None or request.trigger is Trigger.FIRST)
        return self._compact_if_due(prompt, epochs) if is_due else prompt

    def _start_epoch(
        self, turn: Turn, request: CompactionRequest | None, *, number: int, before: int, record: bool
    ) -> BuiltPrompt:
        """The first prompt of an epoch that has to begin, after one of so many tokens."""
        if record and request and request.trigger is Trigger.EXCEEDED:
            self._emit("started", reason=str(request.trigger))
            return _with_sizes(self._switch(turn, request, number=number, before=before), before)
        return _with_sizes(self._planner.plan_epoch(turn, request, number=number, record=record), before)

    def _as_clipped_before(self, turn: Turn) -> Turn:
        """The turn with the part of its input that was sent the last time, if the same is asked again at this place."""
        sent = self._log.sent_at(self.name, self._ledger.info.messages) if turn.input else None
        if sent is None or not sent.clipped or sent.input != turn.input_messages:
            return turn
        wholes = clip_wholes(sent.input, sent.clipped) if self._builder.is_clip(sent.input, sent.clipped) else ()
        full_texts = (*turn.full_texts, *wholes)
        return replace(turn, input_messages=sent.clipped, whole_input=sent.input, full_texts=full_texts)

    def preview(self, turn: Turn, request: CompactionRequest) -> BuiltPrompt:
        """Returns the prompt that would follow a compaction. Nothing is written."""
        number = _number(self._log.epochs(self.name)) + 1
        return self._planner.plan_epoch(self._starting(turn), request, number=number, record=False)

    def _starting(self, turn: Turn, *, record: bool = False) -> Turn:
        """The turn with the system prompt that an epoch begins with; one that was just made is not made again."""
        if turn.starts_epoch:
            return turn
        turn = turn.with_system(self._system.for_new_epoch(record=record)).with_layout(self._layout())
        return replace(turn.with_modules(self._knowledge.system_text(turn.layout)), starts_epoch=True)

    def _going_on(self, turn: Turn) -> Turn:
        """The turn with the system prompt of the epoch that goes on, whatever was set since."""
        epoch = self.current_epoch()
        return _in_epoch(turn, epoch) if epoch else self._starting(turn)

    def current_epoch(self) -> Epoch | None:
        """Returns the stream's current epoch, as the ledger has it; None where there is none."""
        epochs = self._log.epochs(self.name)
        if not epochs or not epochs.seq:
            return None
        if self._epoch is None or self._epoch[0] != epochs.seq:
            self._epoch = (epochs.seq, self._planner.with_ratio(self._log.epoch(epochs.seq)))
        return self._epoch[1]

    def whole(self, turn: Turn) -> BuiltPrompt:
        """Returns every message word for word, whether or not they fit: counted, but not encoded."""
        return self._planner.whole(self._going_on(turn))

    def sizes(self, prompt: BuiltPrompt) -> PromptSizes:
        """Returns what a prompt of this stream is made of, in tokens."""
        return self._builder.sizes(prompt)

    def system_tokens(self, turn: Turn) -> int:
        """Returns the tokens of the caller's system prompt and tools, which are sent byte for byte."""
        return self._planner.system_tokens(self._going_on(turn))

    # ── an epoch that goes on ────────────────────────────────────────────────────────────────────────

    def _continue(
        self, turn: Turn, epochs: StreamEpochs | None, *, record: bool
    ) -> tuple[BuiltPrompt | None, CompactionRequest | None, int]:
        """The prompt of the epoch that goes on; if none does, what the next is to come to; and how large it was."""
        epoch = self.current_epoch()
        if epoch is None:
            request = self._log.pending_compaction(epochs)
            if request is None and epochs and epochs.has_snapshot:
                request = self._trigger.request(Trigger.CHANGED, epochs)
            return None, request or (CompactionRequest(trigger=Trigger.FIRST) if record else None), 0
        prompt = self._builder.build(epoch, _in_epoch(turn, epoch), record=record)
        if prompt.tokens > self.budget:
            return None, self._trigger.request(Trigger.EXCEEDED, epochs) if record else None, prompt.tokens
        is_continued = self._state.is_continued_by(prompt, self._ledger.info.version)
        if not is_continued or (prompt.has_lost_thinking and self._planner.may_be_manual(turn)):
            return None, self._trigger.request(Trigger.CHANGED, epochs), prompt.tokens
        return prompt, None, prompt.tokens

    # ── what was sent ────────────────────────────────────────────────────────────────────────────────

    def write(self, prompt: BuiltPrompt) -> None:
        """Writes to the ledger what a prompt sends: its epoch, if it starts one, and the input.

        The session has to be as it was when the prompt was built. A text has neither epochs nor inputs.
        """
        if self.target == "text":
            return
        self._state.starts_epoch = prompt.epoch.number > _number(self._log.epochs(self.name))
        if self._state.starts_epoch:
            if prompt.epoch.system:
                self._log.write_system(prompt.epoch.system)
            self._log.write_epoch(prompt.epoch)
            self._ledger.keep_texts(prompt.full_texts)
        turn = prompt.turn
        sent = SentInput(
            stream=self.name,
            after=self._ledger.info.messages,
            input=turn.recorded_input,
            clipped=turn.input_messages if turn.whole_input else (),
            injected=turn.injected,
            reminders=turn.reminders,
            pinned=turn.pinned,
            withdrawn=turn.withdrawn,
            knowledge=turn.knowledge,
            retrieved=turn.retrieved,
        )
        self._log.write_sent(sent)
        self._ledger.keep_texts(turn.full_texts)

    def _announce_unstated(self, prompt: BuiltPrompt) -> None:
        """Whoever listens hears once which critical items had no room."""
        left_out = tuple(item.id for item in prompt.unstated)
        if left_out and left_out != self._state.left_out:
            self._services.events.emit("critical.full", session=self._ledger.id, left_out=", ".join(left_out))
        self._state.left_out = left_out

    def announce(self, prompt: BuiltPrompt) -> None:
        """Remembers a prompt that was written, and emits ``compaction.complete`` if it starts a compacted epoch."""
        epoch, self._state.settled = prompt.epoch, prompt.settled
        self._state.epoch, self._state.version = epoch.number, self._ledger.info.version
        if self.target == "text":
            return
        self._announce_unstated(prompt)
        if not self._state.starts_epoch:
            return
        self._state.has_announced = False
        if epoch.snapshot:
            self._trigger.note_success()
        if epoch.snapshot and epoch.trigger.is_automatic:
            sizes = {"before": epoch.tokens_before, "after": epoch.tokens_after}
            how = {"strategy": epoch.strategy, "rung": epoch.rung}
            self._emit("complete", reason=str(epoch.trigger), epoch=epoch.number, **sizes, **how)

    # ── an epoch that begins ─────────────────────────────────────────────────────────────────────────

    def _compact_if_due(self, prompt: BuiltPrompt, epochs: StreamEpochs | None) -> BuiltPrompt:
        """The prompt, or one of a new epoch, if it is time for that and it frees enough."""
        request = self._trigger.due(prompt, self._builder.view, epochs)
        if request is None:
            self._prepare(epochs)
            return prompt
        if self._state.is_compacting:  # whoever hears of a compaction asks for a pack in the middle of it
            return prompt
        self._state.is_compacting = True
        try:
            smaller = self._compact_prompt(prompt, request, _number(epochs) + 1)
        finally:
            self._state.is_compacting = False
        if smaller is not None and frees_enough(prompt.tokens, smaller.tokens):
            return _with_sizes(smaller, prompt.tokens)
        self._trigger.note_failure(prompt)
        self._emit("skipped", reason="it would free less than a tenth of the prompt")
        return prompt

    def _compact_prompt(self, prompt: BuiltPrompt, request: CompactionRequest, number: int) -> BuiltPrompt | None:
        self._emit("started", reason=str(request.trigger))
        turn = self._starting(prompt.turn.without_injections(), record=True)
        try:
            return self._switch(turn, request, number=number, before=prompt.tokens)
        except BudgetExceeded:  # what is guaranteed does not fit into less
            return None

    def _switch(self, turn: Turn, request: CompactionRequest, *, number: int, before: int) -> BuiltPrompt:
        """The first prompt of the next epoch, after one of so many tokens: of the epoch that was prepared, if it frees
        enough and fits.
        """
        prepared = self._preparer.take()
        ready = self._use_prepared(prepared, request, turn, number) if prepared else None
        is_ready = ready is not None and frees_enough(before, ready.tokens) and ready.tokens <= self.budget
        self._services.caches.prepared_epochs.count(hit=is_ready)
        if ready is not None and is_ready:
            return ready
        return self._planner.plan_epoch(turn, request, number=number, record=True)

    # ── the next epoch, prepared ─────────────────────────────────────────────────────────────────────

    def notice_record(self) -> None:
        """Announces a compaction that the next pack will make, as ``compaction.due``, and has it prepared."""
        with self._ledger.steady():
            trigger, is_near = self._trigger.forecast()
        if trigger is not None and not self._state.has_announced:
            self._state.has_announced = True
            self._emit("due", reason=str(trigger))
        if trigger is not None or is_near:
            with self._ledger.steady():
                self._prepare(self._log.epochs(self.name))

    def _prepare(self, epochs: StreamEpochs | None) -> None:
        """Has the next epoch prepared in the background, and anew when the session has grown."""
        here = self._trigger.recorded_tokens()
        if self._preparer.is_fresh(here) or not self._services.config.compaction.background:
            return
        if self._trigger.forecast()[1]:
            request = self._trigger.request(Trigger.PAYS, epochs, read_again=self._trigger.is_read_again)
            self._preparer.prepare(request, at=here)

    def prepare_epoch(self, turn: Turn, request: CompactionRequest) -> PreparedEpoch | None:
        """Plans the epoch that a compaction would start, for later use.
        Nothing is written; None if nothing smaller fits.
        """
        info = self._ledger.info
        try:
            prompt = self._planner.plan_epoch(self._starting(turn), request, number=0, record=True)
        except BudgetExceeded:  # what is guaranteed does not fit into less: there is nothing to prepare
            return None
        return PreparedEpoch(request, prompt.epoch, info.version, prompt.tokens, prompt.full_texts)

    def _use_prepared(
        self, prepared: PreparedEpoch, request: CompactionRequest, turn: Turn, number: int
    ) -> BuiltPrompt | None:
        """The prompt of the epoch that was prepared, if it still is what is wanted."""
        wanted, info = prepared.request, self._ledger.info
        if (wanted.strategy, wanted.tokens) != (request.strategy, request.tokens) or prepared.version != info.version:
            return None
        epoch = replace(prepared.epoch, number=number, started_at=info.messages, trigger=request.trigger, told_from=0)
        epoch = self._planner.with_beginning(epoch, turn)
        prompt = replace(self._planner.begin(epoch, turn, record=True), full_texts=prepared.full_texts)
        size = request.tokens or self.budget * self._services.config.packing.epoch_fill
        system = self._builder.system_tokens(turn.system, turn.tools)
        most = _MOST_GROWTH * max(size, prepared.tokens - system)
        return prompt if prompt.tokens - system <= most else None

    def _emit(self, name: str, **data: object) -> None:
        self._services.events.emit(f"compaction.{name}", session=self._ledger.id, stream=self.name, **data)


def _in_epoch(turn: Turn, epoch: Epoch) -> Turn:
    """With the system prompt and the templates that the epoch began with."""
    return turn.with_system(epoch.system).with_modules(epoch.modules).with_layout(kept_layout(epoch.layout))


def _number(epochs: StreamEpochs | None) -> int:
    """Of the last epoch that began."""
    return epochs.number if epochs else 0


def _with_sizes(prompt: BuiltPrompt, before: int) -> BuiltPrompt:
    """With an epoch that says what it took away."""
    return replace(prompt, epoch=replace(prompt.epoch, tokens_before=before, tokens_after=prompt.tokens))
