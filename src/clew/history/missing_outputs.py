"""Calls that nobody has answered: what is left to run, or was lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from clew.domain import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingOutput:
    """A call without an output: its id, tool and arguments, and the id of the message it stands in."""

    id: str
    name: str
    arguments: Any
    message: str


def missing_outputs(messages: Iterable[Message], waiting: Collection[str]) -> Iterator[MissingOutput]:
    """Yields those of the ``waiting`` calls that the caller is to answer, in order."""
    for message in messages:
        for call in message.calls:
            if call.id in waiting and not call.server:
                yield MissingOutput(id=call.id, name=call.name, arguments=call.arguments, message=message.id)
