"""Compaction as the page shows it: what it would do, doing it, and taking it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clew.dashboard.endpoint import Endpoint
from clew.dashboard.health_views import Done
from clew.domain import Compaction
from clew.engine.compactor.report import Preview
from clew.engine.engine import Engine

Strategy = Literal["auto", "summarize", "selective", "chunked", "aggressive"]


def preview(
    engine: Engine, *, id: str, strategy: Strategy = "auto", keep_recent: int | None = None, budget: int | None = None
) -> Preview:
    """Returns what a compaction would do. Nothing is written."""
    return engine.find(id).compactor.preview(strategy, keep_recent=keep_recent, budget=budget)


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a compaction did, and the tokens that it saved."""

    compaction: Compaction
    saved_tokens: int


def compact(
    engine: Engine, *, id: str, strategy: Strategy = "auto", keep_recent: int | None = None, budget: int | None = None
) -> Compacted:
    """Compacts a session."""
    done = engine.find(id).compact(strategy, keep_recent=keep_recent, budget=budget)
    return Compacted(done, done.saved_tokens)


def undo(engine: Engine, *, id: str) -> Done:
    """Takes the last compaction back."""
    engine.find(id).undo()
    return Done(id, "the last compaction is taken back")


ENDPOINTS = (
    Endpoint("GET", "/api/sessions/{id}/preview", preview),
    Endpoint("POST", "/api/sessions/{id}/compact", compact),
    Endpoint("POST", "/api/sessions/{id}/undo", undo),
)
