"""Results in the order of the configured model, on request. Where it gives none, they stand as they were found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clew.cancellation import Cancel
from clew.domain import SessionKey
from clew.engine.read.search_result import SearchResult
from clew.engine.services import Services
from clew.errors import ModelCancelled, ModelError, ModelUnavailable
from clew.retrieval.rerank import MOST_CANDIDATES, ask_for_order
from clew.text.secrets import mask

Find = Callable[[int], list[SearchResult]]


@dataclass(frozen=True, slots=True)
class Reranker:
    """``key`` is whose limits on spending hold, for what belongs to no session."""

    services: Services
    key: SessionKey

    def find(self, query: str, find: Find, *, limit: int, cancel: Cancel | None = None) -> list[SearchResult]:
        """Returns what ``find`` gives for a number of results, the best of it in the model's order. What goes wrong is
        told by the event ``rerank.degraded``; only ModelCancelled is raised.
        """
        candidates = find(max(limit, MOST_CANDIDATES))
        best, rest = candidates[:MOST_CANDIDATES], candidates[MOST_CANDIDATES:]
        try:
            return [*(best[index] for index in self._order(query, best, cancel)), *rest][:limit]
        except ModelCancelled:
            raise
        except ModelError as error:
            self.services.events.emit("rerank.degraded", reason=mask(str(error)))
            return candidates[:limit]

    def _order(self, query: str, results: list[SearchResult], cancel: Cancel | None) -> list[int]:
        if len(results) < 2:
            return list(range(len(results)))
        key = SessionKey(
            self.key.tenant, self.key.user, next((result.session for result in results if result.session), self.key.id)
        )
        model = self.services.models.for_session(key)
        if model is None:
            raise ModelUnavailable("no model is configured; models.model names one")
        texts = [" ".join(filter(None, (result.context, result.text))) for result in results]
        seconds = self.services.config.models.timeout_seconds
        return ask_for_order(mask(query), texts, model=model, seconds=seconds, cancel=cancel)
