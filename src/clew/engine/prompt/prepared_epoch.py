"""Prepared epochs: the next epoch of a stream, planned in the background before it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from clew.cancellation import Cancel
from clew.domain import CompactionRequest, Epoch
from clew.engine.background import Background

#: A prepared epoch is planned again when this share of its size has been recorded since: so much more is carried over
#: word for word than a new plan would.
_STALE_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class PreparedEpoch:
    """An epoch planned for ``request`` when the session had this version.

    ``tokens`` is the size of its first prompt. ``full_texts`` have to be stored before it is sent.
    """

    request: CompactionRequest
    epoch: Epoch
    version: int
    tokens: int
    full_texts: tuple[str, ...]


Prepare = Callable[[CompactionRequest, Cancel], PreparedEpoch | None]


class EpochPreparer:
    """Has the next epoch planned in the background and hands it over once.

    ``prepare`` runs only in the background thread, on objects that no other thread uses.
    The two threads share one value, behind a lock. Places are counted in recorded tokens.
    """

    def __init__(self, background: Background, prepare: Prepare) -> None:
        self._background, self._prepare = background, prepare
        self._lock = Lock()
        self._prepared: PreparedEpoch | None = None
        self._fresh_until: float | None = None

    def is_fresh(self, recorded: int) -> bool:
        """Returns True while little was recorded since the last epoch was asked for, ready or not."""
        with self._lock:
            return self._fresh_until is not None and recorded < self._fresh_until

    def prepare(self, request: CompactionRequest, *, at: int) -> None:
        """Asks for an epoch; it replaces one that is still waiting."""
        with self._lock:
            self._fresh_until, self._prepared = at + _STALE_SHARE * request.tokens, None
        self._background.submit(self, lambda cancel: self._run(request, cancel))

    def take(self) -> PreparedEpoch | None:
        """Returns the prepared epoch and forgets it; None while there is none."""
        with self._lock:
            prepared, self._prepared, self._fresh_until = self._prepared, None, None
        return prepared

    def _run(self, request: CompactionRequest, cancel: Cancel) -> None:
        prepared = self._prepare(request, cancel)
        if prepared is not None:
            with self._lock:
                self._prepared = prepared
