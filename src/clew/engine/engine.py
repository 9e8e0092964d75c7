"""The engine: one store, its sessions, and what they share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from clew.cancellation import Cancel
from clew.config import Config
from clew.domain import SessionInfo, SessionKey
from clew.domain.argument_kinds import checks_arguments, ensure_positive
from clew.domain.derived import DerivedReach
from clew.engine.derived_data import DerivedData
from clew.engine.health.profile import Profile
from clew.engine.importing_engine import ImportingEngine
from clew.engine.ingest.incoming_replies import as_operation
from clew.engine.ledger.known_lists import KnownLists
from clew.engine.ledger.ledgers import Ledgers
from clew.engine.services import Services
from clew.engine.session import Session
from clew.engine.session_listing import SessionListing, list_known, list_session
from clew.errors import ModelError, UsageError
from clew.ports import Erasure, Store
from clew.text.memo import forget_all

if TYPE_CHECKING:
    from clew.engine.conversation.answer_cache import AnswerCache
    from clew.engine.gains import GainReport
    from clew.engine.knowledge.library import Knowledge
    from clew.engine.read.search_result import SearchResult
    from clew.engine.read.vector_progress import VectorProgress
    from clew.engine.store_searches import StoreSearches
    from clew.retrieval.document_index import DocumentIndex
    from clew.retrieval.search_cache import CacheUse

_ABOUT = {"model", "window", "title", "client", "cwd", "project", "source"}


def _check_about(name: str, value: Any) -> None:
    """Raises UsageError for what a session cannot have there."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if name == "window" and not is_count:
        raise UsageError(f"a window is a number of tokens, not {value!r}; give 200_000")
    if name != "window" and not isinstance(value, str):
        raise UsageError(f"{name} of a session is a text, not a {type(value).__name__}")


@checks_arguments
class Engine(ImportingEngine):
    """Works on one open store. Close it, or use it in a ``with`` block."""

    def __init__(self, ledgers: Ledgers, services: Services) -> None:
        super().__init__(ledgers, services)
        self._derived = DerivedData(self._factory)
        #: Whether sessions that are opened are read on in the background: not in a program that is over at once.
        self.reads_on = True

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
        self._incoming.ensure_open()
        return self._services.events.on(name, listener)

    @as_operation
    def wait(self, seconds: float | None = None) -> bool:
        """Blocks until all background work is done, or for so long at most. Returns whether it is."""
        return self._services.background.wait(seconds)

    def count(self, text: str) -> int:
        """Returns the tokens of a text, in the encoding used for everything that is stored."""
        return self._services.tokenizers.count(text)

    def for_user(self, user: str) -> Self:
        """Returns the same engine for one user: only their sessions are listed and found, and new ones are theirs.
        It is closed with this one.
        """
        named = copy(self)
        named._ledgers = self._ledgers.for_user(user)
        return named

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────

    @property
    def user(self) -> str:
        """The user who is named where a call names none; empty for nobody."""
        return self._ledgers.user

    @property
    def seen_user(self) -> str:
        """The user whose sessions alone are listed and found; empty where everybody's are."""
        return self._ledgers.seen

    @as_operation
    def session(self, /, id: str, *, user: str | None = None, alone: bool = False, **about: Any) -> Session:
        """Returns the session with that id; a new one is stored with its first record.
        Raises UsageError for unknown fields.

        ``about`` sets model, window, title, client, cwd, project or source. ``user`` is whose session it is: what they
        say of themselves in one holds in all of theirs. Without one, nothing that is said in it reaches any other; nor
        of one that is to be ``alone``, also where this engine names somebody.
        """
        unknown = about.keys() - _ABOUT
        if unknown:
            raise UsageError(f"a session has no {', '.join(sorted(unknown))}")
        stated = {name: value for name, value in about.items() if value is not None}
        for name, value in stated.items():
            _check_about(name, value)
        ledger = self._ledgers.open(id, user=user, about=stated | ({"named": False} if alone else {}))
        if ledger.is_stored and self.reads_on:
            self._derived.read_on(ledger)
        return Session(self._factory, ledger)

    def key(self, id: str, *, user: str | None = None) -> SessionKey:
        """Returns the key of a session: tenant, user, and the id made safe."""
        return self._ledgers.key(id, user=user)

    @as_operation
    def find(self, name: str, *, user: str | None = None) -> Session:
        """Returns a stored session by id, unique prefix, or ``latest``, the one that was last recorded into; without
        ``user`` among those of all users. Raises NotFound, or UsageError if several match.
        """
        return Session(self._factory, self._ledgers.find(name, user=user))

    @as_operation
    def infos(self, *, user: str | None = None) -> list[SessionInfo]:
        """Returns the rows of all sessions, or of a user's, newest first."""
        return self._ledgers.infos(user)

    @as_operation
    def sessions(
        self, *, user: str | None = None, keys: Collection[SessionKey] | None = None, wait: bool = True
    ) -> list[SessionListing]:
        """Returns all sessions with totals and health, or those of a user or of these ``keys``, newest first.

        Without ``wait``, sessions from which much is still to be derived, as after an import, are listed as far as they
        are known, with the health ``unknown``; the rest is made in the background.
        """
        infos = [info for info in self.infos(user=user) if keys is None or info.key in keys]
        behind = [] if wait else self._derived.far_behind(infos)
        listed = [self._listing(info, is_behind=info in behind) for info in infos]
        self._derived.make_projections(behind)
        return listed

    def _listing(self, info: SessionInfo, *, is_behind: bool) -> SessionListing:
        core, derived = self._factory.core(self._ledgers.ledger(info, is_fixed=True)), self.derived_reach(info)
        return list_known(core, derived) if is_behind else list_session(core, self._factory.monitor(core), derived)

    @as_operation
    def gain(
        self, *, by: str = "day", since: float | None = None, user: str | None = None, session: str = ""
    ) -> GainReport:
        """Returns what was saved by sending packs instead of whole conversations, ``by`` day, project, model or client,
        from the day of a time on, in all sessions, those of a user, or one. It says what is measured and what is
        estimated.
        """
        from clew.engine.gains import gain_report

        infos = [self.find(session, user=user).info] if session else self.infos(user=user)
        return gain_report(self._ledgers, infos, by=by, since=since, prices=self.config.prices)

    @as_operation
    def profile(self, user: str | None = None) -> Profile:
        """Returns the profile of a user: what they said of themselves and their wishes, for every session of theirs.
        Raises UsageError where nobody is named.
        """
        if not (named := user or self.user):
            raise UsageError("a profile is that of a user; name one, as in engine.profile(user='ana')")
        return self._factory.profile(named)

    @as_operation
    def answers(self, user: str | None = None) -> AnswerCache:
        """Returns the cache of a user's answers: how often they were found again, and a way to clear it."""
        from clew.engine.conversation.answer_cache import AnswerCache

        config = self.config
        most = config.models.cached_answers
        return AnswerCache(self.store, tenant=config.tenant, user=self._ledgers.place(user), most=most)

    @as_operation
    def search(
        self,
        query: str,
        *,
        user: str | None = None,
        limit: int = 10,
        kind: str | None = None,
        filters: Mapping[str, Any] | None = None,
        since: float | None = None,
        until: float | None = None,
        rerank: bool = False,
        cancel: Cancel | None = None,
    ) -> list[SearchResult]:
        """Returns what matches a query in all sessions and in registered knowledge, best first, each with its source.

        What says the query word for word comes first, and where it has phrases in quotation marks, only what says
        these is found. Messages of all sessions stand on one scale, by words; by meaning, too, once the vectors of all
        are made, as ``vector_progress`` tells.

        With ``user`` only their sessions are searched. ``kind`` is segment, message, blob, module or chunk; by default
        segments, modules and chunks. ``filters`` are compared with the metadata of documents, and with session, client,
        project and cwd of sessions; ``since`` and ``until`` (seconds since 1970) with the time of messages. With
        ``rerank`` the configured model puts the best in order, until ``cancel`` is set; where it gives no order, they
        stand as they were found, and the event ``rerank.degraded`` says why.
        """
        ensure_positive("limit", limit)
        span = None if since is None and until is None else (since or 0.0, until if until is not None else inf)
        search = self._searches(user, filters).search(span)
        if not rerank:
            return search.find(query, limit=limit, kind=kind)
        from clew.engine.read.rerank import Reranker

        reranker = Reranker(self._services, self.key("search"))
        return reranker.find(query, lambda most: search.find(query, limit=most, kind=kind), limit=limit, cancel=cancel)

    def _searches(self, user: str | None, filters: Mapping[str, Any] | None) -> StoreSearches:
        from clew.engine.store_searches import StoreSearches

        return StoreSearches(self._factory, self._ledgers, user=user, filters=filters or {})

    @as_operation
    def vector_progress(self, *, user: str | None = None, filters: Mapping[str, Any] | None = None) -> VectorProgress:
        """Returns how far the vectors of the sessions are made that a search looks into; while ``missing`` is not 0, it
        goes by words alone.
        """
        return self._searches(user, filters).progress()

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

    @as_operation
    def read_on(self, session: str, *, user: str | None = None) -> None:
        """Has the encoder and the embedder read, in the background, what they have not read yet of a stored session."""
        self._derived.read_on(self._ledgers.open(session, user=user))

    @as_operation
    def read_all(self) -> None:
        """Has the encoder read, in the background, what it has not read yet of any session, the newest first."""
        self._derived.read_all(self.infos())

    @as_operation
    def unread(self, sessions: Iterable[str]) -> int:
        """Returns how many messages of stored sessions the encoder has not read; 0 where there is no encoder."""
        return sum(self._derived.unread(self._ledgers.open(id)) for id in dict.fromkeys(sessions))

    @as_operation
    def read_now(self, sessions: Iterable[str], *, progress: Callable[[int], object] = lambda _read: None) -> None:
        """Has the encoder read stored sessions to their end before this returns. What it has read is kept as it goes
        on; ``progress`` hears how many messages that are.
        """
        self._derived.read_now([self._ledgers.open(id) for id in dict.fromkeys(sessions)], progress)

    @as_operation
    def finish(self, info: SessionInfo, *, progress: Callable[[int], object] = lambda _left: None) -> None:
        """Makes all that is missing of what is derived from a session before this returns: projections, what the
        encoder reads, and vectors. It is kept as it goes on; ``progress`` hears how much is left, as
        ``derived_reach`` counts it. Raises ModelError where the embedder fails.
        """
        ledger = self._ledgers.ledger(info)
        ledger.bring_up_to_date()
        self._factory.recorder(self._factory.core(ledger)).judge_imported()
        self._derived.finish(ledger, progress)

    @as_operation
    def derived_reach(self, info: SessionInfo) -> DerivedReach:
        """Returns how far everything derived from a session has come: projections, vectors, and what the encoder
        reads."""
        return self._derived.reach(info)

    @as_operation
    def documents(self, collection: str, *, user: str | None = None) -> DocumentIndex:
        """Returns an index of documents beside sessions: a collection of a user, such as ``knowledge``."""
        from clew.engine.read.collection_vectors import open_collection
        from clew.retrieval.document_index import collection_key

        key = collection_key(self.config.tenant, self._ledgers.place(user), collection)
        return open_collection(self.store, key, self._services)

    @property
    def knowledge(self) -> Knowledge:
        """The knowledge modules, which all sessions draw on; of an engine for one user, also those for that user."""
        return self._factory.knowledge(self.user)

    # ── files ────────────────────────────────────────────────────────────────────────────────────────

    @as_operation
    def mark_latest(self, ids: Collection[str], *, user: str | None = None) -> str:
        """Makes one of these stored sessions the latest: the one with the newest message. Returns its id."""
        keys = {self.key(id, user=user) for id in ids}
        newest = next((info for info in self.infos(user=user) if info.key in keys), None)
        if newest is None:
            return ""
        self._ledgers.ledger(newest).mark_latest()
        return newest.key.id

    # ── upkeep ───────────────────────────────────────────────────────────────────────────────────────

    @as_operation
    def purge(self, *keys: SessionKey) -> Erasure:
        """Deletes sessions and everything derived from them, and emits ``purged`` for each. It cannot be undone.

        Nothing of them is left in the store's files, and backups are deleted. The result names those, and says so
        where something is left for now because another process reads the store.
        """
        if not all(isinstance(key, SessionKey) for key in keys):
            raise UsageError("purge() takes keys of sessions, as engine.key(…) returns them")
        for key in keys:
            self._purge(key)
        erasure = self.store.erase_deleted() if keys else Erasure()
        for key in keys:
            self._services.events.emit("purged", session=key.id)
        return erasure

    @as_operation
    def discard(self, key: SessionKey) -> None:
        """Deletes a session that came to nothing, such as a conversation that no model answered. Unlike ``purge``, it
        leaves backups and all else in the store's files as they are.
        """
        self._purge(key)

    def _purge(self, key: SessionKey) -> None:
        with self.store.transaction():
            self._ledgers.purge(key, lent=self.profile(user=key.user).forget_session(key.id))
            self._services.models.forget(key)
            self.answers(key.user).forget_session(key.id)
            self._cursors(key.user).forget_session(key.id)
            KnownLists(self.store, tenant=key.tenant, user=key.user).forget_session(key.id)
        self._factory.forget(key)
        _forget_texts()

    @as_operation
    def rebuild(self, info: SessionInfo) -> None:
        """Rebuilds all projections of a session from its ledger.
        Epochs end, because outputs may be shortened differently now.
        """
        self._ledgers.ledger(info).rebuild()


def _forget_texts() -> None:
    """Empties what is remembered of users' texts, patterns made of their words included."""
    forget_all()
    re.purge()
