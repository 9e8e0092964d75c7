"""Lines of a Claude Code session file, from messages of the Messages API: the client resumes the session from them.

Claude Code follows the chain of parents, sends every line of the chain, and joins lines of one role itself. What the
client injected is marked as such, so that it is shown as nobody's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID, uuid5

from clew.codecs.fields import timestamp
from clew.domain import Json, Message, Origin
from clew.ports import SessionHead

#: Marks of lines that no person wrote, by origin. Outputs need none.
_MARKS: dict[Origin, Json] = {
    Origin.SUMMARY: {"isCompactSummary": True},
    Origin.CLIENT: {"isMeta": True},
    Origin.REPORTED: {"isMeta": True},
    Origin.SYSTEM: {"isMeta": True},
    Origin.CLEW: {"isMeta": True},
}


def session_lines(items: Iterable[tuple[Json, Message]], head: SessionHead) -> Iterator[Json]:
    """Yields the lines of a session file: its title, and a line for each message, with the id of the one before."""
    if head.title:
        yield {"type": "custom-title", "customTitle": head.title, "sessionId": head.id}
    parent: str | None = None
    for place, (item, message) in enumerate(items):
        uuid = uuid5(UUID(head.id), str(place))
        yield {"parentUuid": parent, "uuid": str(uuid)} | _line(item, message, head, id=f"msg_{uuid.hex}")
        parent = str(uuid)


def _line(item: Json, message: Message, head: SessionHead, *, id: str) -> Json:
    is_reply = item["role"] == "assistant"
    return {
        "isSidechain": False,
        "type": "assistant" if is_reply else "user",
        "message": {"id": id} | _reply(item, message) if is_reply else {"role": "user", "content": item["content"]},
        "timestamp": timestamp(message.at or head.at),
        "userType": "external",
        "cwd": head.cwd,
        "sessionId": head.id,
        "version": head.version,
        "gitBranch": "",
    } | ({} if message.outputs or is_reply else _MARKS.get(message.origin, {}))


def _reply(item: Json, message: Message) -> Json:
    """A reply as the API answers. Its blocks are a list there, also where a request had a text."""
    content = item["content"]
    return {
        "type": "message",
        "role": "assistant",
        "model": _model(message),
        "content": [{"type": "text", "text": content}] if isinstance(content, str) else content,
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def _model(message: Message) -> str:
    """The model, if the client has it: it goes on with the last one, and complains of one that it does not know."""
    return message.model if message.model and message.model.startswith("claude") else ""
