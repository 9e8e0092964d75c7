"""A session's critical items, drift and size, read straight from the rows of a store that is a file.

The engine takes several tenths of a second to load, and a status line has one in all. What is computed of the rows is
computed by the functions that the engine uses.
"""

from __future__ import annotations

import os
import sys

from clew.hooks.quick_settings import store_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_BUSY_MILLISECONDS = 20
_IN_FORCE, _BROKEN = "pinned", "broken"
_OF_SESSION = "SELECT tenant, user, info FROM sessions WHERE session = ? ORDER BY user <> ? LIMIT 1"
_OF_PROJECTION = (
    "SELECT name, kept, body FROM projected"
    " WHERE tenant = ? AND user = ? AND session = ? AND projection = ? AND name >= ? AND name < ?"
)
_SIGNALS, _USAGE = "watch", "usage"
#: As many contradictions as a report looks at.
_CLASHES = " ORDER BY name DESC LIMIT 20"


class StoredFigures:
    """What a store has of a session: how many critical items are in force, how far it has drifted, the window that was
    given for it, 0 for none, and the fields of ``PromptUsage``; none where they are not derived yet.
    """

    __slots__ = ("critical_items", "drift", "usage", "window")

    def __init__(self, critical_items: int, drift: float, usage: dict[str, Any], window: int) -> None:
        self.critical_items, self.drift, self.usage, self.window = critical_items, drift, usage, window


def session_figures(session: str, store: str) -> StoredFigures | None:
    """Returns the figures of a session; None for one that is not stored."""
    path = store_place(store)
    if not os.path.isfile(path):  # noqa: PTH113
        return None
    import apsw

    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        db.setbusytimeout(_BUSY_MILLISECONDS)
        own = os.environ.get("CLEW_USER") or "default"
        found = db.execute(_OF_SESSION, (session, own)).fetchone()
        return _figures(db, (found[0], found[1], session), found[2]) if found else None
    finally:
        db.close()


def _figures(db: Any, key: tuple[str, str, str], info: bytes) -> StoredFigures:
    import json

    about = json.loads(info)
    items, drift = _signals(db, key, about.get("messages", 0))
    return StoredFigures(items, drift, _state(db, (*key, _USAGE)), about.get("window") or 0)


def _state(db: Any, key: tuple[str, str, str, str]) -> dict[str, Any]:
    return next((row.get("state") or {} for _, row in _rows(db, key, "")), {})


def _signals(db: Any, session: tuple[str, str, str], messages: int) -> tuple[int, float]:
    from clew.signals.adherence.drift_score import drift_score, fresh_scores
    from clew.signals.adherence.topic_drift import drift_in

    key = (*session, _SIGNALS)
    items = {row["id"]: row["kind"] for _, row in _rows(db, key, "pin/") if row["state"] == _IN_FORCE}
    rules = ((name.removeprefix("rule/"), row) for name, row in _rows(db, key, "rule/"))
    broken = [items[id] for id, row in rules if id in items and row.get("state") == _BROKEN]
    clashes = [(int(row["later"].lstrip("m")), row["score"]) for _, row in _rows(db, key, "clash/", _CLASHES)]
    return len(items), drift_score(broken, drift_in(_state(db, key)), fresh_scores(clashes, messages))


def _rows(db: Any, key: tuple[str, str, str, str], prefix: str, order: str = "") -> Iterator[tuple[str, Any]]:
    """Rows whose names begin with a prefix; without one, that of the projection's state, which comes first."""
    import json

    low, high = prefix.encode(), prefix.encode() + b"~" if prefix else b"\x01"
    for name, kept, body in db.execute(_OF_PROJECTION + order, (*key, low, high)):
        yield name.decode("utf-8", "surrogatepass"), json.loads(_decompressed(body) if kept else body)


def _decompressed(body: bytes) -> bytes:
    """As ``clew.storage.compression`` does it, whose package takes too long to load."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    plain: bytes = zstd.decompress(body)
    return plain
