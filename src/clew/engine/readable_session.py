"""A session as far as it can be read. Nothing here writes to the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew.cancellation import Cancel
from clew.config import Config
from clew.domain import Message, RetrievedUnit, SessionInfo, SessionKey
from clew.domain.argument_kinds import checks_arguments, ensure_positive
from clew.engine.ingest.incoming_replies import as_operation
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.handed_out import found_units, recalled_units, sent_units
from clew.engine.session_factory import SessionComponents, SessionFactory
from clew.errors import NotFound, UsageError

if TYPE_CHECKING:
    from clew.engine.read.reader import SessionReader
    from clew.engine.read.recall import RecalledPart
    from clew.engine.read.search_result import SearchResult
    from clew.history.missing_outputs import MissingOutput
    from clew.packing.current_context import CurrentContext
    from clew.packing.formats import PackSection
    from clew.replies.retrieval_answer import RetrievalAnswer
    from clew.summary_patch.patch import SummaryPatch

#: What a session can be searched for.
_SEARCHED = ("segment", "message", "blob")


@checks_arguments
class ReadableSession:
    """Reads one conversation: its messages and entries, parts by id, what was derived from them, and sizes."""

    def __init__(self, factory: SessionFactory, ledger: SessionLedger) -> None:
        self._factory, self._services = factory, factory.services
        self._components = SessionComponents(factory, ledger)
        self._ledger, self._reader = ledger, self._components.reader
        self._incoming = factory.incoming_replies

    @property
    def id(self) -> str:
        """The session's id, unique for its tenant and user."""
        return self._ledger.id

    @property
    def key(self) -> SessionKey:
        """Tenant, user and id."""
        return self._ledger.key

    @property
    def user(self) -> str:
        """The user who was named when the session was made; empty for nobody: it shares with no other session."""
        return self._ledger.info.owner

    @property
    def config(self) -> Config:
        """The settings that the engine runs with."""
        return self._services.config

    @property
    def info(self) -> SessionInfo:
        """The session's row as the store has it now."""
        self._incoming.record_left(self._ledger.key)
        return self._ledger.info

    @property
    def reader(self) -> SessionReader:
        """Reads what was derived from the messages: the history, segments, digests, the work map, sizes."""
        self._incoming.record_left(self._ledger.key)
        return self._reader

    @as_operation
    def messages(self, id: str = "") -> list[Message]:
        """Returns the record view: all messages, in recorded order; or those that an id names, none for a blob or pin.
        Raises NotFound for an id that is not there.
        """
        return self._components.recall.messages(id) if id else self._reader.history().record_view()

    @as_operation
    def recall(self, ids: str | Sequence[str], format: str = "full", *, for_person: bool = False) -> list[RecalledPart]:
        """Reads parts by id: messages, exchanges, segments, blobs, pins. Raises NotFound for an id that names nothing.

        ``format`` is full, summary, header or digest; the last three apply to exchanges and segments. The next reply is
        judged by whether it used the parts, unless they are ``for_person`` alone.
        """
        answer = self._components.recall.parts([ids] if isinstance(ids, str) else list(ids), format)
        self._hand_out([] if for_person else recalled_units(answer))
        return answer

    def _hand_out(self, units: list[RetrievedUnit], query: str = "") -> None:
        """The next reply that the caller records is judged by what it used of this."""
        self._components.handouts.add(units, after=self._ledger.info.messages, query=query)

    @as_operation
    def retrieve(
        self,
        ids: Sequence[str] = (),
        *,
        format: str | None = None,
        priority: str = "specific",
        offset: int = 0,
        limit: int = 0,
        quota: int,
        texts: bool = True,
    ) -> RetrievalAnswer:
        """Answers a request for parts of the session as a model makes it, within a quota of tokens.

        ``format`` is header, summary, full or mixed; ``priority`` is specific, recent or relevant, and the last two can
        do without ids. Of one part, ``offset`` and ``limit`` name a run of characters, of the full text by default; a
        part that is too large comes in pieces, and the answer's notes say how to read on. Ids that name nothing are
        part of the answer, with those nearest to them. Without ``texts`` it only says what to read.
        Raises UsageError for what is no such request.
        """
        from clew.engine.prompt.retriever import Retriever
        from clew.replies.schema import Refusal, request_from

        try:
            named = {"conversation_ids": list(ids), "priority": priority, "offset": offset, "limit": limit}
            request = request_from(named | ({"format": format} if format else {}))
        except Refusal as refusal:
            raise UsageError(f"the request is not understood: {refusal}") from None
        newest = self._reader.recent_messages(1)
        if not newest:
            raise NotFound(f"session {self.id} has no messages yet", about="session")
        retriever = Retriever(self._ledger, self._reader, self._components.recall, self._components.vectors)
        answer = retriever.answer([request], newest[0], quota=quota, texts=texts)
        self._hand_out(sent_units(answer) if texts else [])
        return answer

    @as_operation
    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kind: str = "segment",
        rerank: bool = False,
        cancel: Cancel | None = None,
    ) -> list[SearchResult]:
        """Returns segments of the prompt view that match a query, best first, each with the messages that match;
        with ``kind``, messages or blobs. With ``rerank`` the configured model puts the best in order, as in
        ``engine.search``.
        """
        ensure_positive("limit", limit)
        if kind not in _SEARCHED:
            raise UsageError(f"cannot search a session for {kind!r}; there are {', '.join(_SEARCHED)}")

        def find(most: int) -> list[SearchResult]:
            return self._components.search().results(query, limit=most, kind=kind)

        if rerank:
            from clew.engine.read.rerank import Reranker

            matches = Reranker(self._services, self.key).find(query, find, limit=limit, cancel=cancel)
        else:
            matches = find(limit)
        self._hand_out(found_units(matches), query)
        return matches

    @as_operation
    def story(self, *, newest: int | None = None) -> tuple[PackSection, ...]:
        """Returns where the session stands: what people said, the state of the work, its files and findings. With
        ``newest``, a long session is read only so many messages back, and its requests a little further: that is quick.
        """
        from clew.engine.read.stories import Stories

        return Stories(self._reader, self._services).story(newest=newest)

    @as_operation
    def current_context(self) -> CurrentContext:
        """Returns where the session stands as fields, each fact with its source: the objective, what is done, what is
        open or failing, files and functions at hand, next steps; and the story as text.
        """
        from clew.engine.read.stories import Stories

        return Stories(self._reader, self._services).current_context()

    @as_operation
    def mend(self, summary: str | None = None, budget: int | None = None, *, beside: str = "") -> SummaryPatch:
        """Returns what a summary lost and the work needs: the text to put below it, its tokens, and the ids of its
        sources.

        The summary is by default the newest one that the client wrote, the budget .15 of its tokens and at least 400.
        Nothing that the summary says is said again, nor what its reader has ``beside`` it; where nothing is lost, the
        text is empty. A summary that is empty, or
        that the client has encrypted, is not known: then the text says so, and has what matters most in 600 tokens.
        Raises NotFound when there is no summary.
        """
        from clew.engine.read.summary_patch import mend_summary

        return mend_summary(self._reader, summary, budget=budget, beside=beside, count=self._services.tokenizers.count)

    @as_operation
    def missing_outputs(self) -> list[MissingOutput]:
        """Returns the calls of the prompt view that have no output yet, in order: what the caller is to run, or was
        lost. While one is missing, requests say that the call was aborted.
        """
        return self._reader.missing_outputs()

    @as_operation
    def retrieval_use(self) -> dict[str, dict[str, float]]:
        """Returns for each kind of unit how many were retrieved for replies, how many of them the replies used, and
        their share: message, segment, blob, chunk.
        """
        return self._components.feedback.precision()

    @as_operation
    def limit(self, model: str = "") -> int:
        """Returns the tokens that may be sent by default: the window less the reserve for the answer.
        The window is that of the session's model unless ``model`` names another.
        """
        return self._reader.limit(model)
