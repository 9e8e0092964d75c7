"""Parts of a session as items of an answer: each has one speaker, so that no words can pass for somebody else's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict

from clew.domain import Message, Origin, Output, Part, Role
from clew.engine.session import Session
from clew.history.message_text import part_text
from clew.mcp_server.answers import ContextItem, HeaderFields
from clew.mcp_server.pages import pieces
from clew.replies.values import Format
from clew.text.secrets import mask_strings

#: Whose words are instructions or answers to them; everything else is data.
_VOICES = {"user", "assistant"}


def items_of(session: Session, id: str, format: str, start: int = 0, end: int | None = None) -> Iterator[ContextItem]:
    """Yields what an id names at a size: the words of each message in full, or a header, a summary or a run of
    characters as one item.
    """
    if format == Format.FULL and end is None and (messages := session.messages(id)):
        for message in messages:
            yield from _of_message(message, id, session.reader.count)
        return
    part = session.recall(id, format)[0]
    fields = mask_strings([asdict(header) for header in part.headers])
    headers = [HeaderFields(**field) for field in fields] or None
    item = ContextItem(id=id, format=format, speaker="clew", data=True, text=part.text[start:end], headers=headers)
    yield from split_item(item, session.reader.count)


def split_item(item: ContextItem, count: Callable[[str], int]) -> Iterator[ContextItem]:
    """Yields an item in pieces that fit a page."""
    found = list(pieces(item.text, count))
    for index, text in enumerate(found, 1):
        yield item.model_copy(update={"text": text, "continues": True if index < len(found) else None})


def _of_message(message: Message, id: str, count: Callable[[str], int]) -> Iterator[ContextItem]:
    """Neighbouring parts of one speaker are one item."""
    texts: list[str] = []
    last = ""
    for part in message.parts:
        speaker = speaker_of(message, part)
        if texts and speaker != last:
            yield from split_item(_item(message, id, last, texts), count)
            texts = []
        last = speaker
        texts += [text] if (text := part_text(part)) else []
    if texts:
        yield from split_item(_item(message, id, last, texts), count)


def _item(message: Message, id: str, speaker: str, texts: list[str]) -> ContextItem:
    is_data = speaker not in _VOICES
    return ContextItem(
        id=id, format=Format.FULL, message=message.id, speaker=speaker, data=is_data, text="\n".join(texts)
    )


def speaker_of(message: Message, part: Part | None = None) -> str:
    """Returns whose words these are: user, assistant, tool, client, summary, system, the name of a subagent, or
    ``reported`` for what a model says that a user said.
    """
    if isinstance(part, Output) or message.role is Role.TOOL:
        return "tool"
    if message.thread:
        return f"subagent {message.thread}"
    if message.role is Role.USER:
        return "user" if message.origin is Origin.PERSON else str(message.origin)
    return str(message.role)


def is_data(speaker: str) -> bool:
    """Returns True for what came from tools, files or the client."""
    return speaker not in _VOICES
