"""Models that summarise, answer and embed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from clew.cancellation import Cancel
from clew.domain import (
    Json,
    SessionKey,
    Usage,
)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model: instructions in ``system``, material in ``user``, and the longest answer allowed.

    It is asked at temperature 0, without streaming and without tools.
    """

    system: str
    user: str
    max_tokens: int


#: Why a model stopped: it was done, the answer reached its limit, it called a tool, it declined, or something else.
StopReason = Literal["end", "length", "calls", "refusal", "other"]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's answer. It has text, or names in ``calls`` the tools that the model tried to call, or is a refusal.

    ``usage`` is None where the provider does not report it.
    The text is data: nothing in it is followed as an instruction.
    """

    text: str
    stop: StopReason = "end"
    calls: tuple[str, ...] = ()
    usage: Usage | None = None


class Model(Protocol):
    """Answers one question at a time.
    It may be called from any number of threads and keeps nothing between questions.
    """

    @property
    def name(self) -> str:
        """The model's name, as its provider knows it."""

    def ask(self, request: ModelRequest, *, seconds: float, cancel: Cancel | None = None) -> ModelReply:
        """Returns the answer within ``seconds``, retries included. Raises a ModelError that says why there is none.

        Cancelling ends a request in flight at once, with ModelCancelled.
        """


class Embedder(Protocol):
    """Turns texts into vectors of length 1: the nearer the meaning of two texts, the larger their product.

    What a text becomes depends on that text alone. It may be called from any number of threads.
    """

    @property
    def name(self) -> str:
        """The name of the model. Vectors are kept under it, and never compared with those of another."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Returns one vector for each text, all of one size. Raises a ModelError that says why there is none."""


#: Where a part of a text begins and ends, in characters.
Span = tuple[int, int]


@runtime_checkable
class SpanEmbedder(Embedder, Protocol):
    """An embedder that can read a long text once and give the vectors of its parts (late chunking): each is made of the
    part's own tokens, which have read those around them. Where an embedder can, vectors of knowledge are made so.
    """

    def embed_spans(self, text: str, spans: Sequence[Span]) -> Sequence[Sequence[float]]:
        """Returns one vector for each span, read with as much of the text around it as the model takes in. Raises a
        ModelError that says why there is none.
        """


@runtime_checkable
class ContextEmbedder(Embedder, Protocol):
    """An embedder that was trained to read a short text after what was said before it: "About three years now!" says
    what it means only behind its question. Where an embedder can, vectors of messages are made so.
    """

    def in_context(self, text: str, before: str) -> str:
        """Returns the text as it is embedded when something was said before it."""


class Embedders(Protocol):
    """The embedder of the settings, and others by name, each loaded when it is first asked for."""

    def current(self) -> Embedder | None:
        """Returns the embedder in use; None where there is none. Raises a ModelError for one that cannot be used."""

    def named(self, name: str) -> Embedder | None:
        """Returns an embedder by the name that its vectors are kept under; None if it is no longer to be had."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a conversation goes on with: messages, system prompt and tools as the model's format has them, and the
    longest answer allowed.
    """

    body: Json
    max_tokens: int


@runtime_checkable
class ChatModel(Protocol):
    """A model that holds conversations. ``format`` names the provider's format of its requests and answers.

    It may be called from any number of threads and keeps nothing between requests.
    """

    name: str
    format: str

    def respond(self, request: ChatRequest, *, seconds: float, cancel: Cancel | None = None) -> Json:
        """Returns the provider's answer as it came, within ``seconds``. Raises a ModelError if there is none."""

    def stream(self, request: ChatRequest, *, seconds: float, cancel: Cancel | None = None) -> Iterator[Json]:
        """Yields the events of the answer as they come; ``seconds`` is the longest wait for the next. Raises a
        ModelError where they break off. Closing the iterator ends the request.
        """

    def usage(self, answer: Json) -> Usage | None:
        """Returns what an answer, or one event of a stream, says that it cost; None where it says nothing."""


class Models(Protocol):
    """Chooses the model that answers for a session, and enforces the limits on spending."""

    def for_session(self, key: SessionKey, *, lent: Model | None = None) -> Model | None:
        """Returns the model to ask; None where none is configured.
        Raises a ModelError that says what the settings lack.

        ``lent`` is a model that the caller provides for now, such as the conversation's own with the client's
        credentials. It takes precedence over all others and is not kept.
        """

    def chat_for_session(self, key: SessionKey, *, chosen: ChatModel | str | None = None) -> ChatModel | None:
        """Returns the model that holds the session's conversation: the chosen one, by its name too, or that of the
        settings; None where there is neither. Raises UsageError for one that holds no conversations.
        """

    def forget(self, key: SessionKey) -> None:
        """Deletes the record of what the session has cost."""
