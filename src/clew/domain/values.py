"""Plain values, for what is written often."""

from __future__ import annotations

from typing import Any


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a dataclass with slots; what they hold is shared, not copied."""
    return {name: getattr(value, name) for name in value.__slots__}
