"""What a provider sent, sent back byte for byte as long as the part still says the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from clew.domain import Json, Output, Part


def unchanged_wire(part: Part, format: str, read: Callable[[Any], Part]) -> Any | None:
    """The block as it came, if it came in this format and still says what the part says."""
    wire = part.wire
    if wire is not None and wire.format == format and is_unchanged(read(wire.data), part):
        return wire.data
    return None


def is_unchanged(came: Part, part: Part) -> bool:
    """True when a part says what it said on the wire. How a call ended may have been learned elsewhere (from
    the client's own notes, or from the text): that is no change of what the provider was told."""
    if isinstance(came, Output) and isinstance(part, Output):
        part = replace(part, status=came.status, reason=came.reason, name=came.name)
    return came == part


def own_wire(part: Part, format: str) -> Json:
    """The object that a part was read from, or an empty one when it came in no object of this format."""
    wire = part.wire
    return wire.data if wire is not None and wire.format == format and isinstance(wire.data, dict) else {}


def unknown_fields(part: Part, format: str, known: Sequence[str]) -> Json:
    """Fields of a block that this version does not model: they stay when the rest is made anew."""
    return {name: value for name, value in own_wire(part, format).items() if name not in known}
