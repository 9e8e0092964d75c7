"""The domain's values as columns of a row, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from clew.domain import Entry, EntryKind, SessionInfo, SessionKey, Usage
from clew.domain.values import fields_of
from clew.text.memo import remember

_INFO_ORDER = tuple(field.name for field in fields(SessionInfo) if field.name != "key")
_INFO_FIELDS = frozenset(_INFO_ORDER)
_USAGE_FIELDS = frozenset(field.name for field in fields(Usage))


def name_bytes(name: str) -> bytes:
    """UTF-8 that also holds what a file name may, in order of code points."""
    return name.encode("utf-8", "surrogatepass")


def name_text(name: bytes) -> str:
    return name.decode("utf-8", "surrogatepass")


def entry_of(head: Sequence[Any], body: bytes) -> Entry:
    """``head`` is seq, message, replaces, kind, format, at."""
    return Entry(
        seq=head[0], message=head[1], replaces=head[2], kind=EntryKind(head[3]), format=head[4], at=head[5], body=body
    )


def info_bytes(info: SessionInfo) -> bytes:
    """JSON in ASCII: it also carries what a path may hold and UTF-8 may not."""
    data = {name: getattr(info, name) for name in _INFO_ORDER} | {"usage": fields_of(info.usage)}
    return json.dumps(data, separators=(",", ":")).encode()


@remember(64)  # the row is read many times between two changes of it
def info_of(key: SessionKey, data: bytes) -> SessionInfo:
    """Fields that this version does not know are left out; those it misses have their defaults.

    Earlier versions named nobody: what they read from an assistant's transcript is of the person at this machine, and
    of all else nobody knows whose it is.
    """
    found = json.loads(data)
    known = {name: value for name, value in found.items() if name in _INFO_FIELDS and name != "usage"}
    known.setdefault("named", bool(known.get("source") and known.get("client")))
    usage = {name: value for name, value in found.get("usage", {}).items() if name in _USAGE_FIELDS}
    return SessionInfo(key=key, usage=Usage(**usage), **known)


__all__ = ["entry_of", "info_bytes", "info_of", "name_bytes", "name_text"]
