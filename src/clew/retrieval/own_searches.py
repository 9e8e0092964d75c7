"""Searches of Clew's own that an assistant made: the call that asks, and the answer, which says again what stands
elsewhere in the session. Neither is ever a result.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from clew.domain import Call, Message, Output

#: Tools that hand out parts of a session or of knowledge; clients put the server's name before theirs.
READING_TOOLS = ("search_context", "retrieve_context", "search_knowledge")
#: The command in a shell, alone or among others.
_COMMAND = re.compile(r"(?:^|[;&|(\n]|-l?c[\"', ]+)\s*(?:\w+=\S*\s+)*(?:[\w./~-]*/)?clew\s+search\b")
_COMMAND_CHARS = 2_000


def own_searches(message: Message) -> list[str]:
    """Returns the ids of the calls in a message that search."""
    return [call.id for call in message.calls if _is_search(call)]


def without_searches(message: Message, asked: Collection[str]) -> Message:
    """Returns a message without calls that search, and without the answers to those that were ``asked`` before."""
    if not message.calls and not (asked and message.outputs):
        return message
    kept = tuple(
        part
        for part in message.parts
        if not (isinstance(part, Call) and _is_search(part))
        and not (isinstance(part, Output) and part.call_id in asked)
    )
    return message if len(kept) == len(message.parts) else replace(message, parts=kept)


def _is_search(call: Call) -> bool:
    if call.name.endswith(READING_TOOLS):
        return True
    arguments = call.arguments
    command = (arguments.get("command") or arguments.get("cmd")) if isinstance(arguments, dict) else None
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return isinstance(command, str) and "clew" in command and bool(_COMMAND.search(command[:_COMMAND_CHARS]))
