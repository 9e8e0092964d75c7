"""A session's critical items, drift and size, read straight from the rows of a store that is a file.

The engine takes several tenths of a second to load, and a status line has one in all. What is computed of the rows is
computed by the functions that the engine uses.
"""

from __future__ import annotations

import json
import os

from clew.hooks.quick_settings import store_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from clew.storage.quick_rows import Key, QuickRows

_IN_FORCE, _BROKEN = "pinned", "broken"
_SIGNALS, _USAGE = "watch", "usage"
#: As many contradictions as a report looks at.
_CLASHES = 20


class StoredFigures:
    """What a store has of a session: how many critical items are in force, how far it has drifted, the fields of
    ``PromptUsage``, none where they are not derived yet, the window that was given for it, 0 for none, its model and
    its client.
    """

    __slots__ = ("client", "critical_items", "drift", "model", "usage", "window")

    def __init__(self, critical_items: int, drift: float, usage: dict[str, Any], about: dict[str, Any]) -> None:
        self.critical_items, self.drift, self.usage = critical_items, drift, usage
        self.window: int = about.get("window") or 0
        self.model: str = about.get("model") or ""
        self.client: str = about.get("client") or ""


def session_figures(session: str, store: str) -> StoredFigures | None:
    """Returns the figures of a session; None for one that is not stored."""
    path = store_place(store)
    if not os.path.isfile(path):  # noqa: PTH113
        return None
    from clew.storage.quick_rows import QuickRows

    with QuickRows(path) as rows:
        row = rows.session(session, os.environ.get("CLEW_USER") or "default")
        return _figures(rows, *row) if row else None


def _figures(rows: QuickRows, key: Key, info: bytes) -> StoredFigures:
    about = json.loads(info)
    items, drift = _signals(rows, key, about.get("messages", 0))
    return StoredFigures(items, drift, _state(rows, key, _USAGE), about)


def _signals(rows: QuickRows, key: Key, messages: int) -> tuple[int, float]:
    from clew.signals.adherence.drift import drift_in, drift_score, fresh_scores

    items = {row["id"]: row["kind"] for row in _signal_rows(rows, key, "pin/").values() if row["state"] == _IN_FORCE}
    rules = _signal_rows(rows, key, "rule/")
    broken = [items[id] for id, row in rules.items() if id in items and row.get("state") == _BROKEN]
    newest = reversed(_signal_rows(rows, key, "clash/", last=_CLASHES).values())
    clashes = [(int(row["later"].lstrip("m")), row["score"]) for row in newest]
    return len(items), drift_score(broken, drift_in(_state(rows, key, _SIGNALS)), fresh_scores(clashes, messages))


def _signal_rows(rows: QuickRows, key: Key, prefix: str, *, last: int = -1) -> dict[str, Any]:
    """Rows of the signals whose names begin with a prefix, by the rest of the name."""
    bodies = rows.rows(key, _SIGNALS, start=prefix, stop=f"{prefix}~", last=last)
    return {name.removeprefix(prefix): json.loads(body) for name, body in bodies}


def _state(rows: QuickRows, key: Key, projection: str) -> dict[str, Any]:
    """The state of a projection, which stands in a row without a name."""
    body = rows.row(key, projection, "")
    return (json.loads(body).get("state") if body else None) or {}
