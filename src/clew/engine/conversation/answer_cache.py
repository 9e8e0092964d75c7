"""The cache of answers: replies to what was packed before, byte for byte, for the same model.

It is off unless the settings ask for it. What was packed holds the conversation, the profile and the knowledge that
a question goes with, so whatever changes there asks the model again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

import orjson

from clew.codecs import jsonio
from clew.domain import Json
from clew.ports import ChatModel, ChatRequest, Store

#: Replies by key, and how often one was asked for and found.
_ANSWERS, _COUNTS = "answers", "answer_counts"
_COUNT = "counts"
#: What belongs to one reply of the provider alone: its id, and what it cost.
_OF_ONE_REPLY = ("id", "responseId", "usage", "usageMetadata", "created")


@dataclass(frozen=True, slots=True)
class CacheCounts:
    """How often answers were looked for, and found."""

    asked: int = 0
    hits: int = 0

    @property
    def hit_rate(self) -> float:
        """The share that was found; 0 before the first question."""
        return self.hits / self.asked if self.asked else 0.0


class AnswerCache:
    """The answers of one user, the newest ``most`` of them. Another user's are never found."""

    def __init__(self, store: Store, *, tenant: str, user: str, most: int = 0) -> None:
        self._store, self._owner, self._most = store, (tenant, user), most

    def counts(self) -> CacheCounts:
        """Returns how often answers were looked for, and found."""
        raw = self._store.values(*self._owner, _COUNTS, [_COUNT]).get(_COUNT)
        return CacheCounts(*orjson.loads(raw)) if raw else CacheCounts()

    def find(self, key: str) -> Json | None:
        """Returns the reply that was given to the same before, without what it cost then; None where there is none."""
        raw = self._store.values(*self._owner, _ANSWERS, [key]).get(key)
        before = self.counts()
        counted = orjson.dumps([before.asked + 1, before.hits + bool(raw)])
        self._store.put_values(*self._owner, _COUNTS, {_COUNT: counted})
        reply: Json | None = orjson.loads(raw)["reply"] if raw else None
        return reply

    def put(self, key: str, reply: Json, *, session: str, at: float) -> None:
        """Keeps a reply; the oldest go where there are too many."""
        own = {name: value for name, value in reply.items() if name not in _OF_ONE_REPLY}
        row = orjson.dumps({"at": at, "session": session, "reply": own})
        with self._store.transaction():
            self._store.put_values(*self._owner, _ANSWERS, {key: row})
            rows = self._rows()
            oldest = sorted(rows, key=lambda name: (rows[name]["at"], name))[: max(len(rows) - self._most, 0)]
            self._store.put_values(*self._owner, _ANSWERS, dict.fromkeys(oldest))

    def forget_session(self, id: str) -> None:
        """Deletes the answers that were given in a session."""
        gone = [name for name, row in self._rows().items() if row["session"] == id]
        self._store.put_values(*self._owner, _ANSWERS, dict.fromkeys(gone))

    def clear(self) -> None:
        """Deletes all answers, and the counts."""
        self._store.put_values(*self._owner, _ANSWERS, dict.fromkeys(self._rows()))
        self._store.put_values(*self._owner, _COUNTS, {_COUNT: None})

    def _rows(self) -> dict[str, Json]:
        return {name: orjson.loads(raw) for name, raw in self._store.values(*self._owner, _ANSWERS).items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAnswers:
    """The cache as one session uses it. ``user`` is who was named for it: answers that nobody was named for are its own
    alone. ``depends`` tells the profile and the knowledge that answers rest on, ``note``
    writes into the ledger that the next reply comes from the cache, ``mask`` hides secrets where the store does.
    """

    cache: AnswerCache
    session: str
    user: str
    depends: Callable[[], str]
    note: Callable[[str], object]
    mask: Callable[[bytes], bytes]
    now: Callable[[], float]

    def key(self, model: ChatModel, request: ChatRequest) -> str:
        """Returns what a request is known by."""
        whose = {"user": self.user} if self.user else {"session": self.session}
        basis = [whose, model.name, model.format, request.max_tokens, self.depends(), request.body]
        return blake2b(jsonio.dumps(basis), digest_size=20).hexdigest()

    def find(self, key: str) -> Json | None:
        """Returns the reply to the same request, if there is one, and notes that it is sent again."""
        answer = self.cache.find(key)
        if answer is not None:
            self.note(key)
        return answer

    def put(self, key: str, reply: Json) -> None:
        """Keeps a reply."""
        masked: Json = jsonio.loads(self.mask(jsonio.dumps(reply)))
        self.cache.put(key, masked, session=self.session, at=self.now())
