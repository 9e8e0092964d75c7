"""The engine: one store, its sessions, and what they share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from clew.cancellation import Cancel
from clew.config import Config
from clew.domain import SessionInfo, SessionKey
from clew.domain.health import CountSource, LimitSource
from clew.engine.health.profile import Profile
from clew.engine.ingest.file_cursors import FileCursors
from clew.engine.ingest.incoming_replies import records_left_replies
from clew.engine.ledger.ledgers import Ledgers
from clew.engine.read.losses import SessionLosses
from clew.engine.services import Services
from clew.engine.session import Session
from clew.engine.session_factory import SessionComponents, SessionFactory
from clew.errors import ModelError, UsageError
from clew.ports import Erasure, Store
from clew.text.memo import forget_all

if TYPE_CHECKING:
    from clew.engine.conversation.answer_cache import AnswerCache
    from clew.engine.ingest.follower import Follower
    from clew.engine.ingest.importer import ImportReport
    from clew.engine.knowledge.library import Knowledge
    from clew.engine.read.search import SessionSearch
    from clew.engine.read.search_result import SearchResult
    from clew.retrieval.document_index import DocumentIndex
    from clew.retrieval.search_cache import CacheUse

_ABOUT = {"model", "window", "title", "client", "cwd", "project", "source"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionListing:
    """A session as lists show it: what is known of it, its totals, its health (good, warning or critical), and what a
    damaged store has lost of it.

    ``tokens`` are those of all messages as they were recorded, as ``tokens_source`` says; the rest is as in ``Health``.
    ``updated`` is seconds since 1970, UTC.
    """

    id: str
    title: str
    client: str
    cwd: str
    source: str
    model: str
    messages: int
    exchanges: int
    tokens: int
    updated: float
    health: str
    tokens_used: int
    used_source: CountSource
    tokens_limit: int
    limit_source: LimitSource
    utilization: float
    losses: SessionLosses
    tokens_source: CountSource = CountSource.RECORD


@records_left_replies
class Engine:
    """Works on one open store. Close it, or use it in a ``with`` block."""

    def __init__(self, ledgers: Ledgers, services: Services) -> None:
        self._ledgers, self._services = ledgers, services
        self._factory = SessionFactory(ledgers, services)
        self._incoming = self._factory.incoming_replies

    @property
    def services(self) -> Services:
        """Settings and helpers that all sessions of this engine share."""
        return self._services

    @property
    def config(self) -> Config:
        """The settings that this engine runs with."""
        return self._services.config

    @property
    def store(self) -> Store:
        """The store that this engine works on."""
        return self._ledgers.store

    def close(self) -> None:
        """Records replies that are still coming in, ends background work, closes the store, and clears users' texts
        from memory.
        """
        self._incoming.close()
        self._services.background.close()
        self.store.close()
        self._factory.shared.forget()
        self._services.vectors.forget()
        self._services.caches.forget()
        _forget_texts()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def on(self, name: str, listener: Callable[..., object]) -> Callable[[], None]:
        """Calls ``listener(event)`` for each event of that name (``*`` for all).
        Returns a function that removes the listener. Raises UsageError for a name that no event has.
        """
        return self._services.events.on(name, listener)

    def wait(self, seconds: float | None = None) -> bool:
        """Blocks until all background work is done, or for so long at most. Returns whether it is."""
        return self._services.background.wait(seconds)

    def count(self, text: str) -> int:
        """Returns the tokens of a text, in the encoding used for everything that is stored."""
        return self._services.tokenizers.count(text)

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────

    def session(self, id: str, *, user: str | None = None, **about: Any) -> Session:
        """Returns the session with that id; a new one is stored with its first record.
        Raises UsageError for unknown fields.

        ``about`` sets model, window, title, client, cwd, project or source.
        ``user`` owns the session; by default the configured user.
        """
        unknown = about.keys() - _ABOUT
        if unknown:
            raise UsageError(f"a session has no {', '.join(sorted(unknown))}")
        given = {name: value for name, value in about.items() if value is not None}
        return Session(self._factory, self._ledgers.open(id, user=user, about=given))

    def key(self, id: str, *, user: str | None = None) -> SessionKey:
        """Returns the key of a session: tenant, user, and the id made safe."""
        return self._ledgers.key(id, user=user)

    def find(self, name: str) -> Session:
        """Returns a stored session by id, unique prefix, or ``latest``, the one that was last recorded into.
        Raises NotFound, or UsageError if several match.
        """
        return Session(self._factory, self._ledgers.find(name))

    def infos(self) -> list[SessionInfo]:
        """Returns the rows of all sessions, newest first."""
        return self._ledgers.infos()

    def sessions(self) -> list[SessionListing]:
        """Returns all sessions with totals and health, newest first."""
        return [self._listing(info) for info in self.infos()]

    def _listing(self, info: SessionInfo) -> SessionListing:
        core = self._factory.core(self._ledgers.ledger(info, is_fixed=True))
        totals, monitor = core.reader.totals(), self._factory.monitor(core)
        size = monitor.size()
        return SessionListing(
            id=info.key.id,
            title=info.title,
            client=info.client,
            cwd=info.cwd,
            source=info.source,
            model=info.model,
            messages=info.messages,
            exchanges=totals.get("exchanges", 0),
            tokens=totals.get("tokens", 0),
            updated=info.updated,
            health=monitor.level(size),
            tokens_used=size.tokens_used,
            used_source=size.used_source,
            tokens_limit=size.tokens_limit,
            limit_source=size.limit_source,
            utilization=size.utilization,
            losses=core.reader.losses(),
        )

    def profile(self, user: str | None = None) -> Profile:
        """Returns the profile of a user: what they said of themselves and their wishes, for every session of theirs."""
        return self._factory.profile(user or self.config.user)

    def answers(self, user: str | None = None) -> AnswerCache:
        """Returns the cache of a user's answers: how often they were found again, and a way to clear it."""
        from clew.engine.conversation.answer_cache import AnswerCache

        config = self.config
        most = config.models.cached_answers
        return AnswerCache(self.store, tenant=config.tenant, user=user or config.user, most=most)

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kind: str | None = None,
        filters: Mapping[str, Any] | None = None,
        rerank: bool = False,
        cancel: Cancel | None = None,
    ) -> list[SearchResult]:
        """Returns what matches a query in all sessions and in registered knowledge, best first, each with its source.

        ``kind`` is segment, message, blob, module or chunk; by default segments, modules and chunks. ``filters`` are
        compared with the metadata of documents, and with session, client, project and cwd of sessions. With ``rerank``
        the configured model puts the best in order, until ``cancel`` is set; where it gives no order, they stand as
        they were found, and the event ``rerank.degraded`` says why.
        """
        from clew.engine.read.feedback import chunk_uses
        from clew.engine.read.store_search import StoreSearch

        uses = partial(chunk_uses, self.store, self.config.tenant, self.config.user)
        search = StoreSearch(self.store, self._searchable(), self._search_of, self.documents("knowledge"), uses)
        if not rerank:
            return search.find(query, limit=limit, kind=kind, filters=filters)
        from clew.engine.read.rerank import Reranker

        reranker = Reranker(self._services, self.key("search"))
        return reranker.find(
            query,
            lambda most: search.find(query, limit=most, kind=kind, filters=filters),
            limit=limit,
            cancel=cancel,
        )

    def cache_use(self) -> dict[str, CacheUse]:
        """Returns how often caches of this engine helped: ``queries`` that were searched before in the same state of a
        session, ``query_vectors``, the vectors of queries, and ``prepared_epochs``, prompts that were ready when a pack
        compacted.
        """
        return self._services.caches.use()

    @property
    def has_embedder(self) -> bool:
        """Whether search goes by meaning too."""
        try:
            return self._services.embedders.current() is not None
        except ModelError:
            return False

    def make_vectors(self, session: str) -> None:
        """Has missing vectors of a stored session made in the background, if there is an embedder."""
        SessionComponents(self._factory, self._ledgers.find(session)).vectors.schedule()

    def _searchable(self) -> list[SessionInfo]:
        """All sessions, with what was recorded of them in the index."""
        found = self.infos()
        for info in found:
            self._ledgers.ledger(info).bring_up_to_date()
        return found

    def _search_of(self, info: SessionInfo) -> SessionSearch:
        return SessionComponents(self._factory, self._ledgers.ledger(info)).search()

    def documents(self, collection: str, *, user: str | None = None) -> DocumentIndex:
        """Returns an index of documents beside sessions: a collection of a user, such as ``knowledge``."""
        from clew.engine.read.collection_vectors import open_collection
        from clew.retrieval.document_index import collection_key

        key = collection_key(self.config.tenant, user or self.config.user, collection)
        return open_collection(self.store, key, self._services)

    @property
    def knowledge(self) -> Knowledge:
        """The knowledge modules of the configured user, which all their sessions draw on."""
        return self._factory.knowledge(self.config.user)

    # ── files ────────────────────────────────────────────────────────────────────────────────────────

    def import_file(
        self,
        path: Path | str,
        *,
        format: str = "auto",
        session: str = "",
        progress: Callable[[int], object] | None = None,
        project: bool = True,
        repairs: bool = True,
    ) -> list[ImportReport]:
        """Records what is new in a transcript. Returns a report for each conversation in it.

        ``session`` puts everything under one id. Without ``project``, projections are left to the first reader; without
        ``repairs``, the report does not count what a valid request would have to repair.
        """
        from clew.engine.ingest.importer import ImportDependencies, Importer

        cursors, factory = self._cursors(self.config.user), self._factory
        needs = ImportDependencies(
            self._ledgers, cursors, self._services, lambda ledger: factory.recorder(factory.core(ledger))
        )
        importer = Importer(needs, path, format=format, session=session, progress=progress)
        return importer.run(project=project, repairs=repairs)

    def mark_latest(self, ids: Collection[str]) -> str:
        """Makes one of these stored sessions the latest: the one with the newest message. Returns its id."""
        newest = next((info for info in self.infos() if info.key.id in ids), None)
        if newest is None:
            return ""
        self._ledgers.ledger(newest).mark_latest()
        return newest.key.id

    def follow_file(self, path: Path | str, *, format: str = "auto", session: str = "") -> Follower:
        """Returns a follower that imports what is new whenever it is polled and the file has changed."""
        from clew.engine.ingest.follower import Follower

        return Follower(path, lambda: self.import_file(path, format=format, session=session, repairs=False))

    def _cursors(self, user: str) -> FileCursors:
        return FileCursors(self.store, tenant=self.config.tenant, user=user)

    # ── upkeep ───────────────────────────────────────────────────────────────────────────────────────

    def purge(self, *keys: SessionKey) -> Erasure:
        """Deletes sessions and everything derived from them, and emits ``purged`` for each. It cannot be undone.

        Nothing of them is left in the store's files, and backups are deleted. The result names those, and says so
        where something is left for now because another process reads the store.
        """
        for key in keys:
            self._purge(key)
        erasure = self.store.erase_deleted() if keys else Erasure()
        for key in keys:
            self._services.events.emit("purged", session=key.id)
        return erasure

    def _purge(self, key: SessionKey) -> None:
        with self.store.transaction():
            self._ledgers.purge(key)
            self._services.models.forget(key)
            self.profile(user=key.user).forget_session(key.id)
            self.answers(key.user).forget_session(key.id)
            self._cursors(key.user).forget_session(key.id)
        self._factory.forget(key)
        _forget_texts()

    def rebuild(self, info: SessionInfo) -> None:
        """Rebuilds all projections of a session from its ledger.
        Epochs end, because outputs may be shortened differently now.
        """
        self._ledgers.ledger(info).rebuild()


def _forget_texts() -> None:
    """Empties what is remembered of users' texts, patterns made of their words included."""
    forget_all()
    re.purge()
