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
    _append(session, heard=[said | more])


def deny(session: Session, text: str, source: str) -> None:
    """The entry of a verdict that a sentence is not meant to last."""
    _append(session, denied=[{"source": source, "text": text}])


def _append(session: Session, **verdict: Any) -> None:
    session._ledger.append(EntryKind.PIN, {"verdict": {"tier": "encoder@1", **verdict}})
