"""Search over everything, and registered knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clew.dashboard.endpoint import Endpoint
from clew.dashboard.session_views import session_names
from clew.domain.modules import Module
from clew.engine.engine import Engine
from clew.engine.read.search_result import SearchResult

Kind = Literal["segment", "message", "blob", "module", "chunk"]


@dataclass(frozen=True, slots=True)
class Hit:
    """What matches a query; ``name`` is what this API finds its session by, ``title`` what that is about."""

    result: SearchResult
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class Found:
    """What matches a query, best first. While vectors are ``missing``, the search goes by words alone."""

    hits: tuple[Hit, ...]
    missing: int


def search(
    engine: Engine, *, query: str, session: str = "", project: str = "", kind: Kind | None = None, limit: int = 20
) -> Found:
    """Returns what matches a query, in one session, one project, or everywhere and in registered knowledge."""
    if session:
        found = engine.find(session).search(query, limit=limit, kind=kind or "segment")
    else:
        found = engine.search(query, limit=limit, kind=kind, filters={"project": project} if project else None)
    infos = engine.infos()
    names = session_names(infos)
    known = {(info.owner, info.key.id): (names[info.key], info.title) for info in infos}
    hits = (Hit(one, *known.get((one.user, one.session), (one.session, ""))) for one in found)
    return Found(tuple(hits), engine.vector_progress().missing)


@dataclass(frozen=True, slots=True)
class Modules:
    """The knowledge modules that are registered."""

    modules: tuple[Module, ...]


def knowledge(engine: Engine) -> Modules:
    """Returns the registered knowledge modules."""
    return Modules(tuple(engine.knowledge.list()))


ENDPOINTS = (Endpoint("GET", "/api/search", search), Endpoint("GET", "/api/knowledge", knowledge))
