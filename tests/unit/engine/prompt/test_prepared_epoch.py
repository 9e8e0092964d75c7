"""Prepared epochs: planned again when the session has grown, not at every message."""

from __future__ import annotations

from clew.cancellation import Cancel
from clew.domain import CompactionRequest, Epoch, Trigger
from clew.engine.background import Background
from clew.engine.prompt.prepared_epoch import EpochPreparer, PreparedEpoch
from clew.telemetry.events import Bus

REQUEST = CompactionRequest(trigger=Trigger.PAYS, tokens=400)


def prepare(request: CompactionRequest, cancel: Cancel) -> PreparedEpoch:
    return PreparedEpoch(request, Epoch(stream="s", number=1), 1, 100, ())


def test_an_epoch_is_fresh_until_a_quarter_of_its_size_was_recorded_since() -> None:
    background = Background(Bus())
    preparer = EpochPreparer(background, prepare)
    assert not preparer.is_fresh(500)
    preparer.prepare(REQUEST, at=500)
    background.wait()
    assert preparer.is_fresh(599)
    assert not preparer.is_fresh(600)
    assert preparer.take() == prepare(REQUEST, Cancel())
    assert not preparer.is_fresh(500)
    background.close()
