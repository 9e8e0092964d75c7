"""Tools: what a caller lets the model use."""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.domain.parts import Json, Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool's definition; ``schema`` is the JSON Schema of its arguments. Provider tools have no schema."""

    name: str
    description: str = ""
    schema: Json = field(default_factory=dict)
    wire: Wire | None = None
