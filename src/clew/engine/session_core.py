"""The core of a session: what most of its components work with."""

from __future__ import annotations

from dataclasses import dataclass

from clew.engine.epochs.prompt_log import PromptLog
from clew.engine.health.pins import Pins
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services


@dataclass(frozen=True, slots=True)
class SessionCore:
    """Ledger, reader, prompt log and pins of one session, with the engine's services. Each thread has a core of its
    own.
    """

    ledger: SessionLedger
    reader: SessionReader
    services: Services
    log: PromptLog
    pins: Pins
