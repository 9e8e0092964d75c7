"""Fields of a critical item that somebody pins by hand, checked before they are stored."""

from __future__ import annotations

from clew.domain import Json
from clew.domain.critical import ItemKind, Scope
from clew.errors import UsageError

#: Who can mark an item. Items marked by an assistant say so wherever they are shown.
_MAKERS = ("person", "assistant")


def pin_fields(text: str, kind: str, reason: str, by: str, scope: str, source: str) -> Json:
    """Checks an item that somebody pins and returns the fields to store.
    Raises UsageError for values that are not allowed.
    """
    if not text.strip():
        raise UsageError("a critical item needs words")
    ensure_kind(kind)
    if by not in _MAKERS:
        raise UsageError(f"critical items are marked by {' or '.join(_MAKERS)}, not by {by!r}")
    if scope not in list(Scope):
        raise UsageError(f"no scope {scope!r}; there are {', '.join(Scope)}")
    return {"text": text.strip(), "kind": kind, "reason": reason, "by": by, "scope": scope, "source": source}


def ensure_kind(kind: str) -> None:
    """Raises UsageError for a kind that critical items do not have."""
    if kind not in list(ItemKind):
        raise UsageError(f"no kind {kind!r} of critical items; there are {', '.join(ItemKind)}")
