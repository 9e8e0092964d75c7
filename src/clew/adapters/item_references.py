"""References of the Responses API: a list may name an item of an earlier response instead of saying it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clew.domain import Json
from clew.engine.session import Session


def with_referenced_items(items: Sequence[Any], session: Session) -> Sequence[Any]:
    """Returns the list with the items that the session has in place of their references. Others stay: the provider may
    know them.
    """
    wanted = {id for item in items if (id := _referenced_id(item))}
    if not wanted:
        return items
    known = _items_by_id(session, wanted)
    return [known.get(_referenced_id(item), item) for item in items]


def _referenced_id(item: Any) -> str:
    """The id that an item refers to; empty for an item that says something itself."""
    if not isinstance(item, dict) or not (item.get("type") == "item_reference" or item.keys() == {"id"}):
        return ""
    id = item.get("id")
    return id if isinstance(id, str) else ""


def _items_by_id(session: Session, ids: set[str]) -> dict[str, Json]:
    wires = (part.wire for message in session.messages() for part in message.parts)
    found = (wire.data for wire in wires if wire is not None and isinstance(wire.data, dict))
    return {data["id"]: data for data in found if data.get("id") in ids and not _referenced_id(data)}
