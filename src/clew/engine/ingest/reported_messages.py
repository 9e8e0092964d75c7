"""Messages that a model reports by a call of a tool: nobody else vouches for what they say."""

from __future__ import annotations

from typing import Any

from clew.codecs import registry
from clew.codecs.clew_format import NAME, write_reported
from clew.domain import Role
from clew.engine.ingest.decode import decode_messages
from clew.engine.ledger.entries import read_shared
from clew.engine.ledger.records import DecodedRecord
from clew.errors import UsageError


def decode_reported(messages: Any, format: str | None) -> list[DecodedRecord]:
    """Returns records of messages of a provider's format, as the words of the model that hands them in: whatever role
    they have, they are no person's, and never become critical by themselves.

    Raises UsageError for what is no message, and for a system prompt, which binds.
    """
    if format is not None and registry.is_known(format) and format not in registry.PROVIDERS:
        raise UsageError(f"messages are reported as {', '.join(registry.PROVIDERS)}, not as {format}")
    return [_as_reported(message, index) for index, message in enumerate(decode_messages(messages, format))]


def _as_reported(record: DecodedRecord, index: int) -> DecodedRecord:
    message = record.record.message
    if message is None or record.record.rollback:
        raise UsageError(f"message {index} says nothing; give messages of users, assistants and tools")
    if message.role is Role.SYSTEM:
        raise UsageError(f"message {index} is a system prompt, which nobody but its author may set; leave it out")
    body = write_reported(record.format, record.body)
    return DecodedRecord(NAME, body, read_shared(NAME, body))
