"""Verdicts of the encoder, written by hand."""

from __future__ import annotations

from typing import Any

from clew.domain import EntryKind
from clew.domain.critical import ItemKind, Scope
from clew.engine.session import Session
from clew.signals.critical.subjects import subject_of


def hear(session: Session, text: str, source: str, **more: Any) -> None:
    """The entry of a verdict on one sentence."""
    said = {
        "kind": ItemKind.INSTRUCTION,
        "text": text,
        "source": source,
        "span": [0, len(text)],
        "scope": Scope.PROJECT,
        "subject": subject_of(text),
        "doubtful": False,
    }
    verdict = {"tier": "encoder@1", "heard": [said | more], "clashes": []}
    session._ledger.append(EntryKind.PIN, {"verdict": verdict})
