"""Summaries by a model, written ahead or on demand and kept in the ledger, each with what it was drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from clew.digests.stored import stored
from clew.domain import Digest, Kind, Order, Strategy, Use
from clew.errors import ModelError
from clew.ports import Cancel, Model
from clew.summaries import Degraded, Material, Rung, Written, summarised
from clew.text.secrets import mask
from clew.tokens.models import window_for

if TYPE_CHECKING:
    from clew.engine.session import Session

_CACHE = "summary-cache"
#: Of what a conversation is compacted to, a summary takes at most this share.
_SHARE = 0.15
_LEAST_TOKENS, _MOST_TOKENS = 300, 2_500
#: Fewer new messages than this are no reason to ask again; when nobody has asked for it, fewer than the second.
_LEAST_NEW, _LEAST_AHEAD = 8, 40
_BY_MODEL = {Rung.FULL, Rung.SIMPLE, Rung.NOTES}


class _Cache:
    """Answers of models, kept with the session they are about."""

    def __init__(self, session: Session) -> None:
        self._store, self._key = session.engine.store, session.key
        self._masks = session.engine.config.storage.mask_secrets

    def get(self, key: str) -> str | None:
        raw = self._store.row(self._key, _CACHE, key)
        return raw.decode() if raw is not None else None

    def put(self, key: str, text: str) -> None:
        if self._store.session(self._key) is not None:
            self._store.put_rows(self._key, _CACHE, {key: (mask(text) if self._masks else text).encode()})


class Summariser:
    """``lent`` is asked instead of the model that is configured."""

    def __init__(self, session: Session, lent: Model | None = None) -> None:
        self._session = session
        self._model = self._found(lent)

    @property
    def can_write(self) -> bool:
        return self._model is not None

    def write(
        self, *, until: int, tokens: int, least_new: int = _LEAST_NEW, cancel: Cancel | None = None
    ) -> Written | None:
        """A summary of everything up to a message, going on from the one before; None without a model, or too little
        that is new. A failure is told as ``compaction.degraded``; cancelling raises."""
        asked = self._model
        since, before = self._known()
        if asked is None or until - since < least_new:
            return None
        session, config = self._session, self._session.engine.config.models
        version = session.info.version
        material = self._material(since + 1, until, before)
        written = summarised(
            material,
            room=min(max(int(tokens * _SHARE), _LEAST_TOKENS), _MOST_TOKENS),
            count=session.engine.count,
            model=asked,
            window=window_for(asked.name, config),
            seconds=config.timeout_seconds,
            cancel=cancel,
            cache=_Cache(session),
            degraded=self._degraded,
            clock=monotonic,
        )
        if written.rung not in _BY_MODEL:
            return None
        return written if self._keep(written, until, version) else None

    def _found(self, lent: Model | None) -> Model | None:
        try:
            return self._session.engine.model(self._session.key, lent=lent)
        except ModelError as error:
            self._degraded(Degraded(Rung.FULL, Rung.EXTRACTIVE, str(error), type(error).__name__))
            return None

    def _known(self) -> tuple[int, str]:
        """The last message that the newest summary tells of, and its text."""
        written = self._session.outgoing.summary()
        return (self._session.outgoing.lead().told, written.text) if written else (0, "")

    def _material(self, first: int, last: int, before: str) -> Material:
        messages = tuple(self._session.view(first, last))
        digests = tuple(self._digests(first, last))
        files = {file.text: None for digest in digests for file in digest.files if file.use is not Use.READ}
        keep = tuple(item.text for item in self._session.pins() if item.is_in_force)
        return Material(messages=messages, digests=digests, before=before, files=tuple(files), keep=keep)

    def _digests(self, first: int, last: int) -> Sequence[Digest]:
        digested = self._session.digested()
        known = [one for one, _ in self._session.outline() if one.last >= first and one.first <= last and not one.left]
        return [digest for one in known if (digest := digested.digest(one.id))]

    def _keep(self, written: Written, until: int, version: int) -> bool:
        """Writes it down, unless what it tells of was rewritten while the model worked."""
        session = self._session
        with session.engine.store.transaction():
            session.engine.catch_up(session.info)
            if session.info.version != version or session.engine.store.session(session.key) is None:
                return False
            session.outgoing.write(Kind.SUMMARY, {"summary": {"written": stored(written), "last": until}})
            return True

    def _degraded(self, step: Degraded) -> None:
        told = {"rung_from": str(step.rung_from), "rung_to": str(step.rung_to), "reason": mask(step.reason)}
        self._session.engine.events.emit("compaction.degraded", session=self._session.id, **told)


def summarise_ahead(session: Session, order: Order, cancel: Cancel) -> None:
    """Has a model sum up what will soon be older, if there is one that is not merely lent."""
    if order.strategy in {Strategy.AUTO, Strategy.SUMMARIZE}:
        until = session.info.messages - session.engine.config.compaction.keep_recent
        Summariser(session).write(until=until, tokens=order.tokens, least_new=_LEAST_AHEAD, cancel=cancel)
