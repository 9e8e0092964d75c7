"""One call, no store: a list of messages in, one that fits out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.codecs import registry
from clew.domain import Json
from clew.engine.recalling import Item
from clew.packing.pack import LeftOut

if TYPE_CHECKING:
    from clew.engine.session import Session


@dataclass(frozen=True, slots=True)
class Report:
    """What was kept, shrunk and left out."""

    tokens: int
    budget: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class Compacted:
    """``messages`` in the format they came in; ``request`` also has system and tools. Nothing is lost:
    ``recall`` reads any part of what came in."""

    messages: list[Any]
    request: Json
    report: Report
    session: Session

    def recall(self, ids: str | Sequence[str], format: str = "full") -> list[Item]:
        return self.session.recall(ids, format)


def compacted(session: Session, query: str | None, *, budget: int, provider: str) -> Compacted:
    pack = session.pack(query, budget=budget, record=False)
    request = pack.request(provider)
    report = Report(pack.tokens, budget, pack.left_out)
    return Compacted(list(request[registry.MESSAGE_LISTS[provider]]), request, report, session)
