"""How far the vectors of sessions are made: searches go by meaning, too, once those of all sessions are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clew.domain import SessionInfo
from clew.ports import Store
from clew.retrieval.vector_rows import VectorRows

#: A session is made in batches: so many of its newest messages may wait for the next one.
_NEWEST = 16


@dataclass(frozen=True, slots=True)
class VectorProgress:
    """Messages of the sessions that are searched, and how many of them have vectors. ``behind`` are the sessions of
    which more than the newest messages lack theirs. Nothing at all without an embedder.
    """

    made: int = 0
    messages: int = 0
    behind: tuple[SessionInfo, ...] = ()

    @property
    def missing(self) -> int:
        """Messages without a vector, in sessions that are behind."""
        return self.messages - self.made if self.behind else 0


def vector_progress(store: Store, infos: Iterable[SessionInfo], embedder: str) -> VectorProgress:
    """Returns how far the vectors of an embedder are made in these sessions."""
    made, messages, behind = 0, 0, list[SessionInfo]()
    for info in infos:
        reach = min(VectorRows(store, info.key).reach().get(embedder, 0), info.messages)
        made, messages = made + reach, messages + info.messages
        behind += [info] if reach < info.messages - _NEWEST or (info.messages and not reach) else []
    return VectorProgress(made, messages, tuple(behind))
