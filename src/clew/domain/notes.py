"""Notes: what a model says of its own turn, beside the reply. Claims, in its words; the record says what was done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodeChange:
    """What a model says it changed. A claim, not a fact: the work map knows what was edited."""

    path: str
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Housekeeping:
    """A model's notes on its own turn, each on one line; empty fields say nothing.

    The first four are the model's side, the others the user's side as the model understood it. They may
    improve a digest; they are a model's words and never become critical.
    """

    response_header: str = ""
    context_summary: str = ""
    key_decisions: tuple[str, ...] = ()
    code_changes: tuple[CodeChange, ...] = ()
    query_header: str = ""
    understood_intent: str = ""
    context_used: tuple[str, ...] = ()
