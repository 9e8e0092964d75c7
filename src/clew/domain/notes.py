"""Notes that a model writes about its own turn beside the reply.
They are claims in its words, not records of what it did.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodeChange:
    """A change that a model claims to have made. The work map knows what was really edited."""

    path: str
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Housekeeping:
    """A model's notes on its own turn, each on one line; an empty field means that it noted nothing.

    The first four fields are about the reply, the others about the request as the model understood it.
    They may improve a digest but never become critical items.
    """

    response_header: str = ""
    context_summary: str = ""
    key_decisions: tuple[str, ...] = ()
    code_changes: tuple[CodeChange, ...] = ()
    query_header: str = ""
    understood_intent: str = ""
    context_used: tuple[str, ...] = ()
