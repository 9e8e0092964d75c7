"""One-shot compaction: messages in, messages that fit out, without a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clew.codecs import registry
from clew.domain import Json
from clew.engine.read.recall import RecalledPart
from clew.engine.session import Session
from clew.packing.report import Omission


@dataclass(frozen=True, slots=True)
class CompactReport:
    """Size of the result, its budget, and what was left out or shortened."""

    tokens: int
    budget: int
    left_out: tuple[Omission, ...]


@dataclass(frozen=True, slots=True)
class CompactedMessages:
    """The result: ``messages`` in the format they came in, ``request`` with system prompt and tools as well.

    Nothing is lost: ``recall`` reads any part of the messages that came in.
    """

    messages: list[Any]
    request: Json
    report: CompactReport
    session: Session

    def recall(self, ids: str | Sequence[str], format: str = "full") -> list[RecalledPart]:
        """Reads any part of what came in by its id."""
        return self.session.recall(ids, format)


def compact_once(session: Session, query: str | None, *, budget: int, provider: str) -> CompactedMessages:
    """Packs a session that nobody goes on with. Nothing is recorded."""
    pack = session.pack(query, budget=budget, target=provider, record=False)
    request = pack.request()
    report = CompactReport(pack.tokens, budget, pack.left_out)
    return CompactedMessages(list(request[registry.MESSAGE_LISTS[provider]]), request, report, session)
