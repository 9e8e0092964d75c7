"""One-shot compaction: messages in, messages that fit out, without a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clew.codecs import registry
from clew.domain import Json
from clew.engine.prompt.pack import Pack
from clew.engine.read.recall import RecalledPart
from clew.engine.session import Session
from clew.packing.report import Omission

#: Providers that take the system prompt beside the messages only.
_SYSTEM_BESIDE = frozenset({"anthropic", "gemini"})


@dataclass(frozen=True, slots=True)
class CompactReport:
    """Size of the result, its budget, and what was left out or shortened."""

    tokens: int
    budget: int
    left_out: tuple[Omission, ...]


@dataclass(frozen=True, slots=True)
class CompactedMessages:
    """The result: ``messages`` in the format they came in, ``request`` with system prompt and tools as well.

    Nothing is lost: ``recall`` reads any part of the messages that came in.
    """

    messages: list[Any]
    request: Json
    report: CompactReport
    session: Session

    def recall(self, ids: str | Sequence[str], format: str = "full") -> list[RecalledPart]:
        """Reads any part of what came in by its id."""
        return self.session.recall(ids, format)


def compact_once(
    session: Session, given: list[Any] | None, query: str | None, *, budget: int, provider: str
) -> CompactedMessages:
    """Packs a session that nobody goes on with. Nothing is recorded. Messages ``given`` in the provider's format come
    back as they are where they are valid and fit, with the query behind them.
    """
    pack = session.pack(query, budget=budget, target=provider, record=False)
    report = CompactReport(pack.tokens, budget, pack.left_out)
    request = _request(pack, given, query, provider)
    return CompactedMessages(list(request[registry.MESSAGE_LISTS[provider]]), request, report, session)


def _request(pack: Pack, messages: list[Any] | None, query: str | None, provider: str) -> Json:
    member, content = registry.MESSAGE_LISTS[provider], pack.content
    if pack.is_empty:
        return {member: []}
    if content.snapshot or content.turn.injected or pack.left_out or pack.repairs:
        return pack.request()
    request = content.as_request(provider)
    if messages is None or not all(isinstance(message, dict) for message in messages):
        return request
    if provider in _SYSTEM_BESIDE and any(message.get("role") in {"system", "developer"} for message in messages):
        return request  # their prompt stands beside the messages now
    asked = registry.encoder(provider).encode(content.turn.input_messages).body[member] if query else []
    return request | {member: [*messages, *asked]}
