"""Tool definitions that a caller offers to the model."""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.domain.parts import Json, Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Definition of a tool. ``schema`` is the JSON Schema of its arguments; tools that the provider runs have none."""

    name: str
    description: str = ""
    schema: Json = field(default_factory=dict)
    wire: Wire | None = None
