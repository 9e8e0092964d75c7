"""The session factory: with the stream factory, the only place that wires the components of a session."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from clew.domain import SessionKey
from clew.domain.sessions import DEFAULT_USER
from clew.engine.epochs.prompt_log import PromptLog
from clew.engine.health.pins import Pins
from clew.engine.health.profile import Profile
from clew.engine.ingest.incoming_replies import IncomingReplies
from clew.engine.ingest.record_listeners import RecordListeners
from clew.engine.ledger.ledgers import Ledgers
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services
from clew.engine.session_core import SessionCore
from clew.engine.shared_objects import SharedObjects
from clew.errors import UsageError
from clew.ports import Store

if TYPE_CHECKING:
    from clew.cancellation import Cancel
    from clew.domain import CompactionRequest
    from clew.domain.modules import Module
    from clew.engine.compactor.compactor import Compactor
    from clew.engine.health.encoder_verdicts import EncoderVerdicts
    from clew.engine.health.external_rules import ExternalRules
    from clew.engine.health.monitor import HealthMonitor
    from clew.engine.ingest.recorder import Recorder
    from clew.engine.knowledge.library import Knowledge
    from clew.engine.prompt.packer import Packer
    from clew.engine.prompt.prepared_epoch import PreparedEpoch
    from clew.engine.prompt.prompts import Prompts
    from clew.engine.read.feedback import FeedbackReader
    from clew.engine.read.handed_out import HandoutMemory
    from clew.engine.read.recall import Recall
    from clew.engine.read.search import SessionSearch
    from clew.engine.read.session_vectors import SessionVectors


class SessionFactory:
    """Builds the components of sessions for one engine."""

    def __init__(self, ledgers: Ledgers, services: Services) -> None:
        self.ledgers, self.services = ledgers, services
        self._listeners = RecordListeners(services.events)
        #: Replies that are coming in by streams, of all sessions.
        self.incoming_replies = IncomingReplies()
        #: Sessions with lists of callers in this process, who may be about to answer a call.
        self.in_use: set[SessionKey] = set()
        self._knowledge: dict[str, Knowledge] = {}
        #: What all handles of a session have in common.
        self.shared = SharedObjects()

    def forget(self, key: SessionKey) -> None:
        """Nobody waits for records of a session that was purged, and nothing is kept of it."""
        self._listeners.forget(key)
        self.in_use.discard(key)
        self.shared.forget(key)
        self.services.vectors.forget(key)
        self.services.caches.forget(key)

    def profile(self, user: str) -> Profile:
        """Returns the profile of a user: wishes that hold in every session of theirs; of nobody, one that is empty."""
        tenant = self.services.config.tenant
        return Profile(self.ledgers.store, self.services.clock, tenant=tenant, user=user)

    def knowledge(self, user: str) -> Knowledge:
        """Returns the knowledge modules that the sessions of a user draw on: everybody's, and their own. Those of
        nobody and of the person at this machine draw on everybody's alone.
        """
        from clew.engine.knowledge.library import Knowledge

        knowledge = self._knowledge.get(user)
        if knowledge is None:
            profile = self.profile(user).general_items if self.services.config.critical.profile else tuple
            knowledge = self._knowledge[user] = Knowledge(
                self.ledgers.store,
                self.services,
                tenant=self.services.config.tenant,
                user=user or DEFAULT_USER,
                profile=profile,
                shared=None if user in ("", DEFAULT_USER) else self.knowledge(""),
                of_user=self._own_knowledge,
            )
        return knowledge

    def _own_knowledge(self, user: str) -> Knowledge:
        if user == DEFAULT_USER:
            raise UsageError(
                f"what is registered for {user}, the person at this machine, is for everybody; leave user out"
            )
        return self.knowledge(user)

    def answer_basis(self, user: str) -> str:
        """Returns what answers to a user rest on beside the conversation: it changes with profile or knowledge."""
        return f"{self.profile(user).digest()} {self.knowledge(user).stamp}"

    def core(self, ledger: SessionLedger) -> SessionCore:
        """Builds the core of a session on its ledger."""
        reader = SessionReader(ledger, self.services)
        pins = Pins(ledger, self.services, self.profile)
        return SessionCore(ledger, reader, self.services, PromptLog(ledger, reader), pins)

    def feedback(self, core: SessionCore) -> FeedbackReader:
        """Builds what reads the feedback of a session and of its user."""
        from clew.engine.read.feedback import FeedbackReader

        return FeedbackReader(core.ledger, self.ledgers.store)

    def recorder(self, core: SessionCore, handouts: HandoutMemory | None = None) -> Recorder:
        """Builds the recorder of a session. ``handouts`` is what a caller was handed, for the reply that follows."""
        from clew.engine.ingest.recorder import Recorder
        from clew.engine.ingest.retrieval_judge import RetrievalJudge

        return Recorder(
            core,
            rules=self.rules(core),
            verdicts=self.verdicts(core),
            vectors=self.vectors(core),
            listeners=self._listeners,
            judge=RetrievalJudge(core.ledger, core.reader, core.log, handouts),
        )

    def verdicts(self, core: SessionCore) -> EncoderVerdicts:
        """Builds what has the encoder read a session."""
        from clew.engine.health.encoder_verdicts import EncoderVerdicts

        def for_other_thread() -> EncoderVerdicts:
            return self.verdicts(self.core(core.ledger.for_other_thread()))

        return EncoderVerdicts(
            core.ledger, self.services, pins=core.pins, rules=self.rules(core), for_other_thread=for_other_thread
        )

    def vectors(self, core: SessionCore) -> SessionVectors:
        """Builds what makes and compares the vectors of a session."""
        from clew.engine.read.session_vectors import SessionVectors

        return SessionVectors(core.ledger, core.reader, self.services)

    def rules(self, core: SessionCore) -> ExternalRules:
        """Builds what brings the profile and rule files into a session."""
        from clew.engine.health.external_rules import ExternalRules

        return ExternalRules(core.ledger, core.pins, self.profile)

    def monitor(self, core: SessionCore) -> HealthMonitor:
        """Builds the health monitor of a session."""
        from clew.engine.health.monitor import HealthMonitor
        from clew.engine.read.relevance import RelevanceScorer

        scorer = RelevanceScorer(core.ledger, core.reader)
        return HealthMonitor(core.ledger, core.reader, self.services, pins=core.pins, log=core.log, scorer=scorer)

    def prompts(self, core: SessionCore, monitor: HealthMonitor) -> Prompts:
        """Builds the prompt streams of a session; they are notified of what is recorded."""
        return self._prompts(core, monitor, self._listeners)

    def _prompts(self, core: SessionCore, monitor: HealthMonitor, listeners: RecordListeners) -> Prompts:
        from clew.engine.knowledge.chooser import KnowledgeChooser
        from clew.engine.prompt.retriever import Retriever
        from clew.engine.read.recall import Recall
        from clew.engine.stream_factory import StreamFactory

        @cache
        def for_background() -> Prompts:
            """On a core and caches of its own, which nobody else notifies or reads."""
            own = self.core(core.ledger.for_other_thread())
            return self._prompts(own, self.monitor(own), RecordListeners(self.services.events))

        def prepare(target: str, budget: int, request: CompactionRequest, cancel: Cancel) -> PreparedEpoch | None:
            return for_background().prepare_epoch(target, budget, request, cancel)

        knowledge = KnowledgeChooser(lambda: self.knowledge(core.ledger.info.owner), self.services)
        recall = Recall(core.ledger, core.reader, self.services, critical_item=core.pins.item, module=knowledge.module)
        streams = StreamFactory(
            core,
            monitor=monitor,
            knowledge=knowledge,
            feedback=self.feedback(core),
            retriever=Retriever(core.ledger, core.reader, recall, self.vectors(core)),
            prepare=prepare,
        )
        return streams.prompts(listeners)


class SessionComponents:
    """The components of one session, wired together. ``Session`` delegates to them.

    Each is built, and its modules are imported, when it is first used: who reads does not wait for what packs.
    """

    def __init__(self, factory: SessionFactory, ledger: SessionLedger) -> None:
        self._factory, self.services, self._core = factory, factory.services, factory.core(ledger)
        self.ledger, self.reader, self.pins = ledger, self._core.reader, self._core.pins

    def _module(self, id: str) -> Module:
        return self._factory.knowledge(self.ledger.info.owner).show(id)

    @cached_property
    def recall(self) -> Recall:
        from clew.engine.read.recall import Recall

        return Recall(self.ledger, self.reader, self.services, critical_item=self.pins.item, module=self._module)

    @cached_property
    def vectors(self) -> SessionVectors:
        return self._factory.vectors(self._core)

    @cached_property
    def verdicts(self) -> EncoderVerdicts:
        return self._factory.verdicts(self._core)

    @property
    def store(self) -> Store:
        """The store that the session is in."""
        return self._factory.ledgers.store

    def answer_basis(self) -> str:
        """Returns what answers in the session rest on beside the conversation."""
        return self._factory.answer_basis(self.ledger.info.owner)

    def search(self) -> SessionSearch:
        """Returns a search of the session as it is now; vectors that are missing are made meanwhile."""
        self.vectors.schedule()
        return self.search_as_it_is()

    def search_as_it_is(self) -> SessionSearch:
        """Returns a search of the session as it is now, with the vectors that are there."""
        from clew.engine.read.search import SessionSearch

        now = self.services.clock.now()
        uses = self.feedback.of_messages()
        return SessionSearch(
            self.ledger,
            self.reader,
            nearness=self.vectors.nearness,
            now=now,
            uses=uses,
            cache=self.services.caches.rankings,
        )

    @cached_property
    def feedback(self) -> FeedbackReader:
        return self._factory.feedback(self._core)

    @cached_property
    def handouts(self) -> HandoutMemory:
        from clew.engine.read.handed_out import HandoutMemory

        return HandoutMemory()

    @cached_property
    def recorder(self) -> Recorder:
        return self._factory.recorder(self._core, self.handouts)

    @cached_property
    def rules(self) -> ExternalRules:
        return self._factory.rules(self._core)

    @cached_property
    def monitor(self) -> HealthMonitor:
        return self._factory.monitor(self._core)

    @cached_property
    def prompts(self) -> Prompts:
        return self._factory.prompts(self._core, self.monitor)

    @cached_property
    def packer(self) -> Packer:
        from clew.engine.prompt.packer import Packer

        return Packer(self._core, self.prompts)

    @cached_property
    def compactor(self) -> Compactor:
        from clew.engine.compactor.compactor import Compactor

        return Compactor(self._core, monitor=self.monitor, prompts=self.prompts)
