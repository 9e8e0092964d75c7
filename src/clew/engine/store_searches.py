"""Searches over all sessions of a store, and over registered knowledge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clew.domain import SessionInfo
from clew.engine.ledger.ledgers import Ledgers
from clew.engine.read.feedback import chunk_uses
from clew.engine.read.store_search import SearchedStore, StoreSearch, chosen_sessions
from clew.engine.read.vector_progress import VectorProgress, vector_progress
from clew.engine.session_factory import SessionComponents, SessionFactory
from clew.errors import ModelError

#: Sessions whose missing vectors are made after one search; the next one goes on.
_SCHEDULED = 32


class StoreSearches:
    """Looks into the sessions of a user, or of all, that the ``filters`` let through."""

    def __init__(
        self, factory: SessionFactory, ledgers: Ledgers, *, user: str | None, filters: Mapping[str, Any]
    ) -> None:
        self._factory, self._ledgers, self._user, self._filters = factory, ledgers, user, filters
        self._services, self._store = factory.services, ledgers.store

    def search(self, span: tuple[float, float] | None) -> StoreSearch:
        """Returns a search of messages of that time, with what was recorded in the index of words; vectors that are
        missing are made meanwhile.
        """
        infos = self._sessions(span[0] if span else 0.0)
        progress = self._progress(infos)
        for info in progress.behind[:_SCHEDULED]:
            self._components(info).vectors.schedule()
        with self._store.steady():
            for info in infos:
                self._ledgers.ledger(info, is_fixed=True).bring_words_up_to_date()
        by_key = {info.key: info for info in infos}
        is_near = bool(progress.made) and not progress.missing
        searched = SearchedStore(
            store=self._store,
            infos=infos,
            ledger=lambda info: self._ledgers.ledger(info, is_fixed=True),
            session=lambda info: self._components(info).search_as_it_is(),
            nearness=(lambda key, text: self._components(by_key[key]).vectors.nearness(text)) if is_near else None,
            documents=self._factory.knowledge(self._user or self._ledgers.user).documents,
            uses=lambda: chunk_uses(self._store, self._ledgers.infos(self._user)),
            now=self._services.clock.now(),
        )
        return StoreSearch(searched, filters=self._filters, span=span)

    def progress(self) -> VectorProgress:
        """Returns how far the vectors of the sessions are made."""
        return self._progress(self._sessions(0.0))

    def _sessions(self, since: float) -> list[SessionInfo]:
        return chosen_sessions(self._ledgers.infos(self._user), self._filters, since=since)

    def _progress(self, infos: Sequence[SessionInfo]) -> VectorProgress:
        try:
            embedder = self._services.embedders.current()
        except ModelError:
            embedder = None
        with self._store.steady():
            return vector_progress(self._store, infos, embedder.name) if embedder else VectorProgress()

    def _components(self, info: SessionInfo) -> SessionComponents:
        return SessionComponents(self._factory, self._ledgers.ledger(info))
