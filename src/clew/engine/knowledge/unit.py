"""A unit of knowledge: what is handed out of a module at once, as prompts show it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeUnit:
    """A module, a chunk of one, or the line that names a tool or skill: its text as it is laid out, the ids of the
    chunks that it holds, and why it was chosen: required, named, or
    found by the query.
    """

    module: str
    text: str
    sources: tuple[str, ...]
    tokens: int
    why: str
    is_found: bool = False
