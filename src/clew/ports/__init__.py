"""The Protocols through which Clew reaches the outside world: store, models, clock, events and formats.
Extenders implement them and import from here.

Stores keep bytes under keys and promise order, atomicity and durability.
The layers above decide what the bytes mean, so that a new store has little to get wrong.
"""

from __future__ import annotations

from clew.cancellation import Cancel
from clew.ports.formats import (
    Codec,
    Encoder,
    RawRecord,
    Request,
    SessionHead,
    SessionWriter,
)
from clew.ports.models import (
    ChatModel,
    ChatRequest,
    ContextEmbedder,
    Embedder,
    Embedders,
    Model,
    ModelReply,
    ModelRequest,
    Models,
    Span,
    SpanEmbedder,
    StopReason,
)
from clew.ports.services import (
    Clock,
    Events,
    TokenCounter,
    Tokenizer,
)
from clew.ports.storage import (
    HEARD,
    MARK,
    SALVAGED,
    VECTORS,
    WORDS,
    Erasure,
    Gaps,
    LedgerEvent,
    LedgerNote,
    MessageChange,
    Postings,
    Projection,
    Rollback,
    Rows,
    Store,
)

__all__ = [
    "HEARD",
    "MARK",
    "SALVAGED",
    "VECTORS",
    "WORDS",
    "Cancel",
    "ChatModel",
    "ChatRequest",
    "Clock",
    "Codec",
    "ContextEmbedder",
    "Embedder",
    "Embedders",
    "Encoder",
    "Erasure",
    "Events",
    "Gaps",
    "LedgerEvent",
    "LedgerNote",
    "MessageChange",
    "Model",
    "ModelReply",
    "ModelRequest",
    "Models",
    "Postings",
    "Projection",
    "RawRecord",
    "Request",
    "Rollback",
    "Rows",
    "SessionHead",
    "SessionWriter",
    "Span",
    "SpanEmbedder",
    "StopReason",
    "Store",
    "TokenCounter",
    "Tokenizer",
]
