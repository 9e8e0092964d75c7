"""Compaction as the page shows it: what it would do, doing it, and taking it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clew.dashboard.endpoint import Endpoint
from clew.dashboard.health_views import Done
from clew.dashboard.pack_views import KeptLine, kept_lines
from clew.dashboard.replays import Replays
from clew.domain import Compaction
from clew.engine.compactor.report import Preview
from clew.engine.engine import Engine

Strategy = Literal["auto", "summarize", "selective", "chunked", "aggressive"]


@dataclass(frozen=True, slots=True)
class PreviewView:
    """What a compaction would do, and the lines that would stand for what is no longer sent, by their sources."""

    preview: Preview
    kept: tuple[KeptLine, ...]


def preview(
    engine: Engine, *, id: str, strategy: Strategy = "auto", keep_recent: int | None = None, budget: int | None = None
) -> PreviewView:
    """Returns what a compaction would do. Nothing is written."""
    found = Replays.of(engine, id).preview(strategy, keep_recent=keep_recent, budget=budget)
    return PreviewView(found, tuple(kept_lines(found.snapshot, {section.name for section in found.sections})))


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
    Endpoint("GET", "/api/sessions/{id}/preview", preview, is_replay=True),
    Endpoint("POST", "/api/sessions/{id}/compact", compact),
    Endpoint("POST", "/api/sessions/{id}/undo", undo),
)
