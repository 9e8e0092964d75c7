"""Valid requests: repairs a history, encodes it for a provider, and repairs what only that provider demands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.codecs import registry
from clew.domain import Message, Repair, Tool
from clew.history.repair.rules import repair_history
from clew.ports import Request
from clew.rules import repair as repair_request


def encode_valid(
    messages: Sequence[Message],
    provider: str,
    *,
    system: Sequence[Message] = (),
    tools: Sequence[Tool] = (),
    sealed_after: int | None = None,
) -> tuple[Request, tuple[Message, ...], tuple[Repair, ...]]:
    """Returns the request, the messages as they stand in it, and the repairs that were needed.

    ``system`` comes before the messages. A repair invalidates sealed thinking after it; replies after number
    ``sealed_after`` keep theirs, as they were made from the repaired history.
    """
    sent, repairs = repair_history(messages, sealed_after=sealed_after)
    request = registry.encoder(provider).encode((*system, *sent), tools=tools)
    body, more = repair_request(request.body, provider)
    return replace(request, body=body), sent, (*repairs, *more)
