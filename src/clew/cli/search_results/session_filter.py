"""Which sessions `clew sessions` lists: of a project, since a time, the newest."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.engine.engine import Engine
    from clew.engine.session_listing import SessionListing

_AGO = re.compile(r"(\d{1,6})([mhdw])")
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


@dataclass(frozen=True, slots=True)
class Filter:
    """Sessions of a project, recorded into since a time in seconds, and at most ``limit`` of them, 0 for all."""

    project: str = ""
    since: float = 0.0
    limit: int = 0

    @classmethod
    def read(cls, *, project: str, since: str, limit: int) -> Filter:
        """Returns the filter that options name. Raises UsageError for a time that is none."""
        return cls(project, _moment(since) if since else 0.0, limit)

    def list_sessions(self, engine: Engine) -> list[SessionListing]:
        """Returns the sessions, newest first."""
        if self == Filter():
            return engine.sessions()
        wanted = {
            info.key for info in engine.infos() if info.updated >= self.since and info.is_of_project(self.project)
        }
        found = engine.sessions(keys=wanted)
        return found[: self.limit] if self.limit else found


def _moment(told: str) -> float:
    """Seconds since 1970 of a date, or of so long ago."""
    if ago := _AGO.fullmatch(told.strip()):
        return time.time() - int(ago[1]) * _SECONDS[ago[2]]
    try:
        return datetime.fromisoformat(told.strip()).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(f"--since takes a date such as 2031-05-04, or 12h, 7d, 2w ago; not {told!r}") from None
