"""What a framework hands to its model, as a provider's request: encoded as it is, without repair, so that it can be
judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clew.codecs import registry
from clew.domain import Role
from clew.engine.ingest.decode import decode_messages

PROVIDER = "openai-chat"


def request_of(messages: Sequence[Any]) -> dict[str, Any]:
    """The request that these messages make."""
    found = [one.record.message for one in decode_messages(list(messages), None)]
    return dict(registry.encoder(PROVIDER).encode([one for one in found if one and one.role is not Role.SYSTEM]).body)
