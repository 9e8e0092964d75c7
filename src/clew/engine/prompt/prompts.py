"""The prompts of one session: builds a stream for each target and budget from the parts that they share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from clew.cancellation import Cancel
from clew.domain import CompactionRequest, Message, Strategy
from clew.engine.compactor.model_summaries import Summariser
from clew.engine.compactor.strategies import Strategies
from clew.engine.compactor.trigger import CompactionTrigger
from clew.engine.epochs.message_renderer import MessageRenderer
from clew.engine.epochs.prompt_log import PromptLog
from clew.engine.epochs.prompt_view import PromptView
from clew.engine.epochs.turn import BuiltPrompt, PromptSizes, Turn
from clew.engine.health.monitor import HealthMonitor
from clew.engine.health.pins import Pins
from clew.engine.ingest.record_listeners import RecordListeners
from clew.engine.knowledge.chooser import KnowledgeChooser
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.prompt.builder import PromptBuilder
from clew.engine.prompt.critical_sections import CriticalSections
from clew.engine.prompt.epoch_planner import EpochPlanner
from clew.engine.prompt.injections import Injections
from clew.engine.prompt.prepared_epoch import EpochPreparer, PreparedEpoch
from clew.engine.prompt.retriever import Retriever
from clew.engine.prompt.snapshot_collector import SnapshotCollector
from clew.engine.prompt.stream import PromptStream
from clew.engine.prompt.system_prompt import SystemPrompt
from clew.engine.read.feedback import FeedbackReader
from clew.engine.read.reader import SessionReader
from clew.engine.read.recall import Recall
from clew.engine.read.session_vectors import SessionVectors
from clew.engine.services import Services
from clew.knowledge.layout import layout
from clew.packing.allocation import Budget, budget_for
from clew.packing.inputs import InputKind
from clew.tokens.models import api_of, is_known_maker, model_info

#: The model whose tokenizer is used where the session's own is not one of the provider's.
_USUAL_MODELS = {
    "anthropic": "claude-sonnet-4-5",
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "gemini": "gemini-2.5-pro",
}
_FAMILIES = {"anthropic": {"claude"}, "openai-responses": {"gpt", "gpt-4"}, "gemini": {"gemini"}}


class Prompts:
    """Makes the streams of a session, and keeps them while its handle lives.

    ``for_background`` makes another one on objects of its own, since the background thread shares none with the packer.
    """

    def __init__(
        self,
        ledger: SessionLedger,
        reader: SessionReader,
        services: Services,
        *,
        log: PromptLog,
        pins: Pins,
        monitor: HealthMonitor,
        listeners: RecordListeners,
        knowledge: KnowledgeChooser,
        feedback: FeedbackReader,
        for_background: Callable[[], Prompts],
    ) -> None:
        self._ledger, self._reader, self._services = ledger, reader, services
        self._log, self._pins, self._monitor = log, pins, monitor
        self._listeners, self._for_background, self._knowledge = listeners, for_background, knowledge
        self._feedback = feedback
        self._critical = CriticalSections(services, pins=pins, log=log)
        self._collector = SnapshotCollector(ledger, reader, services, critical=self._critical)
        self._strategies = Strategies(reader, log=log, monitor=monitor)
        recall = Recall(ledger, reader, services, critical_item=pins.item, module=knowledge.module)
        self._retriever = Retriever(ledger, reader, recall, SessionVectors(ledger, reader, services))
        self._full_view = PromptView(ledger, 1)
        self.system = SystemPrompt(services, log)
        self._streams: dict[tuple[str, int, str], PromptStream] = {}

    def default_target(self) -> str:
        """Returns the API of the session's model; ``anthropic`` for a session without one."""
        model = self._reader.info.model
        return api_of(model) if model else "anthropic"

    def default_stream(self) -> PromptStream:
        """Returns the stream of the session's own provider, at its default budget."""
        return self.stream(self.default_target(), self._reader.limit())

    def stream(self, target: str, budget: int) -> PromptStream:
        """Returns the stream of a target and budget. It is notified of everything that is recorded in the session."""
        name = (target, budget, self._model(target))
        if name not in self._streams:
            stream = self._streams[name] = self._new_stream(*name)
            self._listeners.add(self._ledger, stream.name, stream.notice_record)
        return self._streams[name]

    def turn_without_input(self, budget: Budget) -> Turn:
        """Returns a turn without an input, for prompts that are only planned."""
        system, tools = self._log.system_and_tools()
        return Turn(system=system, tools=tools, budget=budget, input=None)

    def messages(self) -> list[Message]:
        """Returns the messages that may be sent, in order."""
        return [message for _, message in self._full_view.messages()]

    def _model(self, target: str) -> str:
        """The model that is counted for: the session's where the API may offer it, else the API's usual one. Chat
        Completions are the door to models of all makers.
        """
        own = self._reader.info.model
        if target == "text":
            return target
        is_offered = is_known_maker(own) if target == "openai-chat" else model_info(own).family in _FAMILIES[target]
        return own if is_offered else _USUAL_MODELS[target]

    def _new_stream(self, target: str, budget: int, model: str) -> PromptStream:
        ledger, reader, services, log = self._ledger, self._reader, self._services, self._log
        renderer = MessageRenderer(model, services.tokenizers)
        injections = Injections(
            reader,
            services,
            stream=f"{target}/{budget}",
            target=target,
            renderer=renderer,
            log=log,
            monitor=self._monitor,
            retriever=self._retriever,
            critical=self._critical,
            knowledge=self._knowledge,
            feedback=self._feedback,
        )
        builder = PromptBuilder(
            ledger,
            target=target,
            budget=budget,
            log=log,
            renderer=renderer,
            injections=injections,
            full_view=self._full_view,
        )
        planner = EpochPlanner(
            ledger,
            reader,
            services,
            builder=builder,
            renderer=renderer,
            injections=injections,
            log=log,
            collector=self._collector,
            strategies=self._strategies,
            full_view=self._full_view,
        )
        trigger = CompactionTrigger(reader, services, log=log, monitor=self._monitor, renderer=renderer, budget=budget)
        worker = _EpochWorker(self._for_background, target, budget)
        preparer = EpochPreparer(services.background, worker.prepare)
        return PromptStream(
            ledger,
            services,
            log=log,
            builder=builder,
            planner=planner,
            trigger=trigger,
            preparer=preparer,
            system=self.system,
            knowledge=self._knowledge,
            layout=partial(layout, services.config.knowledge.templates, target=target, model=reader.info.model),
        )

    def prepare_epoch(
        self, target: str, budget: int, request: CompactionRequest, cancel: Cancel
    ) -> PreparedEpoch | None:
        """Plans the next epoch; the model, if there is one and the plan has a use for it, first summarises what will
        soon be compacted.

        Writes nothing but the summary. Returns None if the session was purged, or nothing smaller fits.
        """
        stream, turn = self.stream(target, budget), self.turn_without_input(Budget(budget))
        summariser = Summariser(self._ledger, self._reader, self._services, log=self._log, pins=self._pins)
        if not request.strategy.uses_summary or not summariser.can_write:
            return stream.prepare_epoch(turn, request)
        planned = stream.prepare_epoch(turn, request)
        if planned is None or planned.epoch.strategy == Strategy.SELECTIVE:  # nothing that a summary would stand for
            return planned
        if summariser.write_ahead(request, cancel) is None:
            return planned if self._ledger.is_stored else None  # purged meanwhile
        return stream.prepare_epoch(turn, request)


class _EpochWorker:
    """Prepares epochs in the background thread, on prompts that only that thread uses."""

    def __init__(self, make_prompts: Callable[[], Prompts], target: str, budget: int) -> None:
        self._make_prompts, self._target, self._budget = make_prompts, target, budget
        self._prompts: Prompts | None = None

    def prepare(self, request: CompactionRequest, cancel: Cancel) -> PreparedEpoch | None:
        self._prompts = self._prompts or self._make_prompts()
        return self._prompts.prepare_epoch(self._target, self._budget, request, cancel)


class DefaultPlans:
    """Implements ``PromptPlans`` with the session's own provider. Nothing is written."""

    def __init__(self, prompts: Prompts, reader: SessionReader, services: Services) -> None:
        self._prompts, self._reader, self._services = prompts, reader, services

    def system_tokens(self) -> int:
        """Returns the tokens of the caller's system prompt and tools."""
        return self._prompts.default_stream().system_tokens(self._turn())

    def has_epoch(self) -> bool:
        """Returns True when a prompt was sent in an epoch that has not ended."""
        return self._prompts.default_stream().current_epoch() is not None

    def now(self) -> BuiltPrompt:
        """Returns the prompt as it would be sent now."""
        return self._prompts.default_stream().build(self._turn(), record=False)

    def whole(self) -> BuiltPrompt:
        """Returns every message word for word, whether or not they fit: counted, but not encoded."""
        return self._prompts.default_stream().whole(self._turn())

    def after_compaction(self, request: CompactionRequest) -> BuiltPrompt:
        """Returns the prompt as it would be sent after a compaction."""
        return self._prompts.default_stream().preview(self._turn(), request)

    def messages(self) -> list[Message]:
        """Returns the messages that may be sent, in order."""
        return self._prompts.messages()

    def sizes(self, prompt: BuiltPrompt) -> PromptSizes:
        """Returns what one of these prompts is made of, in tokens."""
        return self._prompts.default_stream().sizes(prompt)

    def _turn(self) -> Turn:
        config = self._services.config.packing
        budget = budget_for(self._reader.limit(), "", kind=InputKind.USER_QUERY, packing=config)
        return self._prompts.turn_without_input(budget)
