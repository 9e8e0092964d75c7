"""The session factory: the only place that wires the components of a session."""

from __future__ import annotations

from dataclasses import dataclass

from clew.domain import SessionKey
from clew.engine.compaction.compactor import Compactor
from clew.engine.epochs.prompt_log import PromptLog
from clew.engine.health.external_rules import ExternalRules
from clew.engine.health.monitor import HealthMonitor
from clew.engine.health.pins import Pins
from clew.engine.health.profile import Profile
from clew.engine.ingest.recorder import Recorder, RecordListeners
from clew.engine.ledger.ledgers import Ledgers
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.prompt.packer import Packer
from clew.engine.prompt.prompts import DefaultPlans, Prompts
from clew.engine.read.reader import SessionReader
from clew.engine.read.recall import Recall
from clew.engine.read.relevance import RelevanceScorer
from clew.engine.services import Services


@dataclass(frozen=True, slots=True)
class SessionCore:
    """Ledger, reader, prompt log and pins, which most components of a session work with.
    Each thread has a core of its own.
    """

    ledger: SessionLedger
    reader: SessionReader
    log: PromptLog
    pins: Pins


@dataclass(frozen=True, slots=True)
class SessionComponents:
    """All components of one session, wired together. ``Session`` delegates to them."""

    reader: SessionReader
    recall: Recall
    recorder: Recorder
    pins: Pins
    rules: ExternalRules
    monitor: HealthMonitor
    packer: Packer
    compactor: Compactor


class SessionFactory:
    """Builds the components of sessions for one engine."""

    def __init__(self, ledgers: Ledgers, services: Services) -> None:
        self.ledgers, self.services = ledgers, services
        self._listeners = RecordListeners(services.events)

    def forget(self, key: SessionKey) -> None:
        """Nobody waits for records of a session that was purged."""
        self._listeners.forget(key)

    def profile(self, user: str) -> Profile:
        """Returns the profile of a user: wishes that hold in every session of theirs."""
        tenant = self.services.config.tenant
        return Profile(self.ledgers.store, self.services.clock, tenant=tenant, user=user)

    def core(self, ledger: SessionLedger) -> SessionCore:
        """Builds the core of a session on its ledger."""
        reader = SessionReader(ledger, self.services)
        pins = Pins(ledger, self.services, self.profile(ledger.key.user))
        return SessionCore(ledger, reader, PromptLog(ledger, reader), pins)

    def recorder(self, core: SessionCore) -> Recorder:
        """Builds the recorder of a session."""
        return Recorder(
            core.ledger,
            core.reader,
            self.services,
            log=core.log,
            pins=core.pins,
            rules=self._rules(core),
            listeners=self._listeners,
        )

    def monitor(self, core: SessionCore) -> HealthMonitor:
        """Builds the health monitor of a session."""
        scorer = RelevanceScorer(core.ledger, core.reader)
        return HealthMonitor(core.ledger, core.reader, self.services, pins=core.pins, log=core.log, scorer=scorer)

    def components(self, ledger: SessionLedger) -> SessionComponents:
        """Builds all components of a session."""
        core, services = self.core(ledger), self.services
        reader, log, pins, monitor = core.reader, core.log, core.pins, self.monitor(core)
        prompts = self._prompts(core, monitor, self._listeners)
        plans = DefaultPlans(prompts, reader, services)
        return SessionComponents(
            reader=reader,
            recall=Recall(ledger, reader, services, critical_item=pins.item),
            recorder=self.recorder(core),
            pins=pins,
            rules=self._rules(core),
            monitor=monitor,
            packer=Packer(ledger, reader, services, log=log, pins=pins, prompts=prompts),
            compactor=Compactor(ledger, reader, services, log=log, pins=pins, monitor=monitor, plans=plans),
        )

    def _rules(self, core: SessionCore) -> ExternalRules:
        return ExternalRules(core.ledger, core.pins, self.profile(core.ledger.key.user))

    def _prompts(self, core: SessionCore, monitor: HealthMonitor, listeners: RecordListeners) -> Prompts:
        def for_background() -> Prompts:
            """On a core and caches of its own, which nobody else notifies or reads."""
            own = self.core(core.ledger.for_other_thread())
            return self._prompts(own, self.monitor(own), RecordListeners(self.services.events))

        return Prompts(
            core.ledger,
            core.reader,
            self.services,
            log=core.log,
            pins=core.pins,
            monitor=monitor,
            listeners=listeners,
            for_background=for_background,
        )
