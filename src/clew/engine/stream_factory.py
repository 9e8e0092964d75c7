"""The stream factory: wires the prompt streams of one session, for the session factory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from clew.cancellation import Cancel
from clew.domain import CompactionRequest
from clew.engine.epochs.message_renderer import MessageRenderer
from clew.engine.epochs.prompt_view import PromptView
from clew.engine.health.monitor import HealthMonitor
from clew.engine.ingest.record_listeners import RecordListeners
from clew.engine.knowledge.chooser import KnowledgeChooser
from clew.engine.prompt.builder import PromptBuilder
from clew.engine.prompt.critical_sections import CriticalSections
from clew.engine.prompt.epoch_planner import EpochPlanner
from clew.engine.prompt.injections import Injections
from clew.engine.prompt.prepared_epoch import EpochPreparer, PreparedEpoch
from clew.engine.prompt.prompts import Prompts
from clew.engine.prompt.retriever import Retriever
from clew.engine.prompt.snapshot_collector import SnapshotCollector
from clew.engine.prompt.strategies import Strategies
from clew.engine.prompt.stream import PromptStream
from clew.engine.prompt.system_prompt import SystemPrompt
from clew.engine.prompt.trigger import CompactionTrigger
from clew.engine.read.feedback import FeedbackReader
from clew.engine.session_core import SessionCore
from clew.knowledge.layout import layout

#: Plans the next epoch of a target and budget.
PrepareStream = Callable[[str, int, CompactionRequest, Cancel], PreparedEpoch | None]


class StreamFactory:
    """Builds streams from the parts that they share. ``prepare`` plans epochs of a stream in the background thread, on
    objects of its own.
    """

    def __init__(
        self,
        core: SessionCore,
        *,
        monitor: HealthMonitor,
        knowledge: KnowledgeChooser,
        feedback: FeedbackReader,
        retriever: Retriever,
        prepare: PrepareStream,
    ) -> None:
        self._core, self._monitor, self._knowledge, self._feedback = core, monitor, knowledge, feedback
        self._critical, self._retriever, self._prepare = CriticalSections(core), retriever, prepare
        self._collector = SnapshotCollector(core, self._critical)
        self._strategies = Strategies(core, monitor)
        self._full_view, self._system = PromptView(core.ledger, 1), SystemPrompt(core)

    def prompts(self, listeners: RecordListeners) -> Prompts:
        """Builds the prompts of the session; they are notified of what is recorded."""
        return Prompts(
            self._core,
            system=self._system,
            full_view=self._full_view,
            listeners=listeners,
            new_stream=self._new_stream,
        )

    def _new_stream(self, target: str, budget: int, model: str) -> PromptStream:
        core, services = self._core, self._core.services
        renderer = MessageRenderer(model, services.tokenizers)
        injections = Injections(
            core,
            stream=f"{target}/{budget}",
            target=target,
            renderer=renderer,
            monitor=self._monitor,
            retriever=self._retriever,
            critical=self._critical,
            knowledge=self._knowledge,
            feedback=self._feedback,
        )
        builder = PromptBuilder(
            core, target=target, budget=budget, renderer=renderer, injections=injections, full_view=self._full_view
        )
        planner = EpochPlanner(
            core,
            builder=builder,
            renderer=renderer,
            injections=injections,
            collector=self._collector,
            strategies=self._strategies,
            full_view=self._full_view,
        )
        return PromptStream(
            core,
            builder=builder,
            planner=planner,
            trigger=CompactionTrigger(core, monitor=self._monitor, renderer=renderer, budget=budget),
            preparer=EpochPreparer(services.background, partial(self._prepare, target, budget)),
            system=self._system,
            knowledge=self._knowledge,
            layout=partial(layout, services.config.knowledge.templates, target=target, model=core.reader.info.model),
        )
