"""What Clew has saved."""

from __future__ import annotations

from typing import Any, Literal

from clew.dashboard.endpoint import Endpoint
from clew.engine.engine import Engine
from clew.retrieval.times import since_time


def gain(
    engine: Engine, *, by: Literal["day", "project", "model", "client"] = "day", since: str = "", session: str = ""
) -> dict[str, Any]:
    """Returns what was saved, as `clew gain --json` tells it, by day, project, model or client; in all
    sessions, or in one.
    """
    return engine.gain(by=by, since=since_time(since), session=session).as_json()


ENDPOINTS = (Endpoint("GET", "/api/gain", gain),)
