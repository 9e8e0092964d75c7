"""Which sessions `clew sessions` lists: of a project, since a time, the newest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.retrieval.times import since_time

if TYPE_CHECKING:
    from clew.engine.engine import Engine
    from clew.engine.session_listing import SessionListing


@dataclass(frozen=True, slots=True)
class Filter:
    """Sessions of a project, recorded into since a time in seconds, and at most ``limit`` of them, 0 for all."""

    project: str = ""
    since: float = 0.0
    limit: int = 0

    @classmethod
    def read(cls, *, project: str, since: str, limit: int) -> Filter:
        """Returns the filter that options name. Raises UsageError for a time that is none."""
        return cls(project, since_time(since) or 0.0, limit)

    def list_sessions(self, engine: Engine) -> list[SessionListing]:
        """Returns the sessions, newest first."""
        if self == Filter():
            return engine.sessions()
        wanted = {
            info.key for info in engine.infos() if info.updated >= self.since and info.is_of_project(self.project)
        }
        sessions = engine.sessions(keys=wanted)
        return sessions[: self.limit] if self.limit else sessions
